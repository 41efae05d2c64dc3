import TintypeCore
import TintypeTransport
import TintypeImages

/// `formats.list`: the formats and operations that every live worker supports, so that no request depends on which worker claims it. Without
/// workers, those of this build.
struct FormatsList: RPCMethod {
    let name = "formats.list"
    let scope: TaskScope
    let registry: QueueRegistry
    let fonts: [String]

    func begin(_ call: Call, _ params: JSON) {
        call.run(in: scope) { () async throws(TintypeError) in
            // If Redis is unreachable, the answer is the list of this build.
            Self.answer((try? await WorkerList.codecs(registry)) ?? [], fonts: fonts)
        }
    }

    /// - Parameters:
    ///   - codecs: The codecs that each live worker has reported.
    ///   - fonts: The fonts that the operator permits.
    nonisolated static func answer(_ codecs: [JSON], fonts: [String]) -> JSON {
        func common(_ known: [String], _ member: String) -> JSON {
            .array(known.map { JSON.string($0) }.filter { format in codecs.allSatisfy { $0[member]?.array?.contains(format) == true } })
        }
        return [
            // Only workers know the formats that the operator names.
            "decode": common((codecs.isEmpty ? ImageFormat.decodable : ImageFormat.openable).map(\.rawValue), "decode"),
            "encode": common(ImageFormat.encodable.map(\.rawValue), "encode"),
            "lossless": common(OutputOptions.losslessFormats.map(\.rawValue), "lossless"),
            "fonts": common(fonts.map { $0.lowercased() }, "fonts"), "operations": operations,
        ]
    }

    private nonisolated static let operations = JSON.array(
        OperationCatalog.descriptions.map { operation in
            [
                "name": .string(operation.name), "summary": .string(operation.summary),
                "parameters": .array(operation.parameters.map(Self.parameter)),
            ]
        })

    private nonisolated static func parameter(_ description: ParameterDescription) -> JSON {
        var object: JSONObject = [
            "name": .string(description.name), "summary": .string(description.summary), "required": .bool(description.isRequired),
            "schema": description.schema,
        ]
        object["default"] = description.defaultValue
        return .object(object)
    }
}
