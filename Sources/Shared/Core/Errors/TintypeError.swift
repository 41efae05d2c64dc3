/// What went wrong, where, whether to try again, and what to do: the one error that crosses borders between modules and processes.
///
/// Inside a folder errors have their own types; at its border each becomes one of these, once. Its JSON is the error object of
/// JSON-RPC and travels through Redis unchanged.
package struct TintypeError: Error, Sendable, Hashable, CustomStringConvertible {
    package var name: ErrorName
    package var phase: Phase
    /// A sentence for people: what happened and what to do. Never holds a secret.
    package var message: String
    package var isRetryable: Bool
    /// Further members of `data`, such as status, limit, path. URLs among them are redacted when the error is written.
    package var details: JSONObject
    /// What the log of the process where it happened says besides, and nobody else: it is no part of `json`.
    package var logged: String?

    /// - Parameter retryable: nil takes what the table says of the name.
    package init(_ name: ErrorName, _ phase: Phase, _ message: String, retryable: Bool? = nil, details: JSONObject = JSONObject()) {
        self.name = name
        self.phase = phase
        self.message = message
        self.isRetryable = retryable ?? name.isRetryable
        self.details = details
    }

    /// A wrong parameter. What is longer than 200 bytes is shown by its beginning.
    package static func invalidParams(path: String, value: JSON?, expected: String) -> TintypeError {
        let text = value?.text ?? "nothing"
        let shown = text.utf8.count > 200 ? String(text.prefix(200)) + "…" : text
        return TintypeError(
            .invalidParams, .admission, "\(path.isEmpty ? "params" : path): expected \(expected), not \(shown)",
            details: ["path": .string(path), "value": shown == text ? value ?? .null : .string(shown), "expected": .string(expected)])
    }

    /// For logs: with the system's own words and what only logs say, where there are any.
    package var description: String {
        let cause = details["cause"]?.string.flatMap { message.contains($0) ? nil : $0 }
        return "\(name.rawValue) (\(phase.rawValue)): \(message)" + [cause, logged].compactMap(\.self).map { " (\($0))" }.joined()
    }

    /// The same error with another member in `data`.
    package func adding(_ key: String, _ value: JSON) -> TintypeError {
        var copy = self
        copy.details[key] = value
        return copy
    }

    /// The same with the URL that failed, redacted, unless it names one. Where the service itself or its client ended the work, it is no URL's failure.
    package func about(url: String) -> TintypeError {
        guard details["url"] == nil, ![.cancelled, .internalError, .unavailable, .storeFailed, .cacheMiss, .forbidden].contains(name) else { return self }
        return adding("url", .string(RedactedURL(url).description))
    }

    /// The error object of JSON-RPC: code, message, data {name, phase, retryable, message, …}.
    package var json: JSON {
        var data = JSONObject([
            ("name", .string(name.rawValue)), ("phase", .string(phase.rawValue)), ("retryable", .bool(isRetryable)),
            ("message", .string(message)),
        ])
        for (key, value) in details.members where data[key] == nil {
            let isAddress = ["url", "finalURL", "location"].contains(key)
            data[key] = isAddress ? value.string.map { .string(RedactedURL($0).description) } ?? value : value
        }
        return ["code": JSON(name.code), "message": .string(message), "data": .object(data)]
    }

    /// Reads what `json` wrote; anything else becomes `internal`.
    package init(json: JSON) {
        let data = json["data"]?.object ?? JSONObject()
        var details = data
        for key in ["name", "phase", "retryable", "message"] { details[key] = nil }
        let name = data["name"]?.string.flatMap { ErrorName(rawValue: $0) } ?? json["code"]?.int.flatMap { ErrorName(code: $0) }
        self.init(
            name ?? .internalError, data["phase"]?.string.flatMap { Phase(rawValue: $0) } ?? .deliver,
            json["message"]?.string ?? "no message", retryable: data["retryable"]?.bool, details: details)
    }
}
