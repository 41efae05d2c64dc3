/// One method of the JSON-RPC interface: the source of dispatch, validation, OpenRPC and the reference page.
package struct MethodDescription: Sendable {
    package let name: String
    package let summary: String
    package let parameters: [ParameterDescription]
    /// The result in words and JSON, as the reference page shows it.
    package let result: String
    /// Errors beside the standard ones.
    package let errors: [ErrorName]

    init(_ name: String, _ summary: String, _ parameters: [ParameterDescription] = [], result: String, errors: [ErrorName] = []) {
        self.name = name
        self.summary = summary
        self.parameters = parameters
        self.result = result
        self.errors = errors
    }
}
