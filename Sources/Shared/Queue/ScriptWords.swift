import TintypeTransport

/// The words in the answers of fenced scripts, which report the progress or end of a run, or change a group or a share.
enum RunReply: String, Sendable, CaseIterable {
    case ok = "OK"
    /// The fetch waits for its next run.
    case again = "AGAIN"
    /// The fetch was withdrawn before.
    case void = "VOID"
    /// The same was reported before.
    case duplicate = "DUP"
    /// The run belongs to another worker by now, or another coordinator lends.
    case stale = "STALE"
    /// No receipt wants the fetch any more.
    case cancel = "CANCEL"
    /// A deadline has passed: call `expire` first.
    case late = "LATE"
    /// Some of many receipts have ended: the same call ends the others.
    case part = "PART"
    /// Renditions that have joined follow.
    case more = "MORE"
    /// The time for which to keep the result follows.
    case keep = "KEEP"
    /// The source was purged after the run began.
    case purged = "PURGED"
}

/// The words of scripts with short answers.
enum PlainReply: String, Sendable, CaseIterable {
    case ok = "OK"
    /// The call has made what was missing.
    case made = "MADE"
    /// The id belongs to another queue.
    case other = "OTHER"
}

enum AppendReply: String, Sendable, CaseIterable {
    case ok = "OK", unknown = "UNKNOWN", kind = "KIND", ended = "ENDED"
    /// The limit follows.
    case full = "FULL", long = "LONG"
}

enum SubmitReply: String, Sendable, CaseIterable {
    case new, joined, again, finished, mismatch, full, unknown, listed, indexed
    /// The receipt is known, and its deadline has passed.
    case late
}

extension RawRepresentable where RawValue == String {
    /// Reads the word of an answer: the whole answer or its first element; nil if the word is unknown.
    init?(_ reply: RedisReply) {
        guard let text = (reply.array?.first ?? reply).string else { return nil }
        self.init(rawValue: text)
    }
}
