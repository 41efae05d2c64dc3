import Glibc

/// A wall-clock time for log lines: ISO 8601 in UTC with milliseconds, `2026-11-21T04:51:51.123Z`.
package struct Timestamp: Sendable, CustomStringConvertible {
    private let seconds: Double

    /// - Parameter seconds: seconds since 1970.
    package init(seconds: Double) { self.seconds = seconds }

    package var description: String {
        let whole = seconds.rounded(.down)
        var clock = time_t(whole)
        var parts = tm()
        gmtime_r(&clock, &parts)
        let milliseconds = Int((seconds - whole) * 1000)
        let date = "\(parts.tm_year + 1900)-\(Self.padded(Int(parts.tm_mon) + 1))-\(Self.padded(Int(parts.tm_mday)))"
        let time = "\(Self.padded(Int(parts.tm_hour))):\(Self.padded(Int(parts.tm_min))):\(Self.padded(Int(parts.tm_sec)))"
        return "\(date)T\(time).\(Self.padded(milliseconds, width: 3))Z"
    }

    private static func padded(_ number: Int, width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// The wall clock, in seconds since 1970: for times that clients see, and for freshness. Never for order or durations.
package struct WallClock: Sendable {
    private let read: @Sendable () -> Double

    /// A clock that shows what `read` returns.
    package init(_ read: @escaping @Sendable () -> Double) { self.read = read }

    package static let machine = WallClock { WallClock.now }

    /// The time of this clock.
    package var now: Double { read() }

    /// The time of this machine's clock.
    package static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Returns a time as scripts write it: with three digits after the point.
    package static func text(_ seconds: Double) -> String {
        let milliseconds = Int64((seconds * 1000).rounded())
        let rest = String(milliseconds % 1000)
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }
}
