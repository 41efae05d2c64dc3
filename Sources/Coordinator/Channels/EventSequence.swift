/// Detects lost messages by the numbers on a coordinator's channel. Pure: no clock, no Redis.
///
/// The scripts number every message on a coordinator's channel of a queue.
/// - After a (re)subscription, nothing is known about earlier messages, so everything pending is read from Redis once.
/// - After that, a jump in the numbers means lost messages.
/// - A lower number means that Redis lost its data, and the counter with it.
///
/// In the last two cases the state is read again.
struct EventSequence: Sendable, Hashable {
    /// The action besides delivering the message.
    enum Verdict: Sendable, Hashable {
        /// No message was lost.
        case whole
        /// `missed` messages were lost; nil means an unknown number. Read the state of everything pending.
        case gap(missed: Int64?)
    }

    /// The number of the last message since the channel was confirmed; nil before the first.
    private(set) var last: Int64?

    /// Records that the channel was (re)subscribed: the next number is accepted as it is. The caller reads the state of everything pending after
    /// the confirmation, never before.
    mutating func confirmed() { last = nil }

    /// Judges the number of a message that arrived.
    mutating func received(_ number: Int64) -> Verdict {
        defer { last = number }
        guard let last, number != last + 1 else { return .whole }
        return .gap(missed: number > last ? number - last - 1 : nil)
    }
}
