/// An error with its cause, its phase, whether to retry, and what to do: the one error type between modules and processes.
///
/// Inside a folder, errors have their own types; at its border each becomes a `TintypeError`, once. Its JSON is the error object of
/// JSON-RPC and travels through Redis unchanged.
package struct TintypeError: Error, Sendable, Hashable, CustomStringConvertible {
    package var name: ErrorName
    package var phase: Phase
    /// A sentence for people: what happened and what to do. Never holds a secret.
    package var message: String
    package var isRetryable: Bool
    /// Further members of `data`, such as status, limit and path. URLs are redacted when the error is written.
    package var details: JSONObject
    /// A text for the log of this process only; no part of `json`.
    package var logged: String?

    /// - Parameter retryable: nil for the default of the name.
    package init(_ name: ErrorName, _ phase: Phase, _ message: String, retryable: Bool? = nil, details: JSONObject = JSONObject()) {
        self.name = name
        self.phase = phase
        self.message = message
        self.isRetryable = retryable ?? name.isRetryable
        self.details = details
    }

    /// Returns the error of a wrong parameter. It repeats a value that is a number, a boolean or null. Any other value may be a secret (`JSON.shown`).
    package static func invalidParams(path: String, value: JSON?, expected: String) -> TintypeError {
        invalidParams(path: path, shown: value?.shown, expected: expected)
    }

    /// Returns the error of a wrong parameter. A value of more than 200 bytes is cut.
    /// - Parameter shown: the value, or a text in its place, without a secret.
    package static func invalidParams(path: String, shown: JSON?, expected: String) -> TintypeError {
        let text = shown?.text ?? "nothing"
        let short = text.cut(to: 200)
        return TintypeError(
            .invalidParams, .admission, "\(path.isEmpty ? "params" : path): expected \(expected), not \(short)",
            details: ["path": .string(path), "value": short == text ? shown ?? .null : .string(short), "expected": .string(expected)])
    }

    /// The text for logs, with the system's own words and the text for logs only.
    package var description: String {
        let cause = details["cause"]?.string.flatMap { message.contains($0) ? nil : $0 }
        return "\(name.rawValue) (\(phase.rawValue)): \(message)" + [cause, logged].compactMap(\.self).map { " (\($0))" }.joined()
    }

    /// Returns the error with another member in `data`.
    package func adding(_ key: String, _ value: JSON) -> TintypeError {
        var copy = self
        copy.details[key] = value
        return copy
    }

    /// Returns the error with the URL that failed, redacted, unless it has one. Errors that the service or its client caused get no URL.
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

    /// Reads the JSON from `json`; anything else becomes `internal`.
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

/// The phase of a request in which something happened.
package enum Phase: String, Sendable, CaseIterable, Hashable {
    case admission, cache, queue, download, decode, transform, encode, store, deliver
}
