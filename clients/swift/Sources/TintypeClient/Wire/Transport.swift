/// A way to the service, over TCP or HTTP. It finds another coordinator by itself, and repeats what may be repeated.
protocol Transport: Sendable {
    typealias Instant = ContinuousClock.Instant
    /// Takes an event as the service sends it, or `{"type": "gap"}`.
    typealias Sink = @Sendable (JSON) -> Void

    /// The address of the coordinator in use.
    var address: Address { get }

    /// Calls a method.
    ///
    /// - Parameter until: When it is given up.
    func call(_ method: String, _ params: JSON, until: Instant) async throws(TintypeError) -> JSON

    /// Follows a receipt, and takes it up again after each lost connection, until it ends.
    ///
    /// - Parameter sink: Takes each event but the terminal one. A `gap` says that some are missing.
    /// - Returns: The terminal event.
    func follow(_ work: Followed, sink: @escaping Sink) async throws(TintypeError) -> JSON

    /// Watches the terminal events of a queue until its task is cancelled.
    func watch(queue: String, sink: @escaping Sink) async throws(TintypeError)

    /// Withdraws a receipt without waiting for the answer, if there is a connection.
    ///
    /// - Returns: Whether there was one.
    func withdraw(_ receipt: String) -> Bool

    func close()
}

/// A receipt that is followed.
struct Followed: Sendable {
    let receipt: String
    /// The parameters of its submit; nil for a receipt that was submitted elsewhere.
    let request: JSON?
    /// When it is given up.
    let until: ContinuousClock.Instant

    /// The call that begins to follow, and that takes the receipt up again: the same receipt is the same request.
    var call: (method: String, params: JSON) {
        if let request { ("image.submit", request) } else { ("receipt.get", ["receipt": .string(receipt)]) }
    }

    /// The error when it has no end in time.
    var late: TintypeError {
        .local(.deadlineExceeded, "the receipt \(receipt) had no end in time; ask for it again by its id")
    }
}

/// Events as the service sends them.
enum WireEvent {
    static let gap: JSON = ["type": "gap"]

    /// Whether it is the last event of a receipt.
    static func isTerminal(_ event: JSON) -> Bool {
        switch event["type"]?.stringValue {
        case "succeeded", "failed", "cancelled": true
        default: false
        }
    }

    /// Returns the terminal event in an answer of `image.submit` or `receipt.get`, if the receipt has ended.
    static func terminal(_ answer: JSON) -> JSON? {
        let receipt = answer["receipt"] ?? .null
        switch answer["state"]?.stringValue {
        case "succeeded":
            guard let result = answer["result"] else { return nil }
            return ["type": "succeeded", "receipt": receipt, "result": result]
        case "cancelled":
            let data = answer["error"]?["data"]
            return ["type": "cancelled", "receipt": receipt, "reason": data?["reason"] ?? .null, "phase": data?["phase"] ?? .null]
        default:
            guard let error = answer["error"] else { return nil }
            return ["type": "failed", "receipt": receipt, "error": error]
        }
    }
}
