import TintypeCore

/// Where the parameters of a request go: into its body as a form, or into the query of its URL.
extension FetchOptions {
    /// Methods whose parameters are a form (WHATWG HTML, `application/x-www-form-urlencoded`) where the request names no body.
    private static let formMethods: Set<String> = ["POST", "PUT", "PATCH"]

    /// Whether parameters are the body.
    var sendsForm: Bool { body == nil && Self.formMethods.contains(method) }

    /// Those of the query.
    var queryParams: [Header] { sendsForm ? [] : params }

    /// What is sent along: the body that the request names, or its parameters as a form; nil: nothing.
    package var content: (bytes: [UInt8], contentType: String)? {
        if let body { return (body.bytes, body.contentType) }
        guard sendsForm, !params.isEmpty else { return nil }
        return (Array(PercentText.pairs(params.map { ($0.name, $0.value) }).utf8), "application/x-www-form-urlencoded")
    }

    /// What `params(_:)` reads: values of one name together, in their order.
    static func canonical(params: [Header]) -> JSON {
        var values = JSONObject()
        for param in params { values[param.name] = .array((values[param.name]?.array ?? []) + [.string(param.value)]) }
        return .object(values)
    }
}
