import Glibc

/// The two clocks of the coordinator as plain seconds.
enum Seconds {
    /// Never goes back; for intervals.
    static var monotonic: Double { read(CLOCK_MONOTONIC) }
    /// Since 1970; for what clients see.
    static var epoch: Double { read(CLOCK_REALTIME) }

    private static func read(_ clock: Int32) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Epoch seconds as the scripts write them: three digits after the point.
    static func text(_ seconds: Double) -> String {
        let milliseconds = Int64((seconds * 1000).rounded())
        let rest = String(milliseconds % 1000)
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }
}

extension Duration {
    /// As seconds with a fraction.
    var inSeconds: Double { self / .seconds(1) }
}
