import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeSettings
import TestSupport
import Testing

@testable import Coordinator

/// Groups as clients see them, on real Redis and with a worker that does what the test says.
@Suite(.timeLimit(.minutes(2)), .serialized) struct GroupFlowTests {
    private func events(_ client: RPCClient, _ group: String) -> [[String: Any]] {
        client.notifications.filter { $0.method == "group.event" }.compactMap(\.params).filter { $0["group"] as? String == group }
    }

    private func ended(_ client: RPCClient, _ group: String) async -> [[String: Any]] {
        _ = await client.notifications { messages in
            messages.contains { message in
                message.method == "group.event" && message.params?["group"] as? String == group && message.params?["type"] as? String != "progress"
            }
        }
        return events(client, group)
    }

    private func start(_ client: RPCClient, _ method: String, _ params: String) async throws -> String {
        let answer = try await client.call(method, params)
        return try #require(answer.fields["group"] as? String, "\(answer.object)")
    }

    private func items(_ names: [String], _ more: String = "") -> String {
        "[" + names.map { #"{"url":"http://origin.test/\#($0)"\#(more)}"# }.joined(separator: ",") + "]"
    }

    /// The path of the source a worker was given.
    private func path(_ fetch: ClaimedFetch) -> String {
        ((try? JSON(parsing: fetch.fetch)).flatMap { try? Source(canonical: $0) }?.url ?? "").split(separator: "/").last.map(String.init) ?? ""
    }

    private func states(_ answer: RPCClient.Message) -> [String] {
        (answer.fields["results"] as? [[String: Any]] ?? []).compactMap { $0["state"] as? String }
    }

    @Loop private func violations(_ harness: CoordinatorHarness) async throws -> [String] {
        QueueInvariants.violations(in: try await harness.worker.queue.dump())
    }

    private let gone = TintypeError(.httpStatus, .download, "404", retryable: false)

    @Test func `a batch that settles all has its results in the order of its items`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let group = try await start(client, "batch.start", #"{"mode":"settleAll","items":\#(items(["a", "b", "c"]))}"#)
        var fetches = [try await harness.worker.claim(), try await harness.worker.claim(), try await harness.worker.claim()]
        fetches.sort { path($0) > path($1) }
        for fetch in fetches {
            if path(fetch) == "b" { try await harness.worker.fail(fetch, gone) } else { try await harness.worker.succeed(fetch) }
        }
        let events = await ended(client, group)
        #expect(events.map { $0["type"] as? String } == ["progress", "progress", "progress", "succeeded"])
        #expect(events.map { $0["finished"] as? Int } == [1, 2, 3, 3] && events.last?["total"] as? Int == 3)
        #expect((events.last?["results"] as? [[String: Any]])?.count == 3)
        let answer = try await client.call("group.get", #"{"group":"\#(group)"}"#)
        #expect(answer.fields["state"] as? String == "succeeded" && answer.fields["kind"] as? String == "batch")
        #expect(states(answer) == ["succeeded", "failed", "succeeded"])
        let results = try #require(answer.fields["results"] as? [[String: Any]])
        #expect((results[1]["error"] as? [String: Any])?["code"] as? Int == 1010 && results[0]["result"] is [String: Any])
        // Each item is a receipt like any other.
        let receipt = try #require(results[2]["receipt"] as? String)
        let one = try await client.call("receipt.get", #"{"receipt":"\#(receipt)"}"#)
        #expect(one.fields["state"] as? String == "succeeded" && (one.fields["result"] as? [String: Any])?["group"] as? String == group)
        #expect(try await violations(harness).isEmpty)
        await harness.stop()
    }

    @Test func `the first failure withdraws the others, but not what somebody else wants`() async throws {
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
        let services = await harness.services
        try await harness.until { services.receipts.count == 4 && services.receipts.all.allSatisfy { $0.isAdmitted } }
        try await harness.worker.fail(try #require(fetches["c"]), gone)
        let events = await ended(client, group)
        #expect(events.last?["type"] as? String == "failed")
        #expect((events.last?["failed"] as? [String: Any])?["index"] as? Int == 2)
        // Nobody else wants a: its worker is told to stop. b goes on.
        let (a, b) = (try #require(fetches["a"]), try #require(fetches["b"]))
        try await harness.until { try await harness.worker.queue.progress(a.held, []) == .cancel }
        #expect(try await harness.worker.queue.finish(a.held, .cancelled) == .done)
        #expect(try await harness.worker.queue.progress(b.held, []) == .ok)
        try await harness.worker.succeed(b)
        #expect(try await shared.fields["state"] as? String == "succeeded")
        let answer = try await client.call("group.get", #"{"group":"\#(group)","wait":5}"#)
        #expect(answer.fields["state"] as? String == "failed" && (answer.fields["failed"] as? [String: Any])?["index"] as? Int == 2)
        #expect(states(answer) == ["cancelled", "cancelled", "failed", "cancelled"])
        try await harness.until { services.groups.count == 0 && services.watches.count == 0 }
        #expect(try await violations(harness).isEmpty)
        await harness.stop()
    }

    @Test(arguments: ["batch.start", "prefetch.start", "chain.start"])
    func `an empty group completes at once`(method: String) async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let group = try await start(client, method, method == "chain.start" ? #"{"steps":[]}"# : #"{"items":[]}"#)
        #expect(await ended(client, group).map { $0["type"] as? String } == ["succeeded"])
        let answer = try await client.call("group.get", #"{"group":"\#(group)","wait":9}"#)
        #expect(answer.fields["state"] as? String == "succeeded" && answer.fields["total"] as? Int == 0 && states(answer).isEmpty)
        await harness.stop()
    }

    @Test func `a prefetch passes over what fails, and stands behind others`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let group = try await start(
            client, "prefetch.start", #"{"urls":["http://origin.test/a","no url","http://origin.test/c","http://origin.test/d"],"concurrency":2}"#)
        var claimed: [String] = []
        for _ in 0..<3 {
            let fetch = try await harness.worker.claim()
            #expect(try await harness.worker.queue.dump().hash("f:" + fetch.held.fetch)["p"] == "-4")
            claimed.append(path(fetch))
            if path(fetch) == "c" { try await harness.worker.fail(fetch, gone) } else { try await harness.worker.succeed(fetch) }
        }
        let last = try #require(await ended(client, group).last)
        #expect(last["type"] as? String == "succeeded" && last["finished"] as? Int == 4 && last["skipped"] as? Int == 2)
        let errors = try #require(last["errors"] as? [[String: Any]])
        #expect(errors.map { $0["index"] as? Int } == [1, 2])
        #expect(errors.compactMap { ($0["error"] as? [String: Any])?["code"] as? Int } == [1001, 1010])
        let answer = try await client.call("group.get", #"{"group":"\#(group)"}"#)
        #expect((answer.fields["results"] as? [[String: Any]])?.allSatisfy { $0["result"] == nil } == true && answer.fields["skipped"] as? Int == 2)
        #expect(claimed == ["a", "c", "d"])
        await harness.stop()
    }

    @Test func `a chain goes on from what came of earlier steps, and may grow until it ends`() async throws {
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
        #expect(added.fields["group"] as? String == group, "\(added.object)")
        try await harness.worker.succeed(second)
        let third = try await harness.worker.claim()
        #expect(path(third) == "third")
        try await harness.worker.succeed(third)
        #expect(await ended(client, group).last?["type"] as? String == "succeeded")
        let late = try await client.call("chain.append", #"{"group":"\#(group)","steps":[{"url":"http://origin.test/x"}]}"#)
        #expect(late.error?["code"] as? Int == -32602, "\(late.object)")
        let unknown = try await client.call("chain.append", #"{"group":"g-nobody","steps":[]}"#)
        #expect(unknown.errorName == "unknownGroup")
        #expect(states(try await client.call("group.get", #"{"group":"\#(group)"}"#)) == ["succeeded", "succeeded", "succeeded"])
        await harness.stop()
    }

    @Test func `a reference that does not resolve fails its step, and the steps after it never start`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let group = try await start(
            client, "chain.start", #"{"steps":[{"url":"http://origin.test/a"},{"url":"${steps[0].nothing}"},{"url":"http://origin.test/c"}]}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        let last = try #require(await ended(client, group).last)
        let failed = try #require(last["failed"] as? [String: Any])
        #expect(last["type"] as? String == "failed" && failed["index"] as? Int == 1)
        #expect((failed["error"] as? [String: Any])?["code"] as? Int == -32602)
        #expect(try await harness.worker.queue.claim(worker: "w1", count: 5).fetches.isEmpty)
        await harness.stop()
    }

    @Test func `a chain that grows step by step costs each step the same, and the last one finds what came of the first`() async throws {
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
            #expect(added.error == nil, "\(added.object)")
            try await harness.worker.succeed(try await harness.worker.claim())
        }
        marks.append(try await read())
        let last = try await harness.worker.claim()
        #expect(path(last) == "again")
        try await harness.worker.succeed(last)
        let end = try await client.call("group.get", #"{"group":"\#(group)","wait":60,"limit":1}"#)
        #expect(end.fields["state"] as? String == "succeeded", "\(end.object)")
        // Of all that had ended before, five times as much would be read in the last third as in the first.
        #expect(marks[3] - marks[2] < 2 * (marks[1] - marks[0]), "\(marks)")
        #expect(try await violations(harness).isEmpty)
        await harness.stop()
    }

    @Test func `a chain whose open steps fill their share of Redis takes more when some have ended`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let group = try await start(client, "chain.start", #"{"steps":\#(items(["a", "b"]))}"#)
        // As if the first step were as long as all of them may be.
        let asked = Int(try await harness.redis.command("HINCRBY", "tintype:{default}:g:\(group)", "asked", "\(GroupRecord.mostAsked)")) ?? 0
        let refused = try await client.call("chain.append", #"{"group":"\#(group)","steps":\#(items(["c"]))}"#)
        #expect(refused.errorName == "overloaded" && (refused.error?["message"] as? String)?.contains("\(asked) bytes") ?? false, "\(refused.object)")
        #expect((refused.error?["data"] as? [String: Any])?["retryAfter"] as? Int == 5, "\(refused.object)")
        try await harness.redis.command("HINCRBY", "tintype:{default}:g:\(group)", "asked", "-\(GroupRecord.mostAsked)")
        #expect(try await client.call("chain.append", #"{"group":"\#(group)","steps":\#(items(["c"]))}"#).error == nil)
        for _ in 0..<3 { try await harness.worker.succeed(try await harness.worker.claim()) }
        #expect(await ended(client, group).last?["total"] as? Int == 3)
        #expect(try await violations(harness) == [])
        await harness.stop()
    }

    @Test func `a chain that doubles what its steps have brought ends as failed`() async throws {
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
        let failed = try #require(answer.fields["failed"] as? [String: Any], "\(answer.fields["state"] ?? "")")
        #expect(answer.fields["state"] as? String == "failed" && failed["index"] as? Int == 4)
        #expect((failed["error"] as? [String: Any])?["code"] as? Int == -32602)
        #expect(try await violations(harness).isEmpty)
        work.cancel()
        await harness.stop()
    }

    @Test func `an item that is refused until its deadline has passed fails with that`() async throws {
        let harness = try await CoordinatorHarness { $0.maxQueued = 1 }
        let client = try await harness.client()
        let services = await harness.services
        try await harness.until { try await services.redis.command(["HGET", "tintype:{default}:cfg", "maxq0"]).string == "1" }
        try await client.call("image.submit", #"{"url":"http://origin.test/other","deadline":100}"#)
        let group = try await start(client, "batch.start", #"{"mode":"settleAll","items":\#(items(["a", "b"], #","deadline":3"#)),"concurrency":1}"#)
        let answer = try await client.call("group.get", #"{"group":"\#(group)","wait":30}"#)
        #expect(answer.fields["state"] as? String == "succeeded" && states(answer) == ["failed", "failed"], "\(answer.object)")
        let results = answer.fields["results"] as? [[String: Any]] ?? []
        #expect(results.allSatisfy { ($0["error"] as? [String: Any])?["code"] as? Int == 1050 })
        try await harness.until { services.groups.count == 0 }
        #expect(try await violations(harness).isEmpty)
        await harness.stop()
    }

    @Test func `an end that Redis has lost after it was acknowledged is written down again`() async throws {
        let harness = try await CoordinatorHarness()
        let (client, services, queue) = (try await harness.client(), await harness.services, harness.worker.queue)
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
        // As in a replica that had not got this when it took over.
        _ = try await services.redis.command(["HDEL", .string("tintype:{default}:gr:\(group)"), "0"])
        _ = try await services.redis.command(["HSET", .string("tintype:{default}:gq:\(group)"), "0", .string(request)])
        _ = try await services.redis.command(["HSET", .string("tintype:{default}:gb:\(group)"), "0", .string(begun)])
        #expect(try await violations(harness).isEmpty)
        try await harness.worker.succeed(try #require(fetches["b"]))
        #expect(await ended(client, group).last?["type"] as? String == "succeeded")
        let answer = try await client.call("group.get", #"{"group":"\#(group)"}"#)
        #expect(states(answer) == ["succeeded", "succeeded"], "\(answer.object)")
        // Nothing was done twice.
        #expect(try await queue.claim(worker: "w1", count: 5).fetches.isEmpty)
        try await harness.until { services.groups.count == 0 }
        #expect(try await violations(harness).isEmpty)
        await harness.stop()
    }

    /// Before Redis is asked to start it, or while it is.
    @Test(arguments: [("batch.start", false), ("batch.start", true), ("prefetch.start", true), ("chain.start", true)]) @Loop
    func `a start that is withdrawn starts nothing that goes on`(method: String, isAsked: Bool) async throws {
        let harness = try await CoordinatorHarness()
        let (client, services, queue) = (try harness.client(), harness.services, harness.worker.queue)
        harness.redis.freeze()
        // The first of its client.
        async let answer = client.call(method, #"{"\#(method == "chain.start" ? "steps" : "items")":\#(items(["a"]))}"#)
        try await harness.until { isAsked ? services.groups.starting == 1 : services.watches.count == 1 }
        client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n")
        #expect(try await answer.error?["code"] as? Int == 1040)
        harness.redis.thaw()
        try await harness.until {
            guard services.groups.starting == 0, services.watches.count == 0, services.groups.count == 0 else { return false }
            guard let dump = try? await queue.dump() else { return false }
            return dump.names("g:").allSatisfy { dump.hash("g:" + $0)["st"] == "can" }
        }
        try await harness.until { try await queue.info()?.queued == 0 }
        #expect(try await violations(harness).isEmpty)
        await harness.stop()
    }

    @Test func `what a group shares with others goes on without it`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (client, stranger, third) = (try await harness.client(), try await harness.client(), try await harness.client(of: other))
        let services = await harness.services
        func item(_ name: String) -> String { #"{"url":"http://origin.test/\#(name)","receipt":"\#(name)","detached":true,"deadline":100}"# }
        // Theirs was there first; ours is waited for by somebody else too, here or at another coordinator.
        try await third.call("image.submit", item("theirs"))
        let group = try await start(
            client, "batch.start", #"{"items":[\#(item("theirs")),\#(item("here")),\#(item("there")),\#(item("waited")),\#(item("alone"))]}"#)
        try await harness.until { ["theirs", "here", "there", "waited", "alone"].allSatisfy { services.receipts[$0]?.isAdmitted == true } }
        async let here = stranger.call("image.load", item("here"))
        async let there = third.call("image.load", item("there"))
        async let waited = third.call("receipt.get", #"{"receipt":"waited","wait":100}"#)
        try await harness.until { try await harness.redis.command("HEXISTS", "tintype:{default}:r:waited", "fo") == "1" }
        try await harness.until { services.receipts["here"]?.attachments.count == 2 && other.services.receipts["there"]?.isAdmitted == true }
        #expect(try await client.call("group.cancel", #"{"group":"\#(group)"}"#).fields["cancelled"] as? Bool == true)
        try await harness.until { services.groups.count == 0 }
        let alone = try await client.call("receipt.get", #"{"receipt":"alone"}"#)
        #expect(alone.fields["state"] as? String == "cancelled", "\(alone.object)")
        for _ in 0..<4 { try await harness.worker.succeed(try await harness.worker.claim()) }
        #expect(try await here.fields["state"] as? String == "succeeded")
        #expect(try await waited.fields["state"] as? String == "succeeded")
        #expect(try await there.fields["state"] as? String == "succeeded")
        let theirs = try await third.call("receipt.get", #"{"receipt":"theirs","wait":20}"#)
        #expect(theirs.fields["state"] as? String == "succeeded", "\(theirs.object)")
        #expect(try await violations(harness).isEmpty)
        await harness.stop()
    }

    @Test func `whoever takes an ended group over withdraws nothing of strangers`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (services, theirs) = (await harness.services, await other.services)
        let client = try await harness.client()
        try await client.call("image.submit", #"{"url":"http://origin.test/mine","receipt":"mine","deadline":100}"#)
        let group = try await start(client, "batch.start", #"{"items":\#(items(["a"]))}"#)
        try await harness.until { services.receipts["\(group).0"]?.isAdmitted == true }
        await services.groups.handOver()
        // As if it had died when it was about to learn that the name belongs to another request.
        _ = try await services.redis.command(["HSET", .string("tintype:{default}:gb:\(group)"), "0", "default mine"])
        _ = try await services.redis.command(["ZADD", "tintype:{default}:gl", "0", .string(group)])
        #expect(try await theirs.groups.cancel(group) == .cancelled)
        await theirs.groups.beat(onlyGivenUp: true)
        try await harness.until { theirs.groups.count == 0 }
        let mine = try await client.call("receipt.get", #"{"receipt":"mine"}"#)
        #expect(mine.fields["state"] as? String == "queued", "\(mine.object)")
        #expect(try await violations(harness).isEmpty)
        await harness.stop()
    }

    @Test func `a large group is told in pages that fit, without what origins said`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let text = String(repeating: "x", count: 16_000)
        let failure = TintypeError(
            .httpStatus, .download, "404", retryable: false,
            details: ["status": 404, "headers": ["server": "s"], "body": .string(String(repeating: "b", count: 9000))])
        // Six million bytes of userInfo, which comes back with each result.
        let count = 400
        var list: [String] = []
        for index in 0..<count { list.append(#"{"url":"http://origin.test/\#(index)","userInfo":{"x":"\#(text)"}}"#) }
        var group = GroupRecord(id: "g-large", kind: .batch)
        group.concurrency = 1
        let services = await harness.services
        try await services.groups.start(group, try list.map { try JSON(parsing: $0) }, for: "")
        for index in 0..<count {
            let fetch = try await harness.worker.claim()
            if index == 1 { try await harness.worker.fail(fetch, failure) } else { try await harness.worker.succeed(fetch) }
        }
        var answer = try await client.call("group.get", #"{"group":"g-large","wait":60}"#)
        var seen: [Int] = []
        var pages = 0
        while true {
            pages += 1
            let results = answer.fields["results"] as? [[String: Any]] ?? []
            seen += results.compactMap { $0["index"] as? Int }
            if pages == 1 {
                let data = (results[1]["error"] as? [String: Any])?["data"] as? [String: Any]
                #expect(data?["status"] as? Int == 404 && data?["headers"] == nil && data?["body"] == nil)
            }
            #expect(answer.fields["state"] as? String == "succeeded" && answer.fields["total"] as? Int == count)
            guard let next = answer.fields["next"] as? Int, pages < 30 else { break }
            answer = try await client.call("group.get", #"{"group":"g-large","from":\#(next)}"#)
        }
        #expect(seen == Array(0..<count) && pages > 1, "\(seen)")
        let some = try await client.call("group.get", #"{"group":"g-large","from":5,"limit":2}"#)
        #expect((some.fields["results"] as? [[String: Any]])?.compactMap { $0["index"] as? Int } == [5, 6] && some.fields["next"] as? Int == 7)
        let none = try await client.call("group.get", #"{"group":"g-large","from":\#(count)}"#)
        #expect((none.fields["results"] as? [Any])?.isEmpty == true && none.fields["next"] == nil)
        await harness.stop()
    }

    @Test func `a stranger's message on a group's channel silences nothing`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let services = await harness.services
        let group = try await start(client, "batch.start", #"{"items":\#(items(["a", "b", "c"]))}"#)
        let channel = "tintype:{default}:groups:\(group)"
        for text in [
            #"{"group":"\#(group)","type":"progress","seq":9007199254740991,"finished":9007199254740991,"total":3}"#,
            #"{"group":"\#(group)","type":"progress","seq":2,"finished":1000000,"total":3}"#, "nonsense",
        ] {
            _ = try await services.redis.command(["PUBLISH", .string(channel), .string(text)])
        }
        for _ in 0..<3 { try await harness.worker.succeed(try await harness.worker.claim()) }
        #expect(await ended(client, group).map { $0["finished"] as? Int } == [1, 2, 3, 3])
        await harness.stop()
    }

    @Test func `a cancelled group withdraws what it began, here or elsewhere`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (client, stranger) = (try await harness.client(), try await harness.client(of: other))
        for canceller in [client, stranger] {
            let group = try await start(client, "batch.start", #"{"items":\#(items(["a", "b", "c"])),"concurrency":2}"#)
            let fetch = try await harness.worker.claim()
            let answer = try await canceller.call("group.cancel", #"{"group":"\#(group)"}"#)
            #expect(answer.fields["cancelled"] as? Bool == true, "\(answer.object)")
            let again = try await canceller.call("group.cancel", #"{"group":"\#(group)"}"#)
            #expect(again.fields["cancelled"] as? Bool == true && again.fields["reason"] == nil)
            #expect(await ended(client, group).last?["type"] as? String == "cancelled")
            try await harness.until { try await harness.worker.queue.progress(fetch.held, []) == .cancel }
            #expect(try await harness.worker.queue.finish(fetch.held, .cancelled) == .done)
            let services = await harness.services
            try await harness.until { services.groups.count == 0 }
            #expect(try await harness.worker.queue.info()?.queued == 0)
            #expect(try await violations(harness).isEmpty)
        }
        let unknown = try await client.call("group.cancel", #"{"group":"g-nobody"}"#)
        #expect(unknown.fields["reason"] as? String == "unknown")
        #expect(try await client.call("group.get", #"{"group":"g-nobody","wait":1}"#).errorName == "unknownGroup")
        await harness.stop()
    }

    @Test @Loop func `whoever drives a group need not ask to hear that it was cancelled elsewhere`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (client, stranger, services) = (try harness.client(), try harness.client(of: other), harness.services)
        (services.groups.timer, other.services.groups.timer) = (nil, nil)
        try await harness.until { try await harness.worker.queue.dump().scores("co")[services.lanes.coordinator] != nil }
        let group = try await start(client, "batch.start", #"{"items":\#(items(["a", "b"]))}"#)
        let fetches = [try await harness.worker.claim(), try await harness.worker.claim()]
        #expect(try await stranger.call("group.cancel", #"{"group":"\#(group)"}"#).fields["cancelled"] as? Bool == true)
        for fetch in fetches {
            try await harness.until { try await harness.worker.queue.progress(fetch.held, []) == .cancel }
            #expect(try await harness.worker.queue.finish(fetch.held, .cancelled) == .done)
        }
        try await harness.until { services.groups.count == 0 }
        #expect(try await violations(harness).isEmpty)
        await harness.stop()
    }

    @Test func `who subscribes elsewhere hears of a group, and who waits elsewhere gets its end`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (client, listener) = (try await harness.client(), try await harness.client(of: other))
        let group = try await start(client, "batch.start", #"{"items":\#(items(["a", "b"]))}"#)
        let subscription = try await listener.call("events.subscribe", #"{"groups":["\#(group)"]}"#)
        let id = try #require(subscription.fields["subscription"] as? String, "\(subscription.object)")
        async let answer = listener.call("group.get", #"{"group":"\#(group)","wait":60}"#)
        for _ in 0..<2 { try await harness.worker.succeed(try await harness.worker.claim()) }
        #expect(try await answer.fields["state"] as? String == "succeeded")
        let heard = await ended(listener, group)
        #expect(heard.map { $0["type"] as? String } == ["progress", "progress", "succeeded"] && heard.allSatisfy { $0["subscription"] as? String == id })
        #expect(try await listener.call("events.subscribe", #"{"groups":["g-nobody"]}"#).errorName == "unknownGroup")
        await harness.stop()
    }

    @Test func `a group that nobody drives any more is taken over, its client hears of the end, and nothing is done twice`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (services, theirs) = (await harness.services, await other.services)
        let client = try await harness.client()
        let group = try await start(
            client, "chain.start", #"{"steps":[{"url":"http://origin.test/a"},{"url":"${steps[0].source.finalURL}b"},{"url":"http://origin.test/c"}]}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        let second = try await harness.worker.claim()
        // As if it had not renewed its lease for ten seconds.
        try await harness.until {
            _ = try await services.redis.command(["ZADD", "tintype:{default}:gl", "1", .string(group)])
            await theirs.groups.beat(onlyGivenUp: false)
            return theirs.groups.count == 1
        }
        try await harness.until { theirs.receipts["\(group).1"]?.isAdmitted == true }
        try await harness.worker.succeed(second)
        // Steps are done once, whoever thinks to drive: the first one learns at its next word that it does not.
        let third = try await harness.worker.claim()
        #expect(path(third) == "c")
        try await harness.until { services.groups.count == 0 }
        try await harness.worker.succeed(third)
        let events = await ended(client, group)
        #expect(events.compactMap { $0["type"] as? String } == ["progress", "progress", "progress", "succeeded"])
        #expect(try await client.call("group.get", #"{"group":"\#(group)"}"#).fields["state"] as? String == "succeeded")
        try await harness.until { theirs.groups.count == 0 }
        #expect(try await violations(harness).isEmpty)
        await harness.stop()
    }

    @Test func `what a group that has ended had begun is withdrawn by whoever takes it over`() async throws {
        let harness = try await CoordinatorHarness()
        let other = try await harness.another()
        let (services, theirs) = (await harness.services, await other.services)
        let client = try await harness.client()
        let group = try await start(client, "batch.start", #"{"items":\#(items(["a"]))}"#)
        let fetch = try await harness.worker.claim()
        // Its driver is gone before the group is cancelled.
        await services.groups.handOver()
        try await harness.until {
            let lease = try await services.redis.command(["ZSCORE", "tintype:{default}:gl", .string(group)]).int ?? .max
            return Double(lease) < Seconds.epoch * 1000
        }
        #expect(try await theirs.groups.cancel(group) == .cancelled)
        await theirs.groups.beat(onlyGivenUp: true)
        try await harness.until { try await harness.worker.queue.progress(fetch.held, []) == .cancel }
        #expect(try await harness.worker.queue.finish(fetch.held, .cancelled) == .done)
        try await harness.until { theirs.groups.count == 0 }
        #expect(try await violations(harness).isEmpty)
        await harness.stop()
    }

    @Test func `a full queue holds a group up and does not fail it`() async throws {
        let harness = try await CoordinatorHarness { $0.maxQueued = 1 }
        let client = try await harness.client()
        let services = await harness.services
        try await harness.until { try await services.redis.command(["HGET", "tintype:{default}:cfg", "maxq0"]).string == "1" }
        let group = try await start(client, "batch.start", #"{"items":\#(items(["a", "b", "c"]))}"#)
        for _ in 0..<3 { try await harness.worker.succeed(try await harness.worker.claim()) }
        #expect(await ended(client, group).last?["type"] as? String == "succeeded")
        await harness.stop()
    }

    @Loop private static func stopBeats(_ services: Services) { services.groups.timer = nil }

    @Test func `a coordinator drives so many groups and no more, its own and those of others`() async throws {
        let harness = try await CoordinatorHarness { $0.maxGroups = 1 }
        let (client, services) = (try await harness.client(), await harness.services)
        // Two beats at one time would both find room.
        await Self.stopBeats(services)
        let first = try await start(client, "batch.start", #"{"items":\#(items(["a"]))}"#)
        let fetch = try await harness.worker.claim()
        for (method, name) in [("batch.start", "items"), ("prefetch.start", "items"), ("chain.start", "steps")] {
            let refused = try await client.call(method, #"{"\#(name)":\#(items(["b"]))}"#)
            #expect(refused.errorName == "overloaded" && (refused.error?["data"] as? [String: Any])?["retryAfter"] as? Double == 1, "\(refused.object)")
        }
        let other = try await harness.another()
        await Self.stopBeats(other.services)
        let theirs = try await harness.client(of: other)
        for name in ["c", "d"] { _ = try await start(theirs, "batch.start", #"{"items":\#(items([name]))}"#) }
        let fetches = [try await harness.worker.claim(), try await harness.worker.claim()]
        await other.services.groups.handOver()
        try await harness.until { try await services.redis.command(["ZCOUNT", "tintype:{default}:gl", "-inf", "0"]).int == 2 }
        await services.groups.beat(onlyGivenUp: true)
        #expect(await services.groups.count == 1)
        try await harness.worker.succeed(fetch)
        #expect(await ended(client, first).last?["type"] as? String == "succeeded")
        try await harness.until {
            await services.groups.beat(onlyGivenUp: true)
            return try await services.redis.command(["ZCOUNT", "tintype:{default}:gl", "-inf", "0"]).int == 1
        }
        #expect(await services.groups.count == 1)
        for fetch in fetches { try await harness.worker.succeed(fetch) }
        try await harness.until {
            await services.groups.beat(onlyGivenUp: true)
            return try await services.redis.command(["EXISTS", "tintype:{default}:gl"]).int == 0
        }
        #expect(try await violations(harness).isEmpty)
        await harness.stop()
    }

    @Test func `the receipt of an item is kept an hour, and a day if its client gave it a name`() async throws {
        let harness = try await CoordinatorHarness()
        let (client, services) = (try await harness.client(), await harness.services)
        let group = try await start(client, "batch.start", #"{"items":[{"url":"http://origin.test/a"},{"url":"http://origin.test/a","receipt":"r1"}]}"#)
        try await harness.until { services.receipts.all.count { $0.isAdmitted } == 2 }
        try await harness.worker.succeed(try await harness.worker.claim())
        _ = await ended(client, group)
        let kept = try await services.redis.command(["PTTL", .string("tintype:{default}:r:\(group).0")]).int ?? 0
        #expect(kept > 3_000_000 && kept <= 3_600_000)
        #expect(try await services.redis.command(["PTTL", "tintype:{default}:r:r1"]).int ?? 0 > 86_000_000)
        await harness.stop()
    }

    @Test func `a group whose start was given up does not run`() async throws {
        let harness = try await CoordinatorHarness()
        let (client, services) = (try await harness.client(), await harness.services)
        // Redis gets the script, and mostly runs it when nobody waits for the answer any more.
        harness.redis.freeze()
        #expect(try await client.call("batch.start", #"{"items":\#(items(["a"]))}"#).errorName == "unavailable")
        harness.redis.thaw()
        // Whether it came or not: nobody looks for it any more, and nobody drives it.
        try await harness.until { services.groups.orphans.isEmpty }
        let known = try await harness.worker.queue.dump()
        for id in known.names("g:") { #expect(known.hash("g:" + id)["st"] == "can") }
        #expect(await services.groups.count == 0)
        #expect(try await violations(harness).isEmpty)
        await harness.stop()
    }

    // MARK: A driver that does not know yet that it has been relieved

    @Loop private func late(_ services: Services, _ queue: Queue, _ more: String = "") async throws -> GroupDriver {
        let token = try await queue.start(
            group: GroupRecord(id: "g-late", kind: .batch), coordinator: services.lanes.coordinator,
            requests: [#"{"url":"http://origin.test/a","detached":true\#(more)}"#])
        let tools = GroupDriver.Tools(
            lanes: services.lanes, admission: services.admission, receipts: services.receipts, withdrawal: services.withdrawal,
            scope: services.scope, logger: services.logger)
        return GroupDriver(HeldGroup(group: "g-late", token: try #require(token)), tools: tools)
    }

    /// Another coordinator takes the group over, and it ends there with all that is known of it.
    @Loop private func relieve(_ driver: GroupDriver, _ harness: CoordinatorHarness) async throws {
        let queue = harness.worker.queue
        _ = try await harness.worker.redis.command(["ZADD", "tintype:{default}:gl", "1", "g-late"])
        let taken = try #require(try await queue.drive([], coordinator: "c-other", adopting: 1).taken.first)
        #expect(try await queue.cancel(group: "g-late", reason: "requested") == .cancelled)
        #expect(try await queue.drop(receipt: "g-late.0", reason: "group cancelled", owner: "c-other", group: "g-late") == .unknown)
        #expect(try await queue.settle(taken, index: 0, outcome: .null, failure: nil) == .noted(.cancelled, total: 1))
        driver.leasedUntil = .now
    }

    @Test @Loop func `a driver that was relieved while its item waited for room does not submit it`() async throws {
        let harness = try await CoordinatorHarness { $0.maxQueued = 1 }
        let (client, services, queue) = (try harness.client(), harness.services, harness.worker.queue)
        try await harness.until { try await services.redis.command(["HGET", "tintype:{default}:cfg", "maxq0"]).string == "1" }
        try await client.call("image.submit", #"{"url":"http://origin.test/filler"}"#)
        let driver = try await late(services, queue)
        var isOver = false
        driver.onEnd = { _ in isOver = true }
        driver.start()
        try await harness.until { services.metrics.value(.submits, labels: "default", "overloaded") >= 1 }
        try await relieve(driver, harness)
        try await harness.worker.succeed(try await harness.worker.claim())
        try await harness.until {
            let isSubmitted = try await queue.dump().entries["r:g-late.0"] != nil
            return isOver || isSubmitted
        }
        #expect(isOver)
        #expect(try await queue.dump().entries["r:g-late.0"] == nil)
        await harness.stop()
    }

    /// Whether the driver hears of it meanwhile, or not.
    @Test(arguments: [true, false]) @Loop
    func `what a driver submits that was relieved in that moment is withdrawn`(isTold: Bool) async throws {
        let harness = try await CoordinatorHarness()
        let (client, queue) = (try harness.client(), harness.worker.queue)
        async let made = client.call("image.load", #"{"url":"http://origin.test/a"}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await made.error == nil)
        // Results that the index has, and whose bytes are looked for, in vain.
        try harness.loseImages()
        let goOn = harness.holdImages()
        let services = try await harness.another().services
        let driver = try await late(services, queue, #","deadline":5"#)
        driver.start()
        try await harness.until { services.receipts["g-late.0"] != nil }
        try await relieve(driver, harness)
        if isTold { driver.lose() }
        goOn()
        var end: [String: String] = [:]
        try await harness.until {
            end = try await queue.dump().hash("r:g-late.0")
            return end["st"] != nil
        }
        #expect(end["st"] == "can", "\(end)")
        #expect(try await violations(harness).isEmpty)
        await harness.stop()
    }

    @Test func `what is wrong with an item is told at once, and secrets are gone when it has ended`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let wrong = try await client.call("batch.start", #"{"items":[{"url":"http://a/"},{"url":"http://a/","priorty":1}]}"#)
        #expect(wrong.error?["code"] as? Int == -32602)
        #expect((wrong.error?["data"] as? [String: Any])?["path"] as? String == "items[1].priorty", "\(wrong.object)")
        let many = "[" + Array(repeating: "{}", count: 10_001).joined(separator: ",") + "]"
        #expect(try await client.call("batch.start", #"{"items":\#(many)}"#).error?["code"] as? Int == -32602)
        #expect(try await client.call("prefetch.start", "{}").error?["code"] as? Int == -32602)
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
        await harness.stop()
    }

    @Test func `bytes asked for inline are in the answer, a client that leaves ends nothing`() async throws {
        let harness = try await CoordinatorHarness()
        let (client, services) = (try await harness.client(), await harness.services)
        let group = try await start(client, "batch.start", #"{"items":\#(items(["a"], #","deliver":"inline""#))}"#)
        let fetch = try await harness.worker.claim()
        client.close()
        try await harness.until { services.watches.count == 0 }
        try await harness.worker.succeed(fetch, bytes: Array("foo".utf8))
        let answer = try await harness.client().call("group.get", #"{"group":"\#(group)","wait":60}"#)
        let result = (answer.fields["results"] as? [[String: Any]])?.first?["result"] as? [String: Any]
        #expect((result?["renditions"] as? [[String: Any]])?.first?["data"] as? String == "Zm9v", "\(answer.object)")
        await harness.stop()
    }

    @Test(arguments: [true, false])
    func `an outage of Redis holds a group up, and one that Redis has lost ends for who waits`(keepsData: Bool) async throws {
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
            #expect(await ended(client, group).last?["type"] as? String == "succeeded")
            #expect(states(try await answer) == ["succeeded", "succeeded"])
        } else {
            let last = try #require(await ended(client, group).last)
            #expect(last["type"] as? String == "failed" && (last["error"] as? [String: Any])?["code"] as? Int == 1061)
            #expect(try await answer.errorName == "unknownGroup")
            let services = await harness.services
            try await harness.until { services.groups.count == 0 && services.watches.count == 0 }
        }
        await harness.stop()
    }
}
