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

/// Groups as clients see them, on real Redis and with a worker that does what the test tells it to.
@Suite(.tags(.cluster, .realTimes), .timeLimit(.minutes(2)), .serialized, .scoped) struct GroupFlowTests {
    func events(_ client: RPCClient, _ group: String) -> [JSON] {
        client.notifications.filter { $0.method == "group.event" }.compactMap(\.params).filter { $0["group"]?.string == group }
    }

    func ended(_ client: RPCClient, _ group: String) async -> [JSON] {
        _ = await client.notifications { messages in
            messages.contains { message in
                message.method == "group.event" && message.group == group && message.type != "progress"
            }
        }
        return events(client, group)
    }

    func start(_ client: RPCClient, _ method: String, _ params: String) async throws -> String {
        let answer = try await client.call(method, params)
        return try #require(answer.group, "\(answer)")
    }

    func items(_ names: [String], _ more: String = "") -> String {
        "[" + names.map { #"{"url":"http://origin.test/\#($0)"\#(more)}"# }.joined(separator: ",") + "]"
    }

    /// Returns the path of the source of a claimed fetch.
    func path(_ fetch: ClaimedFetch) -> String {
        ((try? JSON(parsing: fetch.fetch)).flatMap { try? Source(canonical: $0) }?.url ?? "").split(separator: "/").last.map(String.init) ?? ""
    }

    func states(_ answer: RPCClient.Message) -> [String] {
        (answer["results"]?.array ?? []).compactMap { $0["state"]?.string }
    }

    @Loop func violations(_ harness: CoordinatorHarness) async throws -> [String] {
        QueueInvariants.violations(in: try await harness.worker.queue.dump())
    }

    let gone = TintypeError(.httpStatus, .download, "404", retryable: false)

    @Test func `a settleAll batch has its results in the order of its items`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let group = try await start(client, "batch.start", #"{"mode":"settleAll","items":\#(items(["a", "b", "c"]))}"#)
        var fetches = [try await harness.worker.claim(), try await harness.worker.claim(), try await harness.worker.claim()]
        fetches.sort { path($0) > path($1) }
        for fetch in fetches {
            if path(fetch) == "b" { try await harness.worker.fail(fetch, gone) } else { try await harness.worker.succeed(fetch) }
        }
        let events = await ended(client, group)
        #expect(events.map { $0["type"]?.string } == ["progress", "progress", "progress", "succeeded"])
        #expect(events.map { $0["finished"]?.int } == [1, 2, 3, 3] && events.last?["total"]?.int == 3)
        #expect(events.last?["results"]?.array?.count == 3)
        let answer = try await client.call("group.get", #"{"group":"\#(group)"}"#)
        #expect(answer["origins"]?.text == #"{"remote":2}"# && events.map { $0["origins"]?.text } == [nil, nil, nil, #"{"remote":2}"#])
        #expect(answer.state == "succeeded" && answer["kind"]?.string == "batch")
        #expect(states(answer) == ["succeeded", "failed", "succeeded"])
        let results = try #require(answer["results"]?.array)
        #expect(results[1]["error"]?["code"]?.int == 1010 && results[0]["result"]?.object != nil)
        // Each item is an ordinary receipt.
        let receipt = try #require(results[2]["receipt"]?.string)
        let one = try await client.call("receipt.get", #"{"receipt":"\#(receipt)"}"#)
        #expect(one.state == "succeeded" && one["result"]?["group"]?.string == group)
        #expect(try await violations(harness).isEmpty)
    }

    @Test func `the first failure cancels the other items, but not those that another client wants`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let group = try await start(client, "batch.start", #"{"items":\#(items(["a", "b", "c", "d"])),"concurrency":3}"#)
        var fetches: [String: ClaimedFetch] = [:]
        for _ in 0..<3 {
            let fetch = try await harness.worker.claim()
            fetches[path(fetch)] = fetch
        }
        let stranger = try await harness.client()
        async let shared = stranger.call("image.load", #"{"url":"http://origin.test/b","deadline":100}"#)
        let coordinator = harness.coordinator
        try await harness.until { coordinator.core.receipts.table.count == 4 && coordinator.core.receipts.table.all.allSatisfy { $0.isAdmitted } }
        try await harness.worker.fail(try #require(fetches["c"]), gone)
        let events = await ended(client, group)
        #expect(events.last?["type"]?.string == "failed")
        #expect(events.last?["failed"]?["index"]?.int == 2)
        // No other client wants `a`, so its worker is told to stop. `b` goes on.
        let (a, b) = (try #require(fetches["a"]), try #require(fetches["b"]))
        try await harness.until { try await harness.worker.queue.progress(a.lease, []) == .cancel }
        #expect(try await harness.worker.queue.finish(a.lease, .cancelled) == .done)
        #expect(try await harness.worker.queue.progress(b.lease, []) == .ok)
        try await harness.worker.succeed(b)
        #expect(try await shared.state == "succeeded")
        let answer = try await client.call("group.get", #"{"group":"\#(group)","wait":5}"#)
        #expect(answer.state == "failed" && answer["failed"]?["index"]?.int == 2)
        #expect(states(answer) == ["cancelled", "cancelled", "failed", "cancelled"])
        try await harness.until { coordinator.part(Groups.self).count == 0 && coordinator.part(GroupWatches.self).count == 0 }
        #expect(try await violations(harness).isEmpty)
    }

    @Test(arguments: ["batch.start", "prefetch.start", "chain.start"])
    func `an empty group completes at once`(method: String) async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let group = try await start(client, method, method == "chain.start" ? #"{"steps":[]}"# : #"{"items":[]}"#)
        #expect(await ended(client, group).map { $0["type"]?.string } == ["succeeded"])
        let answer = try await client.call("group.get", #"{"group":"\#(group)","wait":9}"#)
        #expect(answer.state == "succeeded" && answer["total"]?.int == 0 && states(answer).isEmpty)
    }

    @Test func `a prefetch skips failures and runs at low priority`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let group = try await start(
            client, "prefetch.start", #"{"urls":["http://origin.test/a","no url","http://origin.test/c","http://origin.test/d"],"concurrency":2}"#)
        var claimed: [String] = []
        for _ in 0..<3 {
            let fetch = try await harness.worker.claim()
            #expect(try await harness.worker.queue.dump().hash("f:" + fetch.lease.fetch)["priority"] == "-4")
            claimed.append(path(fetch))
            if path(fetch) == "c" { try await harness.worker.fail(fetch, gone) } else { try await harness.worker.succeed(fetch) }
        }
        let last = try #require(await ended(client, group).last)
        #expect(last["type"]?.string == "succeeded" && last["finished"]?.int == 4 && last["skipped"]?.int == 2 && last["origins"]?.text == #"{"remote":2}"#)
        let errors = try #require(last["errors"]?.array)
        #expect(errors.map { $0["index"]?.int } == [1, 2])
        #expect(errors.compactMap { $0["error"]?["code"]?.int } == [1001, 1010])
        let answer = try await client.call("group.get", #"{"group":"\#(group)"}"#)
        #expect(answer["results"]?.array?.allSatisfy { $0["result"] == nil } == true && answer["skipped"]?.int == 2)
        #expect(claimed == ["a", "c", "d"])
    }

    @Test func `a chain uses results of earlier steps and may be extended until it ends`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let group = try await start(
            client, "chain.start", #"{"steps":[{"url":"http://origin.test/a"},{"url":"${steps[0].source.finalURL}next"}]}"#)
        let first = try await harness.worker.claim()
        #expect(path(first) == "a")
        #expect(try await harness.worker.queue.claim(worker: "w1", count: 5).fetches.isEmpty)
        try await harness.worker.succeed(first)
        let second = try await harness.worker.claim()
        #expect(path(second) == "next")
        let added = try await client.call("chain.append", #"{"group":"\#(group)","steps":[{"url":"http://origin.test/third"}]}"#)
        #expect(added.group == group, "\(added)")
        try await harness.worker.succeed(second)
        let third = try await harness.worker.claim()
        #expect(path(third) == "third")
        try await harness.worker.succeed(third)
        #expect(await ended(client, group).last?["type"]?.string == "succeeded")
        let late = try await client.call("chain.append", #"{"group":"\#(group)","steps":[{"url":"http://origin.test/x"}]}"#)
        #expect(late.error?.code == -32602, "\(late)")
        let unknown = try await client.call("chain.append", #"{"group":"g-nobody","steps":[]}"#)
        #expect(unknown.error?.name == "unknownGroup")
        #expect(states(try await client.call("group.get", #"{"group":"\#(group)"}"#)) == ["succeeded", "succeeded", "succeeded"])
    }

    @Test func `a reference that does not resolve fails its step, and the steps after it never start`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let group = try await start(
            client, "chain.start", #"{"steps":[{"url":"http://origin.test/a"},{"url":"${steps[0].nothing}"},{"url":"http://origin.test/c"}]}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        let last = try #require(await ended(client, group).last)
        let failed = try #require(last["failed"])
        #expect(last["type"]?.string == "failed" && failed["index"]?.int == 1)
        #expect(failed["error"]?["code"]?.int == -32602)
        #expect(try await harness.worker.queue.claim(worker: "w1", count: 5).fetches.isEmpty)
    }

    @Test func `each added step of a chain costs the same, and the last one finds the first result`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let note = String(repeating: "x", count: 4000)
        func step(_ url: String) -> String { #"{"url":"\#(url)","userInfo":{"note":"\#(note)"}}"# }
        let group = try await start(client, "chain.start", #"{"steps":[\#(step("http://origin.test/0"))]}"#)
        func read() async throws -> Int {
            let line = try await harness.redis.command("INFO", "stats").split(whereSeparator: \.isNewline).first { $0.hasPrefix("total_net_output_bytes:") }
            return try #require(line?.split(separator: ":").last.flatMap { Int($0) })
        }
        var marks: [Int] = []
        for number in 1...240 {
            if number % 80 == 1 { marks.append(try await read()) }
            let url = number == 240 ? "${steps[0].source.finalURL}again" : "http://origin.test/\(number)"
            let added = try await client.call("chain.append", #"{"group":"\#(group)","steps":[\#(step(url))]}"#)
            #expect(added.error == nil, "\(added)")
            try await harness.worker.succeed(try await harness.worker.claim())
        }
        marks.append(try await read())
        let last = try await harness.worker.claim()
        #expect(path(last) == "again")
        try await harness.worker.succeed(last)
        let end = try await client.call("group.get", #"{"group":"\#(group)","wait":60,"limit":1}"#)
        #expect(end.state == "succeeded", "\(end)")
        // If all earlier outcomes were read each time, the last third would read five times as much as the first.
        #expect(marks[3] - marks[2] < 2 * (marks[1] - marks[0]), "\(marks)")
        #expect(try await violations(harness).isEmpty)
    }

    @Test func `a chain at its limit of unfinished steps accepts more when some have ended`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let group = try await start(client, "chain.start", #"{"steps":\#(items(["a", "b"]))}"#)
        // This is the state as if the first step were as long as all of them may be together.
        let asked = Int(try await harness.redis.command("HINCRBY", "tintype:{default}:g:\(group)", "requestBytes", "\(GroupRecord.mostAsked)")) ?? 0
        let refused = try await client.call("chain.append", #"{"group":"\#(group)","steps":\#(items(["c"]))}"#)
        #expect(refused.error?.name == "overloaded" && refused.error?.message?.contains("\(asked) bytes") ?? false, "\(refused)")
        #expect(refused.error?.data["retryAfter"]?.int == 5, "\(refused)")
        try await harness.redis.command("HINCRBY", "tintype:{default}:g:\(group)", "requestBytes", "-\(GroupRecord.mostAsked)")
        #expect(try await client.call("chain.append", #"{"group":"\#(group)","steps":\#(items(["c"]))}"#).error == nil)
        for _ in 0..<3 { try await harness.worker.succeed(try await harness.worker.claim()) }
        #expect(await ended(client, group).last?["total"]?.int == 3)
        #expect(try await violations(harness) == [])
    }

    @Test func `a chain that doubles its values in each step fails`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let text = String(repeating: "x", count: 1500)
        var steps = [#"{"url":"http://origin.test/0","userInfo":{"x":"\#(text)"}}"#]
        for step in 1..<9 {
            let earlier = "\"${steps[\(step - 1)].userInfo}\""
            steps.append(#"{"url":"http://origin.test/\#(step)","userInfo":{"a":\#(earlier),"b":\#(earlier)}}"#)
        }
        let work = Task { await harness.worker.work() }
        let group = try await start(client, "chain.start", #"{"steps":[\#(steps.joined(separator: ","))]}"#)
        let answer = try await client.call("group.get", #"{"group":"\#(group)","wait":60}"#)
        let failed = try #require(answer["failed"], "\(answer["state"] ?? "")")
        #expect(answer.state == "failed" && failed["index"]?.int == 4)
        #expect(failed["error"]?["code"]?.int == -32602)
        #expect(try await violations(harness).isEmpty)
        work.cancel()
    }

    @Test func `an item that is refused until its deadline fails with the refusal`() async throws {
        let harness = try await CoordinatorHarness { $0.maxQueued = 1 }
        let client = try await harness.client()
        let coordinator = harness.coordinator
        try await harness.until {
            try await coordinator.core.queues.redis.servers[0].command(["HGET", "tintype:{default}:cfg", "defaultMaxQueued"]).string == "1"
        }
        try await client.call("image.submit", #"{"url":"http://origin.test/other","deadline":100}"#)
        let group = try await start(client, "batch.start", #"{"mode":"settleAll","items":\#(items(["a", "b"], #","deadline":3"#)),"concurrency":1}"#)
        let answer = try await client.call("group.get", #"{"group":"\#(group)","wait":30}"#)
        #expect(answer.state == "succeeded" && states(answer) == ["failed", "failed"], "\(answer)")
        let results = answer["results"]?.array ?? []
        #expect(results.allSatisfy { $0["error"]?["code"]?.int == 1050 })
        try await harness.until { coordinator.part(Groups.self).count == 0 }
        #expect(try await violations(harness).isEmpty)
    }

    @Test func `an acknowledged end that Redis lost is recorded again`() async throws {
        let harness = try await CoordinatorHarness()
        let (client, coordinator, queue) = (try await harness.client(), harness.coordinator, harness.worker.queue)
        let group = try await start(client, "batch.start", #"{"mode":"settleAll","items":\#(items(["a", "b"]))}"#)
        var fetches: [String: ClaimedFetch] = [:]
        for _ in 0..<2 {
            let fetch = try await harness.worker.claim()
            fetches[path(fetch)] = fetch
        }
        let before = try await queue.dump()
        let (request, begun) = (try #require(before.hash("gq:" + group)["0"]), try #require(before.hash("gb:" + group)["0"]))
        try await harness.worker.succeed(try #require(fetches["a"]))
        try await harness.until { try await queue.dump().hash("gr:" + group)["0"] != nil }
        // This is the state of a replica that had not received the write when it took over.
        _ = try await coordinator.core.queues.redis.servers[0].command(["HDEL", .string("tintype:{default}:gr:\(group)"), "0"])
        for field in try await queue.dump().hash("g:" + group).keys where field.hasPrefix("from:") {
            _ = try await coordinator.core.queues.redis.servers[0].command(["HDEL", .string("tintype:{default}:g:\(group)"), .string(field)])
        }
        _ = try await coordinator.core.queues.redis.servers[0].command(["HSET", .string("tintype:{default}:gq:\(group)"), "0", .string(request)])
        _ = try await coordinator.core.queues.redis.servers[0].command(["HSET", .string("tintype:{default}:gb:\(group)"), "0", .string(begun)])
        #expect(try await violations(harness).isEmpty)
        try await harness.worker.succeed(try #require(fetches["b"]))
        #expect(await ended(client, group).last?["type"]?.string == "succeeded")
        let answer = try await client.call("group.get", #"{"group":"\#(group)"}"#)
        #expect(states(answer) == ["succeeded", "succeeded"], "\(answer)")
        // No work was done twice.
        #expect(try await queue.claim(worker: "w1", count: 5).fetches.isEmpty)
        try await harness.until { coordinator.part(Groups.self).count == 0 }
        #expect(try await violations(harness).isEmpty)
    }
}
