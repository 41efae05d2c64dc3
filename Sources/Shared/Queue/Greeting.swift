import TintypeTransport

/// The answer of a queue to a coordinator that greets it.
package struct Greeting: Sendable, Hashable {
    /// How many of its receipts run, where the queue is paused; nil where it is not.
    package let runningWhilePaused: Int?
    /// How much the other coordinators that live count as work; nil where that was not asked.
    package let others: Int?

    /// - Parameter counted: how much this coordinator said that it counts, which is in the sum.
    init?(_ reply: RedisReply, counted: Int?) {
        guard let numbers = reply.array?.compactMap(\.int), numbers.count == 2 else { return nil }
        runningWhilePaused = numbers[0] < 0 ? nil : Int(clamping: numbers[0])
        others = numbers[1] < 0 ? nil : max(0, Int(clamping: numbers[1]) - (counted ?? 0))
    }
}
