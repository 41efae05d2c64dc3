/// What the numbers on one coordinator channel say about lost messages. Pure: no clock, no Redis.
///
/// The scripts number every message to a coordinator's channel of a queue. After a (re)subscription nothing is known about what was
/// published before, so everything pending is read from Redis once; from then on a jump in the numbers is a loss, and a number
/// that falls back means that the counter itself was lost (a Redis without its data): both make the state be read again.
struct EventSequence: Sendable, Hashable {
    /// What to do besides delivering the message.
    enum Verdict: Sendable, Hashable {
        /// Nothing was lost.
        case whole
        /// `missed` messages (or, if nil, an unknown number) never came: read the state of everything pending.
        case gap(missed: Int64?)
    }

    /// The number of the last message since the channel was confirmed; nil before the first.
    private(set) var last: Int64?

    /// The channel was (re)subscribed: whatever number comes next is taken as it is. The caller reads the state of everything
    /// pending now, after the confirmation, never before.
    mutating func confirmed() { last = nil }

    /// A message with this number arrived.
    mutating func received(_ number: Int64) -> Verdict {
        defer { last = number }
        guard let last, number != last + 1 else { return .whole }
        return .gap(missed: number > last ? number - last - 1 : nil)
    }
}
