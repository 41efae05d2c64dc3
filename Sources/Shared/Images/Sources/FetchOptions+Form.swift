import TintypeCore

/// The place of a request's parameters: its body as a form, or the query of its URL.
extension FetchOptions {
    /// The methods that send parameters as a form (WHATWG HTML, `application/x-www-form-urlencoded`) unless the request names a body.
    private static let formMethods: Set<String> = ["POST", "PUT", "PATCH"]

    /// Whether the parameters are the body.
    var sendsForm: Bool { body == nil && Self.formMethods.contains(method) }

    /// The parameters of the query.
    var queryParams: [Header] { sendsForm ? [] : params }

    /// The body to send: the one that the request names, or its parameters as a form; nil: none.
    package var content: (bytes: [UInt8], contentType: String)? {
        if let body { return (body.bytes, body.contentType) }
        guard sendsForm, !params.isEmpty else { return nil }
        return (Array(PercentText.pairs(params.map { ($0.name, $0.value) }).utf8), "application/x-www-form-urlencoded")
    }

    /// The form that `params(_:)` reads: values of one name together, in their order.
    static func canonical(params: [Header]) -> JSON {
        var values = JSONObject()
        for param in params { values[param.name] = .array((values[param.name]?.array ?? []) + [.string(param.value)]) }
        return .object(values)
    }
}
