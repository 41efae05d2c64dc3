package import TintypeCore

/// A request of a method, and its answer. The reference page and OpenRPC show them, and a test makes the request.
///
/// Ids of the service stand for those of the same example before: a test replaces them, and the host `example.org`, by its own.
package struct MethodExample: Sendable {
    /// An object.
    package let params: JSON
    /// nil for a notification.
    package let result: JSON?
    /// Whether the real answer has more members, or arrays with more elements behind.
    package let isShortened: Bool

    /// - Parameters: `params` and `result` are JSON texts.
    init(_ params: String = "{}", _ result: String?, isShortened: Bool = false) {
        self.params = Self.json(params)
        self.result = result.map { Self.json($0) }
        self.isShortened = isShortened
    }

    private static func json(_ text: String) -> JSON {
        guard let json = try? JSON(parsing: text.utf8) else { preconditionFailure("an example is no JSON: \(text)") }
        return json
    }

    /// The example pairing of OpenRPC.
    func pairing(for method: String) -> JSON {
        let params = params.object?.members.map { member -> JSON in ["name": .string(member.key), "value": member.value] }
        var pairing: JSONObject = ["name": .string(method), "params": .array(params ?? [])]
        if isShortened { pairing["description"] = "The answer has more members." }
        if let result { pairing["result"] = ["name": "result", "value": result] }
        return .object(pairing)
    }

    /// The example as a block of code: the request without `jsonrpc` and `id`, and the answer.
    func markdown(for method: String) -> [String] {
        let request: JSON = ["method": .string(method), "params": params]
        var lines = ["```json", request.text]
        if let result { lines.append((["result": result] as JSON).text) }
        return lines + ["```", ""] + (isShortened ? ["Shortened.", ""] : [])
    }
}
