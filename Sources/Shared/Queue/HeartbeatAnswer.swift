import TintypeTransport

/// The answer of a queue to the heartbeat of a coordinator.
package struct HeartbeatAnswer: Sendable, Hashable {
    /// The number of the coordinator's receipts that run while the queue is paused; nil if the queue is not paused.
    package let runningWhilePaused: Int?
    /// The number of requests that the other live coordinators count as work; nil if the heartbeat did not ask for it.
    package let others: Int?
    /// The number of live coordinators, this one included; nil if the heartbeat did not ask for it.
    package let coordinators: Int?

    /// - Parameter counted: the number that this coordinator has reported. The sum in the answer includes it.
    init?(_ reply: RedisReply, counted: Int?) {
        guard let numbers = reply.array?.compactMap(\.int), numbers.count == 3 else { return nil }
        runningWhilePaused = numbers[0] < 0 ? nil : Int(clamping: numbers[0])
        others = numbers[1] < 0 ? nil : max(0, Int(clamping: numbers[1]) - (counted ?? 0))
        coordinators = numbers[2] < 1 ? nil : Int(clamping: numbers[2])
    }
}
