#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An error of the service, or of the way to the service.
///
/// Errors of the way have the names `connect`, `connectionLost` and `deadlineExceeded`, and no phase.
public struct TintypeError: Error {
    /// The kind of the error.
    public let name: ErrorName
    /// The reason, for people.
    public let message: String
    /// The phase of the request in which the error arose; nil if no request had begun.
    public let phase: Phase?
    /// Whether the same request may succeed soon.
    public let isRetryable: Bool
    /// The receipt of the failed request, if the request had one.
    public var receipt: String?
    /// The members of `error.data`: `status`, `limit`, `path` and others, by the name of the error.
    public let data: JSONObject

    /// - Parameter isRetryable: by default that of the name.
    public init(_ name: ErrorName, _ message: String, phase: Phase? = nil, isRetryable: Bool? = nil, receipt: String? = nil, data: JSONObject = [:]) {
        self.name = name
        self.message = message
        self.phase = phase
        self.isRetryable = isRetryable ?? name.isRetryable
        self.receipt = receipt
        self.data = data
    }

    /// The code of JSON-RPC.
    public var code: Int { data["code"]?.intValue ?? name.code ?? ErrorName.internal.code! }
    /// The seconds after which the service asks to try again.
    public var retryAfter: Double? { data["retryAfter"]?.doubleValue }
    /// The status of the origin's answer.
    public var status: Int? { data["status"]?.intValue }
    /// The number of runs before the error; 0 if no work had begun.
    public var attempts: Int { data["attempts"]?.intValue ?? 0 }
    /// Why runs failed.
    public var causes: [Cause] { (data["causes"]?.arrayValue ?? []).compactMap { try? Cause(json: $0) } }
}

extension TintypeError: ProtocolValue {
    /// Reads an error object of JSON-RPC.
    public init(json: JSON) throws(AnswerFault) {
        let members = try JSONObject(json: json)
        let data = members["data"]?.objectValue ?? [:]
        let code = members["code"]?.intValue
        let word = data["name"]?.stringValue
        self.init(
            word.map(ErrorName.init(rawValue:)) ?? code.flatMap(ErrorName.init(code:)) ?? .internal, members["message"]?.stringValue ?? "no message",
            phase: data["phase"]?.stringValue.map(Phase.init(rawValue:)), isRetryable: data["retryable"]?.boolValue,
            receipt: data["receipt"]?.stringValue, data: data)
    }

    public func json(withSecrets: Bool) -> JSON { ["code": .integer(code), "message": .string(message), "data": .object(data)] }

    /// The name and the message.
    public var description: String { "\(name): \(message)" }
}

extension TintypeError: LocalizedError {
    public var errorDescription: String? { description }
}
