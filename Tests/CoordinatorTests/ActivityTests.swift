import Foundation
import TestSupport
import Testing

@testable import Coordinator
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeSettings

/// `activity.get` and `activity.changed`, as a client sees them.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct ActivityTests {
    @Test func `each change of what is shown is told once, and what a cache answers is no work`() async throws {
        let harness = try await CoordinatorHarness {
            $0.activityStartDelay = .zero
            $0.activityEndDelay = .zero
        }
        let (client, watcher, other) = (try await harness.client(), try await harness.client(), try await harness.client())
        let id = try await watcher.call("events.subscribe", #"{"activity":true}"#)["subscription"]?.string
        let ended = try await other.call("events.subscribe", #"{"activity":true}"#)["subscription"]?.string
        #expect(try await watcher.call("activity.get")["active"]?.bool == false)

        async let first = client.call("image.load", #"{"url":"http://origin.test/a"}"#)
        async let second = client.call("image.load", #"{"url":"http://origin.test/b"}"#)
        let shown = await watcher.notifications { $0.contains { $0.method == "activity.changed" } }
        #expect(shown.last?.params?["active"]?.bool == true && shown.last?.params?["subscription"]?.string == id)
        try await harness.until { harness.services.receipts.count == 2 && harness.services.receipts.all.allSatisfy(\.isAdmitted) }
        #expect(try await client.call("activity.get").body == ["active": true, "running": 2])
        try await other.call("events.unsubscribe", #"{"subscription":"\#(ended ?? "")"}"#)

        try await harness.worker.succeed(try await harness.worker.claim())
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await first.error == nil)
        #expect(try await second.error == nil)
        let all = await watcher.notifications { $0.count { $0.method == "activity.changed" } >= 2 }
        #expect(all.map { $0.params?["active"]?.bool } == [true, false] && all.last?.params?["running"]?.int == 0)

        // Out of the memory tier, and out of the index: neither is work.
        #expect(try await client.call("image.load", #"{"url":"http://origin.test/a"}"#).from == "memory")
        let indexed = try await client.call("image.load", #"{"url":"http://origin.test/a","receipt":"named"}"#)
        #expect(indexed.from == "results")
        #expect(try await watcher.call("activity.get").body == ["active": false, "running": 0])
        #expect(watcher.notifications.count == 2)
        #expect(other.notifications.count == 1)
    }

    @Test func `a client that has left counts until its receipt is withdrawn, and watching needs no Redis`() async throws {
        let harness = try await CoordinatorHarness { $0.activityStartDelay = .zero }
        let (client, watcher) = (try await harness.client(), try await harness.client())
        try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"r1","detached":true}"#)
        let load = Task { try await client.call("image.load", #"{"url":"http://origin.test/b"}"#) }
        try await harness.until { harness.services.activity.state.running == 2 }
        client.close()
        try await harness.until { harness.services.activity.state.running == 0 }
        _ = await load.result
        await harness.redis.kill9()
        #expect(try await watcher.call("events.subscribe", #"{"activity":true}"#).error == nil)
        #expect(try await watcher.call("activity.get")["running"]?.int == 0)
    }
}
