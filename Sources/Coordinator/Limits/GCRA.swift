import TintypeCore
import TintypeSettings
import TintypeTransport

/// The generic cell rate algorithm (ITU-T I.371, appendix A): so many requests a second on average, and so many at once after a rest. A value.
///
/// The whole state is one time: the moment at which everything that was used is free again.
struct GCRA: Sendable, Hashable {
    /// The part of a request that rounding of times may cost.
    private static let slack = 0.001

    /// The seconds after which one more request is free.
    private var interval: Double
    private(set) var burst: Int
    /// The time at which nothing is used any more.
    private(set) var freeAt = -Double.infinity

    /// - Parameters:
    ///   - perSecond: More than 0.
    ///   - burst: 1 or more.
    init(perSecond: Double, burst: Int) { (interval, self.burst) = (1 / perSecond, burst) }

    /// Counts a request, if there is room for it.
    /// - Parameter now: Seconds of a clock that never goes back.
    /// - Returns: nil if the request is counted; else the seconds after which there is room for one.
    mutating func take(at now: Double) -> Double? {
        let over = used(at: now) + 1 - Double(burst)
        guard over <= Self.slack else { return over * interval }
        freeAt = max(freeAt, now) + interval
        return nil
    }

    /// Takes back a request that was counted.
    mutating func giveBack() { freeAt -= interval }

    /// The requests that may come at once.
    // bounded: by the burst of the token file.
    func left(at now: Double) -> Int { max(0, Int((Double(burst) - used(at: now) + Self.slack).rounded(.down))) }

    /// Sets another rate. Requests that were counted stay counted.
    mutating func change(perSecond: Double, burst: Int, at now: Double) {
        let used = used(at: now)
        (interval, self.burst) = (1 / perSecond, burst)
        freeAt = used == 0 ? -.infinity : now + used * interval
    }

    private func used(at now: Double) -> Double { max(0, freeAt - now) / interval }
}
