import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

/// The way of public events: plain or sharded, as each queue has it.
@Suite(.tags(.untiered), .timeLimit(.minutes(1)), .scoped) struct PublicChannelTests {
    /// A listener to some channels by one of both ways. It counts the messages of each.
    @Loop private final class Ear {
        private(set) var heard: [String: Int] = [:]
        private let subscriber: RedisSubscriber
        private let fence: String
        private let redis: RedisClient
        private var passed: OneShot<Void>?

        init(_ h: QueueHarness, _ kind: RedisChannelKind, _ channels: [String]) async throws {
            (redis, fence) = (h.redis, h.queue.keys.prefix + "fence")
            subscriber = RedisSubscriber(try RedisEndpoint(h.server.url), name: "ear", logger: Logger(label: "test", level: .error))
            let ready = LoopCounter()
            for channel in channels + [fence] {
                subscriber.subscribe(channel, kind, confirmed: { ready.note() }) { [weak self] channel, _ in
                    guard let self else { return }
                    if channel == fence { passed?.complete(.success(())) } else { heard[channel, default: 0] += 1 }
                }
            }
            subscriber.start()
            TestScope.atEnd { [subscriber] in await subscriber.stop() }
            try await ready.reaches(channels.count + 1)
        }

        /// Waits for all messages until now, and returns their number by channel since the last call.
        func messages(_ command: RedisArgument) async throws -> [String: Int] {
            let gate = OneShot<Void>()
            passed = gate
            _ = try await redis.command([command, .string(fence), "x"])
            try await gate.wait()
            defer { heard = [:] }
            return heard
        }
    }

    @Test(arguments: PublicChannels.allCases, [false, true])
    @Loop func `public events come in the way of their queue, and in no other`(way: PublicChannels, isCluster: Bool) async throws {
        let h = try await QueueHarness(isCluster: isCluster)
        let keys = h.queue.keys
        let channels = [keys.publicEvents(receipt: "r1"), keys.publicEvents, QueueKeys.publicEvents(group: "g-1")]
        let (plain, sharded) = (try await Ear(h, .plain, channels), try await Ear(h, .sharded, channels))
        // Without the field, the way is plain.
        if way == .sharded { try await h.queue.setDefaults(maxQueued: 100, hostLimits: HostLimits(), publicChannels: way) }
        _ = try await h.submit("r1")
        try await h.succeed(try await h.claim())
        let requests = [#"{"url":"http://a/0"}"#]
        let token = try #require(try await h.queue.start(group: GroupRecord(id: "g-1", kind: .batch), coordinator: "c1", requests: requests))
        let lease = GroupLease(group: "g-1", token: token)
        #expect(try await h.queue.begin(lease, index: 0, GroupRecord.Begun(queue: "default", receipt: "g-1.0")) == .ok)
        _ = try await h.queue.settle(lease, index: 0, outcome: ["state": "succeeded"], failure: nil)
        let (one, other) = (try await plain.messages("PUBLISH"), try await sharded.messages("SPUBLISH"))
        let all = [channels[0]: 3, channels[1]: 1, channels[2]: 2]
        #expect(one == (way == .plain ? all : [:]) && other == (way == .plain ? [:] : all), "\(one), \(other)")
        // The last call counts.
        try await h.queue.setDefaults(maxQueued: 100, hostLimits: HostLimits(), publicChannels: way == .plain ? .sharded : .plain)
        _ = try await h.submit("r2", source: "b")
        try await h.succeed(try await h.claim())
        let (late, last) = (try await plain.messages("PUBLISH"), try await sharded.messages("SPUBLISH"))
        #expect((way == .plain ? late : last) == [:] && (way == .plain ? last : late) == [channels[1]: 1], "\(late), \(last)")
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }

    @Test func `a cluster has sharded channels where nothing is set`() {
        #expect(PublicChannels.usual(isCluster: true) == .sharded && PublicChannels.usual(isCluster: false) == .plain)
    }
}
