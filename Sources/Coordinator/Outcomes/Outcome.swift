import TintypeCore
import TintypeImages
import TintypeQueue

/// How a receipt ended, as this coordinator's clients learn it.
struct Outcome: Sendable {
    let state: ReceiptState
    /// Why it did not succeed, also for `cancelled`.
    let error: TintypeError?
    /// The ImageResult; only when it succeeded.
    var result: ImageResult?
    /// The bytes of each rendition of `result` in base64, in the same order; nil unless they were asked for inline.
    var data: [String]?
    private let event: ReceiptEvent
    var sequence: Int { event.sequence }

    /// Reads a terminal event.
    init(_ event: ReceiptEvent) {
        self.event = event
        let members = event.members()
        switch (event.type, members) {
        case (.succeeded, let members?) where members["result"]?.object != nil:
            (state, result, error) = (.succeeded, ImageResult(json: members["result"] ?? .null), nil)
        case (.failed, let members?) where members["error"]?.object != nil:
            (state, error) = (.failed, TintypeError(json: members["error"] ?? .null))
        case (.cancelled, let members):
            state = .cancelled
            error = Self.cancellation(reason: members?["reason"]?.string ?? "cancelled", phase: members?["phase"]?.string)
        default:
            (state, error) = (.failed, TintypeError(.internalError, .deliver, "the end of this receipt cannot be read"))
        }
    }

    /// The same end, but well: a client gets this result in its place.
    func replaced(by result: ImageResult) -> Outcome {
        Outcome(standingIn: result, for: event)
    }

    private init(standingIn result: ImageResult, for event: ReceiptEvent) {
        (state, error, self.result) = (.succeeded, nil, result)
        self.event = ReceiptEvent(type: .succeeded, sequence: event.sequence, at: event.at, body: "")
    }

    /// An end that no event told of: this coordinator gives up, or cannot hand the result over.
    init(failing error: TintypeError, sequence: Int = 0) {
        state = .failed
        self.error = error
        event = ReceiptEvent(type: .failed, sequence: sequence, at: WallClock.text(WallClock.now), body: "\"error\":\(error.json.text)")
    }

    /// The error of a withdrawn request.
    static func cancellation(reason: String, phase: String?) -> TintypeError {
        TintypeError(
            reason == "superseded" ? .superseded : .cancelled, phase.flatMap { Phase(rawValue: $0) } ?? .queue,
            "the request was withdrawn: \(reason)", details: ["reason": .string(reason)])
    }

    /// The ImageResult with `data` in each rendition, if there is any.
    var resultWithData: ImageResult? { data.map { result?.carrying($0) } ?? result }

    /// The terminal event with the result as clients see it.
    func event(withData: Bool) -> ReceiptEvent {
        guard let result = withData ? resultWithData : result else { return event }
        return ReceiptEvent(type: event.type, sequence: event.sequence, at: event.at, body: "", result: result.object)
    }

    /// What `receipt.get` says of it.
    func json(receipt: String) -> JSON {
        var object: JSONObject = ["receipt": .string(receipt), "state": .string(state.rawValue)]
        if let result = resultWithData { object["result"] = result.json }
        if let error { object["error"] = error.json }
        return .object(object)
    }
}

extension TintypeError {
    /// The answer when the coordinator ends and the work is not done.
    static var stopping: TintypeError {
        TintypeError(.shuttingDown, .admission, "this coordinator is stopping; connect again and repeat the request")
    }
}
