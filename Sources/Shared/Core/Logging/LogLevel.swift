/// The importance of a line. A logger drops lines below its own level.
package enum LogLevel: String, Sendable, CaseIterable, Comparable {
    case debug, info, notice, warning, error

    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rank < right.rank
    }

    private var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .notice: 2
        case .warning: 3
        case .error: 4
        }
    }
}

/// The format of lines: `logfmt` for people and grep, `json` for log collectors.
package enum LogFormat: String, Sendable, CaseIterable {
    case logfmt, json
}

/// Limits repeated log lines: each logThrottle is logged when it is new, and again once a minute while it lasts.
///
/// For operations that are repeated: a line for each attempt buries the log, and a single line hides a new reason. At most
/// `most` different troubles a minute, because texts from outside may change each time. A value, kept by the caller.
package struct LogThrottle: Sendable {
    private static let most = 8
    private static let pause = Duration.seconds(60)

    private var said: [String: ContinuousClock.Instant] = [:]

    package init() {}

    /// Whether to log `text` now. The text then counts as logged.
    package mutating func shouldLog(_ text: String, at now: ContinuousClock.Instant = .now) -> Bool {
        said = said.filter { $0.value + Self.pause > now }
        guard said[text] == nil, said.count < Self.most else { return false }
        said[text] = now
        return true
    }

    /// Ends the logThrottle: the next one is new.
    package mutating func end() { said = [:] }
}
