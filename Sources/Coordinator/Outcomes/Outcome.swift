package import TintypeCore
package import TintypeImages
package import TintypeQueue

/// The end of a receipt, in the form that this coordinator's clients get.
package struct Outcome: Sendable {
    package let state: ReceiptState
    /// The reason of a failure, also for `cancelled`.
    package let error: TintypeError?
    /// The ImageResult; only after success.
    package var result: ImageResult?
    /// The bytes of each rendition of `result` in base64, in the same order; nil unless requested inline.
    package var data: [JSON]?
    private let event: ReceiptEvent
    var sequence: Int { event.sequence }

    /// Reads a terminal event.
    package init(_ event: ReceiptEvent) {
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
            (state, error) = (.failed, TintypeError(.internalError, .deliver, "the terminal event of this receipt cannot be read"))
        }
    }

    /// Returns the same end as a success: the client gets this result in its place.
    func replaced(by result: ImageResult) -> Outcome {
        Outcome(standingIn: result, for: event)
    }

    private init(standingIn result: ImageResult, for event: ReceiptEvent) {
        (state, error, self.result) = (.succeeded, nil, result)
        self.event = ReceiptEvent(type: .succeeded, sequence: event.sequence, at: event.at, body: "")
    }

    /// Makes an end without an event: this coordinator gives up, or cannot deliver the result.
    package init(failing error: TintypeError, sequence: Int = 0) {
        state = .failed
        self.error = error
        event = ReceiptEvent(type: .failed, sequence: sequence, at: WallClock.text(WallClock.now), body: "\"error\":\(error.json.text)")
    }

    /// Returns the error of a canceled request.
    package static func cancellation(reason: String, phase: String?) -> TintypeError {
        TintypeError(
            reason == "superseded" ? .superseded : .cancelled, phase.flatMap { Phase(rawValue: $0) } ?? .queue,
            "the request was canceled: \(reason)", details: ["reason": .string(reason)])
    }

    /// The ImageResult with `data` in each rendition, if there is any.
    var resultWithData: ImageResult? { data.map { result?.carrying($0) } ?? result }

    /// Returns the terminal event with the result in the form for clients.
    package func event(withData: Bool) -> ReceiptEvent {
        guard let result = withData ? resultWithData : result else { return event }
        return ReceiptEvent(type: event.type, sequence: event.sequence, at: event.at, body: "", result: result.object)
    }

    /// Returns the answer of `receipt.get`.
    package func json(receipt: String) -> JSON {
        var object: JSONObject = ["receipt": .string(receipt), "state": .string(state.rawValue)]
        if let result = resultWithData { object["result"] = result.json }
        if let error { object["error"] = error.json }
        return .object(object)
    }
}

extension TintypeError {
    /// The answer when the coordinator stops before the work is done.
    package static var stopping: TintypeError {
        TintypeError(.shuttingDown, .admission, "this coordinator is stopping: connect again and repeat the request")
    }
}
