import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// The subscriptions of `events.subscribe`, and their end.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct SubscriptionTests {
    @Test func `simultaneous requests respect the limit of subscriptions`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try RawClient(port: await harness.port)
        var text = ""
        for id in 0..<110 { text += #"{"jsonrpc":"2.0","id":\#(id),"method":"events.subscribe","params":{"queue":"default"}}"# + "\n" }
        client.send(Array(text.utf8))
        let lines = await client.lines(110)
        #expect(lines.count { $0.contains(#""result""#) } == 100)
        #expect(lines.count { $0.contains("limitExceeded") } == 10)
    }

    @Test func `a receipt that is named twice is notified once`() async throws {
        let harness = try await CoordinatorHarness()
        let (client, listener) = (try await harness.client(), try await harness.client())
        try await listener.call("events.subscribe", #"{"receipts":["r","r"]}"#)
        try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"r"}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        _ = await listener.notifications { $0.contains { $0.type == "succeeded" } }
        // Both notifications would be sent in one turn.
        try await listener.call("system.ping")
        #expect(listener.notifications.count { $0.type == "succeeded" } == 1)
    }

    @Test @Loop func `a subscription that is canceled while it waits for Redis leaves nothing`() async throws {
        let h = try await CoordinatorHarness()
        let session = Session(peer: "test", ownsReceipts: false) { _, _ in }
        let (core, logger) = (h.coordinator.core, Logger(label: "test", level: .error))
        let subscriptions = Subscriptions(
            registry: core.queues.registry, channels: core.queues.channels, events: core.events, scope: core.process.scope, logger: logger)
        let subjects: [(name: String, value: JSON)] = [("groups", ["g"]), ("activity", true)]
        let task = Task { @Loop in
            _ = try? await subscriptions.add(receipts: ["r"], queue: nil, watchesWorkers: true, subjects: subjects, for: session)
        }
        task.cancel()
        await task.value
        #expect(session.subscriptionCount == 0)
        for kind in ["NUMSUB", "SHARDNUMSUB"] {
            try await h.until { try await h.redis.command("PUBSUB", kind, QueueKeys("default").publicEvents(receipt: "r")).hasSuffix("0") }
        }
    }
}
