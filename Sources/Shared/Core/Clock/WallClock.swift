import Glibc

/// The wall clock, in seconds since 1970: for times that clients see, and for freshness. Never for order or durations.
package struct WallClock: Sendable {
    private let read: @Sendable () -> Double

    /// A clock that shows what `read` returns.
    package init(_ read: @escaping @Sendable () -> Double) { self.read = read }

    /// The clock of this machine.
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
