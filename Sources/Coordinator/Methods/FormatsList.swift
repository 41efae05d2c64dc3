import Shared

/// `formats.list`: what this build decodes, encodes and does.
struct FormatsList: RPCMethod {
    let name = "formats.list"

    func begin(_ call: Call, _ params: JSON) { call.succeed(Self.answer) }

    private nonisolated static let answer: JSON = [
        "decode": .array(ImageFormat.decodable.map { .string($0.rawValue) }),
        "encode": .array(ImageFormat.encodable.map { .string($0.rawValue) }),
        "operations": .array(
            Operation.descriptions.map { operation in
                [
                    "name": .string(operation.name), "summary": .string(operation.summary),
                    "parameters": .array(operation.parameters.map(Self.parameter)),
                ]
            }),
    ]

    private nonisolated static func parameter(_ description: ParameterDescription) -> JSON {
        var object: JSONObject = [
            "name": .string(description.name), "summary": .string(description.summary), "required": .bool(description.isRequired),
            "schema": description.schema,
        ]
        object["default"] = description.defaultValue
        return .object(object)
    }
}
