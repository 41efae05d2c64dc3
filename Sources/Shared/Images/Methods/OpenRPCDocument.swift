package import TintypeCore

/// The OpenRPC document that `rpc.discover` answers, made from the descriptions of methods.
package enum OpenRPCDocument {
    /// - Parameter methods: those of the coordinator.
    package static func json(version: String, methods: [MethodDescription]) -> JSON {
        [
            "openrpc": "1.3.2",
            "info": ["title": "Tintype", "version": .string(version), "description": "Loads images for other programs: queue, download, transform, events."],
            "methods": .array(methods.map(method)),
        ]
    }

    private static func method(_ method: MethodDescription) -> JSON {
        let parameters = method.parameters.map { parameter -> JSON in
            ["name": .string(parameter.name), "description": .string(parameter.summary), "required": .bool(parameter.isRequired), "schema": parameter.schema]
        }
        return [
            "name": .string(method.name), "summary": .string(method.summary), "x-role": .string(method.role.rawValue), "paramStructure": "by-name",
            "params": .array(parameters),
            "result": ["name": "result", "description": .string(method.result), "schema": [:]],
            "errors": .array(method.errors.map { ["code": JSON($0.code), "message": .string($0.rawValue)] }),
            "examples": [method.example.pairing(for: method.name)],
        ]
    }
}
