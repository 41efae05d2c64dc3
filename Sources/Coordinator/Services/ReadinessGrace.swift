/// How long trouble with the Redis that all coordinators share is no reason to leave the proxy. Pure: the caller supplies the time.
///
/// All coordinators see that trouble at once. If each left, nobody would get what the others still can answer. So a coordinator that has served stays for
/// the time of a switch. One that has never served has nothing to stay for.
struct ReadinessGrace: Sendable {
    /// The trouble for which it stays, in time.
    let length: Duration
    private var hasServed = false
    private var since: ContinuousClock.Instant?

    init(_ length: Duration) { self.length = length }

    /// Takes a look.
    /// - Parameter trouble: what is wrong now; nil: nothing.
    /// - Returns: the trouble, if it is a reason to leave.
    mutating func judge(_ trouble: String?, at now: ContinuousClock.Instant) -> String? {
        guard let trouble else {
            (hasServed, since) = (true, nil)
            return nil
        }
        let begin = since ?? now
        since = begin
        return hasServed && now < begin + length ? nil : trouble
    }
}
