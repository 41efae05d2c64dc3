/// Decides which ticks of a second make a point, and how many seconds each point holds. A value.
///
/// Points are named by the clock, which may step. Their seconds are those of a clock that never does.
struct PointTimes: Sendable {
    /// The seconds by which the clock may step back without a new begin.
    private static let jitter = 5

    /// The time of the last point, in whole seconds since 1970.
    private var last = 0
    /// The end of the last point, in seconds of a clock that never steps.
    private var end: Double

    /// - Parameter now: The begin of the first point, as in `tick`.
    init(now: Double) { end = now }

    /// The effect of a tick.
    enum Tick: Hashable, Sendable {
        /// Two ticks fall into one second of the clock. The next point has both.
        case none
        /// A point that ends now.
        /// - isFirst: Whether the clock was put back, so that the order of points begins anew.
        case point(seconds: Int, isFirst: Bool)
    }

    /// - Parameters:
    ///   - time: Whole seconds since 1970.
    ///   - now: Seconds of a clock that never steps.
    mutating func tick(at time: Int, now: Double) -> Tick {
        let isFirst = time < last - Self.jitter
        guard isFirst || time > last else { return .none }
        // bounded: by the clock of this process.
        let seconds = max(1, Int((now - end).rounded()))
        (last, end) = (time, now)
        return .point(seconds: seconds, isFirst: isFirst)
    }
}
