import Foundation
import TintypeContracts
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
    @Test func `a group without a driver is taken over, its client gets the end, and no work is done twice`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (coordinator, theirs) = (harness.coordinator, other)
        let client = try await harness.client()
        let group = try await start(
            client, "chain.start", #"{"steps":[{"url":"http://origin.test/a"},{"url":"${steps[0].source.finalURL}b"},{"url":"http://origin.test/c"}]}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        let second = try await harness.worker.claim()
        // This is the state after ten seconds without a renewal of the lease.
        try await harness.until {
            _ = try await coordinator.core.queues.redis.servers[0].command(["ZADD", "tintype:{default}:gl", "1", .string(group)])
            await theirs.part(Groups.self).beat(onlyGivenUp: false)
            return theirs.part(Groups.self).count == 1
        }
        try await harness.until { theirs.core.receipts.table["\(group).1"]?.isAdmitted == true }
        try await harness.worker.succeed(second)
        // Each step is done once, whichever coordinator believes that it drives. The first one learns at its next call that it does not.
        let third = try await harness.worker.claim()
        #expect(path(third) == "c")
        try await harness.until { coordinator.part(Groups.self).count == 0 }
        try await harness.worker.succeed(third)
        let events = await ended(client, group)
        #expect(events.compactMap { $0["type"]?.string } == ["progress", "progress", "progress", "succeeded"])
        #expect(events.last?["origins"]?.text == #"{"remote":3}"#, "by both drivers together")
        #expect(try await client.call("group.get", #"{"group":"\#(group)"}"#).state == "succeeded")
        try await harness.until { theirs.part(Groups.self).count == 0 }
        #expect(try await violations(harness).isEmpty)
    }

    @Test func `the items of an ended group are canceled by the coordinator that takes it over`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (coordinator, theirs) = (harness.coordinator, other)
        let client = try await harness.client()
        let group = try await start(client, "batch.start", #"{"items":\#(items(["a"]))}"#)
        let fetch = try await harness.worker.claim()
        // Its driver is gone before the group is canceled.
        await coordinator.part(Groups.self).handOver()
        try await harness.until {
            let lease = try await coordinator.core.queues.redis.servers[0].command(["ZSCORE", "tintype:{default}:gl", .string(group)]).int ?? .max
            return Double(lease) < WallClock.now * 1000
        }
        #expect(try await theirs.part(Groups.self).cancel(group, for: Session(peer: "test", ownsReceipts: false, send: nil)) == .cancelled)
        await theirs.part(Groups.self).beat(onlyGivenUp: true)
        try await harness.until { try await harness.worker.queue.progress(fetch.lease, []) == .cancel }
        #expect(try await harness.worker.queue.finish(fetch.lease, .cancelled) == .done)
        try await harness.until { theirs.part(Groups.self).count == 0 }
        #expect(try await violations(harness).isEmpty)
    }

    @Test func `a full queue delays a group and does not fail it`() async throws {
        let harness = try await CoordinatorHarness { $0.maxQueued = 1 }
        let client = try await harness.client()
        let coordinator = harness.coordinator
        try await harness.until {
            try await coordinator.core.queues.redis.servers[0].command(["HGET", "tintype:{default}:cfg", "defaultMaxQueued"]).string == "1"
        }
        let group = try await start(client, "batch.start", #"{"items":\#(items(["a", "b", "c"]))}"#)
        for _ in 0..<3 { try await harness.worker.succeed(try await harness.worker.claim()) }
        #expect(await ended(client, group).last?["type"]?.string == "succeeded")
    }

    @Loop private static func stopBeats(_ coordinator: Coordinator) { coordinator.part(Groups.self).timer = nil }

    @Test func `a coordinator drives at most its limit of groups, its own and adopted ones`() async throws {
        let harness = try await CoordinatorHarness(features: Feature.all { $0.groups.most = 1 })
        let (client, coordinator) = (try await harness.client(), harness.coordinator)
        // Two heartbeats at the same time would both find room.
        await Self.stopBeats(coordinator)
        let first = try await start(client, "batch.start", #"{"items":\#(items(["a"]))}"#)
        let fetch = try await harness.worker.claim()
        for (method, name) in [("batch.start", "items"), ("prefetch.start", "items"), ("chain.start", "steps")] {
            let refused = try await client.call(method, #"{"\#(name)":\#(items(["b"]))}"#)
            #expect(refused.error?.name == "overloaded" && refused.error?.data["retryAfter"]?.double == 1, "\(refused)")
        }
        let other = try await harness.another()
        await Self.stopBeats(other)
        let theirs = try await harness.client(of: other)
        for name in ["c", "d"] { _ = try await start(theirs, "batch.start", #"{"items":\#(items([name]))}"#) }
        let fetches = [try await harness.worker.claim(), try await harness.worker.claim()]
        await other.part(Groups.self).handOver()
        try await harness.until { try await coordinator.core.queues.redis.servers[0].command(["ZCOUNT", "tintype:{default}:gl", "-inf", "0"]).int == 2 }
        await coordinator.part(Groups.self).beat(onlyGivenUp: true)
        #expect(await coordinator.part(Groups.self).count == 1)
        try await harness.worker.succeed(fetch)
        #expect(await ended(client, first).last?["type"]?.string == "succeeded")
        try await harness.until {
            await coordinator.part(Groups.self).beat(onlyGivenUp: true)
            return try await coordinator.core.queues.redis.servers[0].command(["ZCOUNT", "tintype:{default}:gl", "-inf", "0"]).int == 1
        }
        #expect(await coordinator.part(Groups.self).count == 1)
        for fetch in fetches { try await harness.worker.succeed(fetch) }
        try await harness.until {
            await coordinator.part(Groups.self).beat(onlyGivenUp: true)
            return try await coordinator.core.queues.redis.servers[0].command(["EXISTS", "tintype:{default}:gl"]).int == 0
        }
        #expect(try await violations(harness).isEmpty)
    }

    @Test func `the receipt of an item is kept an hour, and a day if its client chose the id`() async throws {
        let harness = try await CoordinatorHarness()
        let (client, coordinator) = (try await harness.client(), harness.coordinator)
        let group = try await start(client, "batch.start", #"{"items":[{"url":"http://origin.test/a"},{"url":"http://origin.test/a","receipt":"r1"}]}"#)
        try await harness.until { coordinator.core.receipts.table.all.count { $0.isAdmitted } == 2 }
        try await harness.worker.succeed(try await harness.worker.claim())
        _ = await ended(client, group)
        let kept = try await coordinator.core.queues.redis.servers[0].command(["PTTL", .string("tintype:{default}:r:\(group).0")]).int ?? 0
        #expect(kept > 3_000_000 && kept <= 3_600_000)
        #expect(try await coordinator.core.queues.redis.servers[0].command(["PTTL", "tintype:{default}:r:r1"]).int ?? 0 > 86_000_000)
    }

    @Test func `a group does not run when its start was abandoned`() async throws {
        let harness = try await CoordinatorHarness()
        let (client, coordinator) = (try await harness.client(), harness.coordinator)
        // Redis gets the script, and usually runs it when the coordinator no longer waits for the answer.
        harness.redis.freeze()
        #expect(try await client.call("batch.start", #"{"items":\#(items(["a"]))}"#).error?.name == "unavailable")
        harness.redis.thaw()
        // In either case, no coordinator searches for the group or drives it any more.
        try await harness.until { coordinator.part(Groups.self).orphans.isEmpty }
        let known = try await harness.worker.queue.dump()
        for id in known.names("g:") { #expect(known.hash("g:" + id)["state"] == "cancelled") }
        #expect(await coordinator.part(Groups.self).count == 0)
        #expect(try await violations(harness).isEmpty)
    }

    // MARK: A driver that does not know yet that it lost its group

    @Loop func late(_ coordinator: Coordinator, _ queue: Queue, _ more: String = "") async throws -> GroupDriver {
        let token = try await queue.start(
            group: GroupRecord(id: "g-late", kind: .batch), coordinator: coordinator.core.queues.registry.coordinator,
            requests: [#"{"url":"http://origin.test/a","detached":true\#(more)}"#])
        let tools = GroupDriver.Tools(
            registry: coordinator.core.queues.registry, admission: coordinator.core.admission, receipts: coordinator.core.receipts.table,
            cancellation: coordinator.core.receipts.cancellation,
            scope: coordinator.core.process.scope, logger: coordinator.core.process.logger)
        return GroupDriver(GroupLease(group: "g-late", token: try #require(token)), tools: tools)
    }

    /// Another coordinator takes the group over, and the group ends there with all its records.
    @Loop private func relieve(_ driver: GroupDriver, _ harness: CoordinatorHarness) async throws {
        let queue = harness.worker.queue
        _ = try await harness.worker.redis.command(["ZADD", "tintype:{default}:gl", "1", "g-late"])
        let taken = try #require(try await queue.drive([], coordinator: "c-other", adopting: 1).taken.first)
        #expect(try await queue.cancel(group: "g-late", reason: "requested") == .cancelled)
        #expect(try await queue.cancel(receipt: "g-late.0", reason: "group cancelled", owner: "c-other", group: "g-late") == .unknown)
        #expect(try await queue.settle(taken, index: 0, outcome: .null, failure: nil) == .noted(.cancelled, total: 1))
        driver.leasedUntil = .now
    }

    @Test @Loop func `a driver that lost its group while an item waited does not submit the item`() async throws {
        let harness = try await CoordinatorHarness { $0.maxQueued = 1 }
        let (client, coordinator, queue) = (try harness.client(), harness.coordinator, harness.worker.queue)
        try await harness.until {
            try await coordinator.core.queues.redis.servers[0].command(["HGET", "tintype:{default}:cfg", "defaultMaxQueued"]).string == "1"
        }
        try await client.call("image.submit", #"{"url":"http://origin.test/filler"}"#)
        let driver = try await late(coordinator, queue)
        var isOver = false
        driver.onEnd = { _ in isOver = true }
        driver.start()
        try await harness.until { coordinator.core.process.metrics.value(.submits, labels: "default", "overloaded") >= 1 }
        try await relieve(driver, harness)
        try await harness.worker.succeed(try await harness.worker.claim())
        try await harness.until {
            let isSubmitted = try await queue.dump().entries["r:g-late.0"] != nil
            return isOver || isSubmitted
        }
        #expect(isOver)
        #expect(try await queue.dump().entries["r:g-late.0"] == nil)
    }

    /// In one case the driver is told meanwhile, in the other not.
    @Test(arguments: [true, false]) @Loop
    func `an item is canceled when its driver lost the group during the submit`(isTold: Bool) async throws {
        let harness = try await CoordinatorHarness()
        let (client, queue) = (try harness.client(), harness.worker.queue)
        async let made = client.call("image.load", #"{"url":"http://origin.test/a"}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await made.error == nil)
        // The index has the results, but a check of their bytes fails.
        try harness.loseImages()
        let goOn = harness.holdImages()
        let coordinator = try await harness.another()
        let driver = try await late(coordinator, queue, #","deadline":5"#)
        driver.start()
        try await harness.until { coordinator.core.receipts.table["g-late.0"] != nil }
        try await relieve(driver, harness)
        if isTold { driver.lose() }
        goOn()
        var end: [String: String] = [:]
        try await harness.until {
            end = try await queue.dump().hash("r:g-late.0")
            return end["state"] != nil
        }
        #expect(end["state"] == "cancelled", "\(end)")
        #expect(try await violations(harness).isEmpty)
    }

    @Test func `a mistake in an item is reported at once, and its secrets are gone after its end`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let wrong = try await client.call("batch.start", #"{"items":[{"url":"http://a/"},{"url":"http://a/","priorty":1}]}"#)
        #expect(wrong.error?.code == -32602)
        #expect(wrong.error?.data["path"]?.string == "items[1].priorty", "\(wrong)")
        let many = "[" + Array(repeating: "{}", count: 10_001).joined(separator: ",") + "]"
        #expect(try await client.call("batch.start", #"{"items":\#(many)}"#).error?.code == -32602)
        #expect(try await client.call("prefetch.start", "{}").error?.code == -32602)
        let group = try await start(
            client, "batch.start",
            #"{"mode":"settleAll","concurrency":1,"items":\#(items(["a", "b"], #","fetch":{"headers":{"Authorization":"geheim"}}"#))}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        let second = try await harness.worker.claim()
        let requests = try await harness.worker.queue.dump().hash("gq:" + group)
        #expect(Array(requests.keys) == ["1"] && requests["1"]?.contains("geheim") == true)
        try await harness.worker.succeed(second)
        _ = await ended(client, group)
        let dump = try await harness.worker.queue.dump()
        for (key, entry) in dump.entries where key.hasPrefix("g") { #expect(!"\(entry.content)".contains("geheim"), "\(key)") }
    }

    @Test func `inline bytes are in the answer, and a group goes on when its client disconnects`() async throws {
        let harness = try await CoordinatorHarness()
        let (client, coordinator) = (try await harness.client(), harness.coordinator)
        let group = try await start(client, "batch.start", #"{"items":\#(items(["a"], #","deliver":"inline""#))}"#)
        let fetch = try await harness.worker.claim()
        client.close()
        try await harness.until { coordinator.part(GroupWatches.self).count == 0 }
        try await harness.worker.succeed(fetch, bytes: Array("foo".utf8))
        let answer = try await harness.client().call("group.get", #"{"group":"\#(group)","wait":60}"#)
        let result = answer["results"]?.array?.first?["result"]
        #expect(result?["renditions"]?.array?.first?["data"]?.string == "Zm9v", "\(answer)")
    }

    @Test(arguments: [true, false])
    func `an outage of Redis delays a group, and a lost group ends for its clients`(keepsData: Bool) async throws {
        let harness = try await CoordinatorHarness(appendOnly: keepsData)
        let client = try await harness.client()
        let group = try await start(client, "batch.start", #"{"mode":"settleAll","items":\#(items(["a", "b"])),"concurrency":1}"#)
        async let answer = client.call("group.get", #"{"group":"\#(group)","wait":100}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        let second = try await harness.worker.claim()
        await harness.redis.kill9()
        try await harness.redis.restart()
        if keepsData {
            while (try? await harness.worker.succeed(second)) == nil { try await Loop.sleep(.milliseconds(20)) }
            #expect(await ended(client, group).last?["type"]?.string == "succeeded")
            #expect(states(try await answer) == ["succeeded", "succeeded"])
        } else {
            let last = try #require(await ended(client, group).last)
            #expect(last["type"]?.string == "failed" && last["error"]?["code"]?.int == 1061)
            #expect(try await answer.error?.name == "unknownGroup")
            let coordinator = harness.coordinator
            try await harness.until { coordinator.part(Groups.self).count == 0 && coordinator.part(GroupWatches.self).count == 0 }
        }
    }
}
