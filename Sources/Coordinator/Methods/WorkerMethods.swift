import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeTransport

/// The methods `workers.*`, and `formats.list`, which is about what workers support.
@Loop
struct WorkerMethods {
    let scope: TaskScope
    let registry: QueueRegistry
    /// The fonts that the operator permits.
    let fonts: [String]

    var all: [CoreMethod] { [CoreMethod("workers.list", list), CoreMethod("workers.quiet", quiet), CoreMethod("formats.list", formats)] }

    /// Lists the workers with a recent heartbeat.
    private func list(_ call: Call, _ params: JSON) {
        call.run(in: scope) { () async throws(TintypeError) in .array(try await WorkerList.read(registry)) }
    }

    /// Drains a worker, so that it claims nothing new from any of its queues, or ends the draining.
    private func quiet(_ call: Call, _ params: JSON) {
        let worker = params["worker"]?.string ?? ""
        let isQuiet = params["quiet"]?.bool ?? true
        call.run(in: scope) { () async throws(TintypeError) in
            var isKnown = false
            try await RedisError.translating { () async throws(RedisError) in
                try await registry.each { queue throws(RedisError) in if try await queue.quiet(worker: worker, isQuiet) { isKnown = true } }
            }
            guard isKnown else {
                let missing = try await WorkerList.missingQueues(of: worker, registry)
                throw .invalidParams(
                    path: "worker", value: .string(worker),
                    expected: missing.isEmpty
                        ? "the id of a worker in workers.list"
                        : "a worker that serves an existing queue; its queues do not exist: \(missing.joined(separator: ", "))")
            }
            return ["worker": .string(worker), "quiet": .bool(isQuiet)]
        }
    }

    // MARK: Formats

    /// Lists the formats and operations that every live worker supports, so that no request depends on which worker claims it. Without workers, those of
    /// this build.
    private func formats(_ call: Call, _ params: JSON) {
        call.run(in: scope) { () async throws(TintypeError) in
            // If Redis is unreachable, the answer is the list of this build.
            Self.formats((try? await WorkerList.codecs(registry)) ?? [], fonts: fonts)
        }
    }

    /// - Parameter codecs: The codecs that each live worker has reported.
    private static func formats(_ codecs: [JSON], fonts: [String]) -> JSON {
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

    private static let operations = JSON.array(
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
