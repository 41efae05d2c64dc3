import TintypeCore
import TintypeTransport
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// The channel of a real Redis, with messages that never arrived.
@Suite(.timeLimit(.minutes(1)), .scoped) struct EventChannelTests {
    /// Counts the calls of a channel.
    @Loop private final class Listener: QueueListener {
        var events: [Int] = []
        var gaps = 0

        func heard(_ event: QueueEvent, on handle: QueueHandle) { events.append(event.number) }
        func mayHaveMissed(on handle: QueueHandle) { gaps += 1 }
        func counted(of queue: String) -> Int? { nil }
        func greeted(_ greeting: HeartbeatAnswer, on handle: QueueHandle) {}
    }

    @Test @Loop func `a channel asks for the state when a number is missing, and not when none is`() async throws {
        let h = try await CoordinatorHarness()
        let listener = Listener()
        let queue = try #require(h.coordinator.core.queues.registry["default"]?.queue)
        let channel = EventChannel(
            queue: queue, listener: listener, coordinator: "listener", channels: h.coordinator.core.queues.channels, scope: h.coordinator.core.process.scope,
            metrics: h.coordinator.core.process.metrics,
            logger: h.coordinator.core.process.logger)
        let handle = QueueHandle(queue: queue, channel: channel)
        channel.start()
        await channel.untilConfirmed(within: .seconds(20))
        let name = queue.keys.events(coordinator: "listener")
        func publish(_ number: Int) async throws {
            let heard = listener.events.count
            _ = try await h.redis.command("SPUBLISH", name, "\(number)\nfetch\nstarted\n1.000\n\nreceipt:1")
            try await h.until { listener.events.count > heard }
        }
        // The numbers of real pings are far below these, so each of them looks like a counter that was lost.
        try await publish(1_000_000)
        let first = listener.gaps
        try await publish(1_000_001)
        let second = listener.gaps
        try await publish(1_000_005)
        #expect(listener.gaps > second, "\(listener.events) \(listener.gaps)")
        #expect(first >= 1 && second >= first)
        channel.stop()
        #expect(handle.name == "default")
    }
}
