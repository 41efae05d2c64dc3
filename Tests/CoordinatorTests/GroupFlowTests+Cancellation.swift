import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeSettings
import TestSupport
import Testing
@testable import Coordinator
@testable import TintypeGroups

extension GroupFlowTests {
    /// The request is canceled before Redis is asked to start the group, or during that call.
    @Test(arguments: [("batch.start", false), ("batch.start", true), ("prefetch.start", true), ("chain.start", true)]) @Loop
    func `a canceled start leaves no running group`(method: String, isAsked: Bool) async throws {
        let harness = try await CoordinatorHarness()
        let (client, coordinator, queue) = (try harness.client(), harness.coordinator, harness.worker.queue)
        harness.redis.freeze()
        // This is the first request of its client.
        async let answer = client.call(method, #"{"\#(method == "chain.start" ? "steps" : "items")":\#(items(["a"]))}"#)
        try await harness.until { isAsked ? coordinator.part(Groups.self).starting == 1 : coordinator.part(GroupWatches.self).count == 1 }
        client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n")
        #expect(try await answer.error?.code == 1040)
        harness.redis.thaw()
        try await harness.until {
            guard coordinator.part(Groups.self).starting == 0, coordinator.part(GroupWatches.self).count == 0, coordinator.part(Groups.self).count == 0 else {
                return false
            }
            guard let dump = try? await queue.dump() else { return false }
            return dump.names("g:").allSatisfy { dump.hash("g:" + $0)["state"] == "cancelled" }
        }
        try await harness.until { try await queue.info()?.queued == 0 }
        #expect(try await violations(harness).isEmpty)
    }

    @Test func `receipts that a group shares with others go on without it`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (client, stranger, third) = (try await harness.client(), try await harness.client(), try await harness.client(of: other))
        let coordinator = harness.coordinator
        func item(_ name: String) -> String { #"{"url":"http://origin.test/\#(name)","receipt":"\#(name)","detached":true,"deadline":100}"# }
        // `theirs` existed before the group; another client also waits for `ours`, here or at another coordinator.
        try await third.call("image.submit", item("theirs"))
        let group = try await start(
            client, "batch.start", #"{"items":[\#(item("theirs")),\#(item("here")),\#(item("there")),\#(item("waited")),\#(item("alone"))]}"#)
        try await harness.until { ["theirs", "here", "there", "waited", "alone"].allSatisfy { coordinator.core.receipts.table[$0]?.isAdmitted == true } }
        async let here = stranger.call("image.load", item("here"))
        async let there = third.call("image.load", item("there"))
        async let waited = third.call("receipt.get", #"{"receipt":"waited","wait":100}"#)
        try await harness.until { try await harness.redis.command("HEXISTS", "tintype:{default}:r:waited", "followers") == "1" }
        try await harness.until { coordinator.core.receipts.table["here"]?.waiters.count == 2 && other.core.receipts.table["there"]?.isAdmitted == true }
        #expect(try await client.call("group.cancel", #"{"group":"\#(group)"}"#)["cancelled"]?.bool == true)
        try await harness.until { coordinator.part(Groups.self).count == 0 }
        let alone = try await client.call("receipt.get", #"{"receipt":"alone"}"#)
        #expect(alone.state == "cancelled", "\(alone)")
        for _ in 0..<4 { try await harness.worker.succeed(try await harness.worker.claim()) }
        #expect(try await here.state == "succeeded")
        #expect(try await waited.state == "succeeded")
        #expect(try await there.state == "succeeded")
        let theirs = try await third.call("receipt.get", #"{"receipt":"theirs","wait":20}"#)
        #expect(theirs.state == "succeeded", "\(theirs)")
        #expect(try await violations(harness).isEmpty)
    }

    @Test func `taking over an ended group cancels no receipts of others`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (coordinator, theirs) = (harness.coordinator, other)
        let client = try await harness.client()
        try await client.call("image.submit", #"{"url":"http://origin.test/mine","receipt":"mine","deadline":100}"#)
        let group = try await start(client, "batch.start", #"{"items":\#(items(["a"]))}"#)
        try await harness.until { coordinator.core.receipts.table["\(group).0"]?.isAdmitted == true }
        await coordinator.part(Groups.self).handOver()
        // This is the state after a death at the moment when it would have learned that the id belongs to another request.
        _ = try await coordinator.core.queues.redis.servers[0].command(["HSET", .string("tintype:{default}:gb:\(group)"), "0", "default mine"])
        _ = try await coordinator.core.queues.redis.servers[0].command(["ZADD", "tintype:{default}:gl", "0", .string(group)])
        #expect(try await theirs.part(Groups.self).cancel(group, for: Session(peer: "test", ownsReceipts: false, send: nil)) == .cancelled)
        await theirs.part(Groups.self).beat(onlyGivenUp: true)
        try await harness.until { theirs.part(Groups.self).count == 0 }
        let mine = try await client.call("receipt.get", #"{"receipt":"mine"}"#)
        #expect(mine.state == "queued", "\(mine)")
        #expect(try await violations(harness).isEmpty)
    }

    @Test func `a large group is sent in pages that fit, without responses of origins`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let text = String(repeating: "x", count: 16_000)
        let failure = TintypeError(
            .httpStatus, .download, "404", retryable: false,
            details: ["status": 404, "headers": ["server": "s"], "body": .string(String(repeating: "b", count: 9000))])
        // Six million bytes of userInfo, which come back with each result.
        let count = 400
        var list: [String] = []
        for index in 0..<count { list.append(#"{"url":"http://origin.test/\#(index)","userInfo":{"x":"\#(text)"}}"#) }
        var group = GroupRecord(id: "g-large", kind: .batch)
        group.concurrency = 1
        let coordinator = harness.coordinator
        try await coordinator.part(Groups.self).start(group, try list.map { try JSON(parsing: $0) }, for: Session(peer: "test", ownsReceipts: false, send: nil))
        for index in 0..<count {
            let fetch = try await harness.worker.claim()
            if index == 1 { try await harness.worker.fail(fetch, failure) } else { try await harness.worker.succeed(fetch) }
        }
        var answer = try await client.call("group.get", #"{"group":"g-large","wait":60}"#)
        var seen: [Int] = []
        var pages = 0
        while true {
            pages += 1
            let results = answer["results"]?.array ?? []
            seen += results.compactMap { $0["index"]?.int }
            if pages == 1 {
                let data = results[1]["error"]?["data"]
                #expect(data?["status"]?.int == 404 && data?["headers"] == nil && data?["body"] == nil)
            }
            #expect(answer.state == "succeeded" && answer["total"]?.int == count)
            guard let next = answer["next"]?.int, pages < 30 else { break }
            answer = try await client.call("group.get", #"{"group":"g-large","from":\#(next)}"#)
        }
        #expect(seen == Array(0..<count) && pages > 1, "\(seen)")
        let some = try await client.call("group.get", #"{"group":"g-large","from":5,"limit":2}"#)
        #expect(some["results"]?.array?.compactMap { $0["index"]?.int } == [5, 6] && some["next"]?.int == 7)
        let none = try await client.call("group.get", #"{"group":"g-large","from":\#(count)}"#)
        #expect(none["results"]?.array?.isEmpty == true && none["next"] == nil)
    }

    @Test func `a forged message on a group's channel hides no event`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let coordinator = harness.coordinator
        let group = try await start(client, "batch.start", #"{"items":\#(items(["a", "b", "c"]))}"#)
        let channel = "tintype:{default}:groups:\(group)"
        for text in [
            #"{"group":"\#(group)","type":"progress","seq":9007199254740991,"finished":9007199254740991,"total":3}"#,
            #"{"group":"\#(group)","type":"progress","seq":2,"finished":1000000,"total":3}"#, "nonsense",
        ] {
            _ = try await coordinator.core.queues.redis.servers[0].command(["PUBLISH", .string(channel), .string(text)])
        }
        for _ in 0..<3 { try await harness.worker.succeed(try await harness.worker.claim()) }
        #expect(await ended(client, group).map { $0["finished"]?.int } == [1, 2, 3, 3])
    }

    @Test func `a canceled group cancels its started items, here or elsewhere`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (client, stranger) = (try await harness.client(), try await harness.client(of: other))
        for canceller in [client, stranger] {
            let group = try await start(client, "batch.start", #"{"items":\#(items(["a", "b", "c"])),"concurrency":2}"#)
            let fetch = try await harness.worker.claim()
            let answer = try await canceller.call("group.cancel", #"{"group":"\#(group)"}"#)
            #expect(answer["cancelled"]?.bool == true, "\(answer)")
            let again = try await canceller.call("group.cancel", #"{"group":"\#(group)"}"#)
            #expect(again["cancelled"]?.bool == true && again["reason"] == nil)
            #expect(await ended(client, group).last?["type"]?.string == "cancelled")
            try await harness.until { try await harness.worker.queue.progress(fetch.lease, []) == .cancel }
            #expect(try await harness.worker.queue.finish(fetch.lease, .cancelled) == .done)
            let coordinator = harness.coordinator
            try await harness.until { coordinator.part(Groups.self).count == 0 }
            #expect(try await harness.worker.queue.info()?.queued == 0)
            #expect(try await violations(harness).isEmpty)
        }
        let unknown = try await client.call("group.cancel", #"{"group":"g-nobody"}"#)
        #expect(unknown["reason"]?.string == "unknown")
        #expect(try await client.call("group.get", #"{"group":"g-nobody","wait":1}"#).error?.name == "unknownGroup")
    }

    @Test @Loop func `the driver of a group is told when the group is canceled elsewhere`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (client, stranger, coordinator) = (try harness.client(), try harness.client(of: other), harness.coordinator)
        (coordinator.part(Groups.self).timer, other.part(Groups.self).timer) = (nil, nil)
        try await harness.until { try await harness.worker.queue.dump().scores("co")[coordinator.core.queues.registry.coordinator] != nil }
        let group = try await start(client, "batch.start", #"{"items":\#(items(["a", "b"]))}"#)
        let fetches = [try await harness.worker.claim(), try await harness.worker.claim()]
        #expect(try await stranger.call("group.cancel", #"{"group":"\#(group)"}"#)["cancelled"]?.bool == true)
        for fetch in fetches {
            try await harness.until { try await harness.worker.queue.progress(fetch.lease, []) == .cancel }
            #expect(try await harness.worker.queue.finish(fetch.lease, .cancelled) == .done)
        }
        try await harness.until { coordinator.part(Groups.self).count == 0 }
        #expect(try await violations(harness).isEmpty)
    }

    @Test func `clients of another coordinator get the events and the end of a group`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (client, listener) = (try await harness.client(), try await harness.client(of: other))
        let group = try await start(client, "batch.start", #"{"items":\#(items(["a", "b"]))}"#)
        let subscription = try await listener.call("events.subscribe", #"{"groups":["\#(group)"]}"#)
        let id = try #require(subscription["subscription"]?.string, "\(subscription)")
        async let answer = listener.call("group.get", #"{"group":"\#(group)","wait":60}"#)
        for _ in 0..<2 { try await harness.worker.succeed(try await harness.worker.claim()) }
        #expect(try await answer.state == "succeeded")
        let heard = await ended(listener, group)
        #expect(heard.map { $0["type"]?.string } == ["progress", "progress", "succeeded"] && heard.allSatisfy { $0["subscription"]?.string == id })
        #expect(try await listener.call("events.subscribe", #"{"groups":["g-nobody"]}"#).error?.name == "unknownGroup")
    }
}
