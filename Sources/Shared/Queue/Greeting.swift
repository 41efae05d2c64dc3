import TintypeTransport

/// What a coordinator learns when it greets a queue.
package struct Greeting: Sendable, Hashable {
    /// How many of its receipts run, where the queue is paused; nil where it is not.
    package let runningWhilePaused: Int?
    /// What all coordinators that live count as work, this one as it said; nil where that was not asked.
    package let fleet: Int?
    /// What this one said that it counts.
    package let counted: Int

    package init(runningWhilePaused: Int?, fleet: Int?, counted: Int) {
        (self.runningWhilePaused, self.fleet, self.counted) = (runningWhilePaused, fleet, counted)
    }

    init?(_ reply: RedisReply, counted: Int?) {
        guard let numbers = reply.array?.compactMap(\.int), numbers.count == 2 else { return nil }
        runningWhilePaused = numbers[0] < 0 ? nil : Int(clamping: numbers[0])
        fleet = numbers[1] < 0 ? nil : Int(clamping: numbers[1])
        self.counted = counted ?? 0
    }
}
