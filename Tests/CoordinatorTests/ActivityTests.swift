import Foundation
import TestSupport
import Testing

@testable import Coordinator
@testable import TintypeActivity
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeContracts

/// `activity.get` and `activity.changed` as a client sees them.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct ActivityTests {
    @Test func `each change of the shown activity is sent once, and cache answers are no activity`() async throws {
        let harness = try await CoordinatorHarness(features: Feature.all { ($0.activity.startDelay, $0.activity.endDelay) = (.zero, .zero) })
        let (client, watcher, other) = (try await harness.client(), try await harness.client(), try await harness.client())
        let id = try await watcher.call("events.subscribe", #"{"activity":true}"#)["subscription"]?.string
        let ended = try await other.call("events.subscribe", #"{"activity":true}"#)["subscription"]?.string
        #expect(try await watcher.call("activity.get")["active"]?.bool == false)

        async let first = client.call("image.load", #"{"url":"http://origin.test/a"}"#)
        async let second = client.call("image.load", #"{"url":"http://origin.test/b"}"#)
        let shown = await watcher.notifications { $0.contains { $0.method == "activity.changed" } }
        #expect(shown.last?.params?["active"]?.bool == true && shown.last?.params?["subscription"]?.string == id)
        try await harness.until { harness.coordinator.core.receipts.table.count == 2 && harness.coordinator.core.receipts.table.all.allSatisfy(\.isAdmitted) }
        #expect(try await client.call("activity.get").body == ["active": true, "running": 2, "fleet": 2])
        try await other.call("events.unsubscribe", #"{"subscription":"\#(ended ?? "")"}"#)

        try await harness.worker.succeed(try await harness.worker.claim())
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await first.error == nil)
        #expect(try await second.error == nil)
        let all = await watcher.notifications { $0.count { $0.method == "activity.changed" } >= 2 }
        #expect(all.map { $0.params?["active"]?.bool } == [true, false] && all.last?.params?["running"]?.int == 0)

        // Answers from the memory tier and from the index do not count as activity.
        #expect(try await client.call("image.load", #"{"url":"http://origin.test/a"}"#).from == "memory")
        let indexed = try await client.call("image.load", #"{"url":"http://origin.test/a","receipt":"named"}"#)
        #expect(indexed.from == "results")
        #expect(try await watcher.call("activity.get").body == ["active": false, "running": 0, "fleet": 0])
        #expect(watcher.notifications.count == 2)
        #expect(other.notifications.count == 1)
    }

    @Test func `a disconnected client counts until its receipt is canceled, and watching needs no Redis`() async throws {
        let harness = try await CoordinatorHarness(features: Feature.all { $0.activity.startDelay = .zero })
        let (client, watcher) = (try await harness.client(), try await harness.client())
        try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"r1","detached":true}"#)
        let load = Task { try await client.call("image.load", #"{"url":"http://origin.test/b"}"#) }
        try await harness.until { harness.coordinator.part(ActivityMonitor.self).state.running == 2 }
        client.close()
        try await harness.until { harness.coordinator.part(ActivityMonitor.self).state.running == 0 }
        _ = await load.result
        await harness.redis.kill9()
        #expect(try await watcher.call("events.subscribe", #"{"activity":true}"#).error == nil)
        #expect(try await watcher.call("activity.get")["running"]?.int == 0)
    }

    @Test func `a client's own work counts until the work or its connection ends`() async throws {
        let harness = try await CoordinatorHarness(features: Feature.all { $0.activity.startDelay = .zero })
        let (client, watcher) = (try await harness.client(), try await harness.client())
        let first = try #require(try await client.call("activity.begin")["activity"]?.string)
        let second = try #require(try await client.call("activity.begin")["activity"]?.string)
        #expect(first != second)
        #expect(try await watcher.call("activity.get").body == ["active": true, "running": 2, "fleet": 2])
        // A connection cannot end another connection's activity, and no activity ends twice.
        #expect(try await watcher.call("activity.end", #"{"activity":"\#(first)"}"#)["ended"]?.bool == false)
        #expect(try await client.call("activity.end", #"{"activity":"\#(first)"}"#)["ended"]?.bool == true)
        #expect(try await client.call("activity.end", #"{"activity":"\#(first)"}"#)["ended"]?.bool == false)
        #expect(try await watcher.call("activity.get")["running"]?.int == 1)
        client.close()
        try await harness.until { harness.coordinator.part(ActivityMonitor.self).state.running == 0 }
    }

    @Test func `a connection begins at most a hundred activities, and none over HTTP`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        for _ in 0..<100 { #expect(try await client.call("activity.begin").error == nil) }
        #expect(try await client.call("activity.begin").error?.name == "limitExceeded")
        #expect(try await client.call("activity.end", #"{"activity":"a7"}"#)["ended"]?.bool == true)
        #expect(try await client.call("activity.begin").error == nil)
        let answer = try await HTTP.get(
            await harness.base + "/rpc",
            ["-H", "Content-Type: application/json", "-d", #"{"jsonrpc":"2.0","id":1,"method":"activity.begin"}"#])
        #expect(try JSON(parsing: answer.body)["error"]?["data"]?["name"]?.string == "invalidRequest", "\(answer)")
        #expect(await harness.coordinator.part(ActivityMonitor.self).state.running == 100)
    }

    @Test func `requests that opt out, and requests in a paused queue, are no activity`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"a","activity":false}"#)
        try await client.call("image.submit", #"{"url":"http://origin.test/b","receipt":"b","priority":"high"}"#)
        try await client.call("image.submit", #"{"url":"http://origin.test/c","receipt":"c"}"#)
        try await harness.until { harness.coordinator.core.receipts.table.count == 3 && harness.coordinator.core.receipts.table.all.allSatisfy(\.isAdmitted) }
        #expect(try await client.call("activity.get")["running"]?.int == 2)
        let claimed = try await harness.worker.claim()
        try await client.call("queue.pause", #"{"queue":"default"}"#)
        // One of the fetches runs and goes on.
        try await harness.until { harness.coordinator.part(ActivityMonitor.self).state.running == 1 }
        try await client.call("queue.resume", #"{"queue":"default"}"#)
        try await harness.until { harness.coordinator.part(ActivityMonitor.self).state.running == 2 }
        try await harness.worker.succeed(claimed)
        try await harness.until { harness.coordinator.part(ActivityMonitor.self).state.running == 1 }
    }

    @Test func `each coordinator reports the activity of all coordinators`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (client, watcher) = (try await harness.client(), try await harness.client(of: other))
        try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"a"}"#)
        _ = try await watcher.call("activity.begin")
        try await harness.until {
            let (here, there) = (try await client.call("activity.get"), try await watcher.call("activity.get"))
            return here["fleet"]?.int == 2 && there["fleet"]?.int == 2 && here["running"]?.int == 1 && there["running"]?.int == 1
        }
        // A coordinator that has stopped no longer counts.
        await other.stop()
        try await harness.until { try await client.call("activity.get")["fleet"]?.int == 1 }
    }
}
