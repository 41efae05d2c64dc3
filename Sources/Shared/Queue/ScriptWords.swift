import TintypeTransport

/// The words by which the scripts answer that hear what became of a run (`finish`, `fail`, `release`, `rendition`, `progress`).
enum RunWord: String, Sendable, CaseIterable {
    case ok = "OK"
    /// It was withdrawn before.
    case void = "VOID"
    /// The same was said before.
    case duplicate = "DUP"
    /// It is another run's by now.
    case stale = "STALE"
    /// Nobody wants it any more.
    case cancel = "CANCEL"
    /// A deadline has passed: `expire` first.
    case late = "LATE"
    /// Renditions that joined follow.
    case more = "MORE"
    /// The time to keep it for follows.
    case keep = "KEEP"
}

/// The words of scripts that have little to say.
enum PlainWord: String, Sendable, CaseIterable {
    case ok = "OK"
    /// What was not there has been made.
    case made = "MADE"
    /// It is somebody else's.
    case other = "OTHER"
}

/// The words of `groupappend`.
enum AppendWord: String, Sendable, CaseIterable {
    case ok = "OK", unknown = "UNKNOWN", kind = "KIND", ended = "ENDED"
    /// The number that is the limit's follows.
    case full = "FULL", long = "LONG"
}

/// The words of `submit`.
enum SubmitWord: String, Sendable, CaseIterable {
    case new, joined, again, finished, mismatch, full, unknown, listed, indexed
    /// It is known, and its deadline has passed.
    case late
}

extension RawRepresentable where RawValue == String {
    /// Reads the word of an answer, which is all of it or its first; nil if it is none of these.
    init?(_ reply: RedisReply) {
        guard let text = (reply.array?.first ?? reply).string else { return nil }
        self.init(rawValue: text)
    }
}
