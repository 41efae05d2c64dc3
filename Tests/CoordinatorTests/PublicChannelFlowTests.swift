import TintypeCore
import TintypeTransport
import TintypeQueue
import TintypeSettings
import TestSupport
import Testing

@testable import Coordinator

/// Public events of both ways, through whole coordinators.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct PublicChannelFlowTests {
    enum Way: CaseIterable, Sendable {
        case alone, aloneSharded, cluster, clusterPlain

        var isCluster: Bool { self == .cluster || self == .clusterPlain }
        var setting: PublicChannels? {
            switch self {
            case .alone, .cluster: nil
            case .aloneSharded: .sharded
            case .clusterPlain: .plain
            }
        }
        var inForce: PublicChannels { self == .aloneSharded || self == .cluster ? .sharded : .plain }
    }

    private static let request = #"{"url":"http://origin.test/a","receipt":"r","deadline":600}"#

    @Loop private func harness(_ way: Way) async throws -> CoordinatorHarness {
        let h = try await CoordinatorHarness(isCluster: way.isCluster) { $0.publicChannels = way.setting }
        try await h.until { try await self.channels(h) == way.inForce }
        return h
    }

    /// The way that a queue has in Redis.
    @Loop private func channels(_ h: CoordinatorHarness, of queue: String = "default") async throws -> PublicChannels? {
        PublicChannels(rawValue: try await h.redis.command("HGET", QueueKeys(queue).prefix + "cfg", "publicChannels"))
    }

    @Test(arguments: Way.allCases) @Loop func `events of receipts, queues and groups reach all clients`(way: Way) async throws {
        let h = try await harness(way)
        let (client, listener) = (try h.client(), try h.client())
        try await listener.call("events.subscribe", #"{"receipts":["r"]}"#)
        try await listener.call("events.subscribe", #"{"queue":"default"}"#)
        let queue = try EventSourceClient(h.coordinator.httpAddress, "?queue=default")
        _ = await queue.events(1)
        try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"r","detached":true}"#)
        let stream = try EventSourceClient(h.coordinator.httpAddress, "?receipt=r")
        _ = await stream.events(1)
        try await h.worker.succeed(try await h.worker.claim())
        #expect(await stream.untilClosed().map(\.id) == ["1", "2", "3"])
        #expect(await queue.events(2).map(\.type) == ["state", "succeeded"])
        let told = await listener.notifications { $0.count { $0.type == "succeeded" } == 2 }
        #expect(told.map(\.type) == ["queued", "started", "succeeded", "succeeded"])

        let items = #"[{"url":"http://origin.test/b"}]"#
        let group = try #require(try await client.call("batch.start", #"{"items":\#(items)}"#).group)
        try await listener.call("events.subscribe", #"{"groups":["\#(group)"]}"#)
        try await h.worker.succeed(try await h.worker.claim())
        _ = await listener.notifications { $0.contains { $0["group"]?.string == group && $0.type == "succeeded" } }
        // A new queue has the setting from the start.
        try await client.call("queue.configure", #"{"queue":"new"}"#)
        #expect(try await channels(h, of: "new") == way.inForce)
    }

    /// Moves the receipt to the coordinator of `two`. The first coordinator then hears of it by its public channel alone.
    @Loop private func followed(_ h: CoordinatorHarness, _ two: RPCClient) async throws -> PendingReceipt {
        try await two.call("image.submit", Self.request)
        try await h.until { h.coordinator.core.receipts.table["r"]?.following?.isConfirmed == true && h.coordinator.core.process.scope.count == 0 }
        let receipt = try #require(h.coordinator.core.receipts.table["r"])
        // Without the channel nobody would ask about it.
        receipt.liveness.end()
        h.coordinator.core.receipts.table.plan(receipt)
        return receipt
    }

    @Test(arguments: Way.allCases)
    @Loop func `the end of a receipt at another coordinator is heard, not found by a later question`(way: Way) async throws {
        let h = try await harness(way)
        let other = try await h.another { $0.publicChannels = way.setting }
        let (one, two) = (try h.client(), try h.client(of: other))
        async let answer = one.call("image.load", Self.request)
        try await h.until { h.coordinator.core.receipts.table["r"]?.isAdmitted == true }
        let fetch = try await h.worker.claim()
        let receipt = try await followed(h, two)
        try await h.worker.succeed(fetch)
        #expect(try await answer.state == "succeeded")
        #expect(receipt.following == nil)
        // The last subscription takes its channel along.
        for kind in ["NUMSUB", "SHARDNUMSUB"] {
            try await h.until { try await h.redis.command("PUBSUB", kind, QueueKeys("default").publicEvents(receipt: "r")).hasSuffix("0") }
        }
    }

    @Test(arguments: [Way.alone, .cluster])
    @Loop func `a coordinator with another setting that connects makes nobody deaf`(way: Way) async throws {
        let h = try await harness(way)
        let (one, listener) = (try h.client(), try h.client())
        try await listener.call("events.subscribe", #"{"queue":"default"}"#)
        let change: PublicChannels = way.inForce == .plain ? .sharded : .plain
        async let answer = one.call("image.load", Self.request)
        try await h.until { h.coordinator.core.receipts.table["r"]?.isAdmitted == true }
        let stream = try EventSourceClient(h.coordinator.httpAddress, "?receipt=r")
        _ = await stream.events(1)
        let other = try await h.another { $0.publicChannels = change }
        try await h.until { try await self.channels(h) == change }
        let fetch = try await h.worker.claim()
        let two = try h.client(of: other)
        _ = try await followed(h, two)
        try await h.worker.succeed(fetch)
        #expect(try await answer.state == "succeeded")
        #expect(await stream.untilClosed().map(\.type) == ["state", "started", "succeeded"])
        _ = await listener.notifications { $0.contains { $0.type == "succeeded" } }
    }

    @Test(arguments: Way.allCases, [PublicChannels.plain, .sharded])
    @Loop func `memories of coordinators hear each other, whatever their settings are`(way: Way, setting: PublicChannels) async throws {
        let h = try await harness(way)
        let other = try await h.another { $0.publicChannels = setting }
        let (clients, coordinators) = ([try h.client(), try h.client(of: other)], [h.coordinator, other])
        for (remover, listener) in [(0, 1), (1, 0)] {
            async let made = clients[listener].call("image.load", #"{"url":"http://origin.test/a"}"#)
            try await h.worker.succeed(try await h.worker.claim())
            let key = try #require(try await made.renditions.first?["key"]?.string)
            _ = try await clients[listener].call("image.load", #"{"url":"http://origin.test/a"}"#)
            #expect(coordinators[listener].core.storage.memory.knows([key]))
            #expect(try await clients[remover].call("cache.remove", #"{"url":"http://origin.test/a"}"#).error == nil)
            try await h.until { !coordinators[listener].core.storage.memory.knows([key]) }
        }
    }
}
