/// The state of a receipt (docs/protocol.md).
package enum ReceiptState: String, Sendable, Hashable, CaseIterable {
    case queued, delayed, running, paused, succeeded, failed, cancelled

    package var isTerminal: Bool { self == .succeeded || self == .failed || self == .cancelled }

}

/// The end of a receipt. Its terminal event has the same facts.
package struct Ending: Sendable, Hashable {
    /// `succeeded`, `failed` or `cancelled`, which is also the type of the terminal event.
    package let state: ReceiptState
    /// The number of the terminal event.
    package let seq: Int
    /// Epoch seconds, as text with three decimals.
    package let at: String
    /// The members of the terminal event without braces: `"result":{…}`, `"error":{…}` or `"reason":…,"phase":…`.
    package let body: String
    /// The receipt that this one superseded by ending at once. The other has already ended, but its own event may arrive later.
    package var superseded: String?
    /// The members of a `cached` event before the end: the receipt was refused at once, and this result is still kept.
    package var shown: String?

    package init(state: ReceiptState, seq: Int, at: String, body: String) {
        self.state = state
        self.seq = seq
        self.at = at
        self.body = body
    }
}

/// The state of a receipt in Redis.
package struct ReceiptSnapshot: Sendable, Hashable {
    package var receipt: String
    package var state: ReceiptState
    /// The number of its last event. A coordinator that has seen a smaller number has missed events.
    package var seq: Int
    /// The coordinator whose channel gets its events.
    package var coordinator: String
    /// The fetch of the receipt; empty if the result index answered it.
    package var fetch: String
    /// As in `Submission.meta`.
    package var meta: String
    /// As in `Submission.terms`.
    package var terms: ReceiptTerms
    package var ending: Ending?
    /// The number of fetches before a queued one.
    package var position: Int?
    /// The number of runs so far, without released ones.
    package var attempts: Int
    /// The worker that runs the fetch, as a JSON string; empty if none does.
    package var worker: String
    /// The members of the last progress event without braces; empty if there was none.
    package var progress: String
    /// The reason for which another coordinator gave the receipt up and handed it to this one, until a client takes it up here.
    package var givenUp: String?
}
