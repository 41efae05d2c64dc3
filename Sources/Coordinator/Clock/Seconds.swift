import Glibc

/// The coordinator's clock for intervals, in plain seconds.
package enum Seconds {
    /// A time that never goes back.
    package static var monotonic: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

extension Duration {
    /// The duration in seconds with a fraction.
    package var inSeconds: Double { self / .seconds(1) }
}
