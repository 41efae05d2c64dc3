/// Where a receipt stands: PROTOCOL.md §9.
package enum ReceiptState: String, Sendable, Hashable, CaseIterable {
    case queued, delayed, running, succeeded, failed, cancelled

    package var isTerminal: Bool { self == .succeeded || self == .failed || self == .cancelled }

    /// Reads what a script answers: a word for a live receipt, a short one for an ended one.
    init?(script word: String) {
        switch word {
        case "ok": self = .succeeded
        case "err": self = .failed
        case "can": self = .cancelled
        default:
            guard let state = ReceiptState(rawValue: word), !state.isTerminal else { return nil }
            self = state
        }
    }
}

/// How a receipt ended. The same facts arrive as its terminal event.
package struct Ending: Sendable, Hashable {
    /// `succeeded`, `failed` or `cancelled`: also the type of the terminal event.
    package let state: ReceiptState
    /// Number of the terminal event.
    package let seq: Int
    /// Epoch seconds, as text with three decimals.
    package let at: String
    /// Members of the terminal event without braces: `"result":{…}`, `"error":{…}` or `"reason":…,"phase":…`.
    package let body: String
    /// The receipt whose slot this one took by ending at once. It has ended before, which its own event may tell later.
    package var superseded: String?
    /// Members of the `cached` event that comes before its end: it was refused at once, and this is kept.
    package var shown: String?

    package init(state: ReceiptState, seq: Int, at: String, body: String) {
        self.state = state
        self.seq = seq
        self.at = at
        self.body = body
    }
}

/// A receipt as Redis knows it.
package struct ReceiptSnapshot: Sendable, Hashable {
    package var receipt: String
    package var state: ReceiptState
    /// Number of its last event. A coordinator that has seen fewer has missed some.
    package var seq: Int
    /// Whose channel its events go to.
    package var coordinator: String
    /// Its fetch; empty if the result index answered it.
    package var fetch: String
    /// As in `Submission.meta`.
    package var meta: String
    /// As in `Submission.terms`.
    package var terms: ReceiptTerms
    /// Set once it has ended.
    package var ending: Ending?
    /// Of a queued one: how many fetches come before it.
    package var position: Int?
    /// Runs so far that were not given back.
    package var attempts: Int
    /// The worker that runs it, as a JSON string; empty if none.
    package var worker: String
    /// Members of the last progress event without braces; empty if there was none.
    package var progress: String
    /// Why it was given up at the coordinator that handed it to its own, as long as nobody has taken it up there.
    package var givenUp: String?
}
