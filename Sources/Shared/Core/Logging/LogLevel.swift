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
