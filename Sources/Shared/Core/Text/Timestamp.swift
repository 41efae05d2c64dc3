import Glibc

/// A wall-clock moment, printed as ISO 8601 in UTC with milliseconds: `2026-11-21T04:51:51.123Z`. For logs and headers
/// only: nothing is ever ordered or timed by the wall clock.
package struct Timestamp: Sendable, CustomStringConvertible {
    /// Seconds since 1970.
    package let seconds: Double

    package init(seconds: Double) {
        self.seconds = seconds
    }

    /// The machine's clock now.
    package static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(seconds: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }

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
