package import TintypeCore

/// One method of the JSON-RPC interface: the source of dispatch, validation, OpenRPC and the reference page.
package struct MethodDescription: Sendable {
    package let name: String
    package let summary: String
    package let parameters: [ParameterDescription]
    /// The lowest role of a token that may call the method.
    package let role: AccessRole
    /// The places of requests in the parameters. A token binds the requests there.
    package let requests: RequestPlaces
    /// Whether a call counts for the limits of its client's name: every call that names a picture or a receipt. Each costs Redis a script.
    package var isCounted: Bool { requests != .none || name.hasPrefix("receipt.") }
    /// The result in words and JSON, as the reference page shows it.
    package let result: String
    /// The errors of the method beside the standard ones.
    package let errors: [ErrorName]
    package let example: MethodExample

    init(
        _ name: String, _ summary: String, _ parameters: [ParameterDescription] = [], role: AccessRole, requests: RequestPlaces = .none, result: String,
        errors: [ErrorName] = [], example: MethodExample
    ) {
        self.name = name
        self.summary = summary
        self.parameters = parameters
        (self.role, self.requests) = (role, requests)
        self.result = result
        self.errors = errors
        self.example = example
    }
}
