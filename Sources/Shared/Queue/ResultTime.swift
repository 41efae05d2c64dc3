/// How long a result is wanted. A greater value is a longer time.
package enum ResultTime: Sendable, Hashable, Comparable {
    /// The result is not kept.
    case unkept
    /// No other client gets the result, but its URL works for a minute.
    case bytesOnly
    /// For as long as the source is fresh.
    case whileFresh
    case seconds(Double)

    /// The shortest time that a request can ask for, in seconds.
    package static let shortest = 0.003

    /// - Parameter seconds: 0 for `unkept`.
    package init(seconds: Double) { self = seconds > 0 ? .seconds(max(seconds, Self.shortest)) : .unkept }

    /// The time in seconds, if it is one.
    package var seconds: Double? {
        switch self {
        case .unkept, .bytesOnly, .whileFresh: nil
        case .seconds(let seconds): seconds
        }
    }

    /// The word for the scripts: `bytes`, `fresh`, or milliseconds.
    var word: String {
        switch self {
        case .unkept: "0"
        case .bytesOnly: "bytes"
        case .whileFresh: "fresh"
        case .seconds(let seconds): String(Queue.milliseconds(seconds))
        }
    }

    package init?(word: String) {
        switch word {
        case "bytes": self = .bytesOnly
        case "fresh": self = .whileFresh
        default:
            guard let milliseconds = Int64(word) else { return nil }
            self = ResultTime(seconds: Double(milliseconds) / 1000)
        }
    }
}

extension ResultTime: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    package init(floatLiteral seconds: Double) { self.init(seconds: seconds) }

    package init(integerLiteral seconds: Int) { self.init(seconds: Double(seconds)) }
}
