import TestSupport
import Testing
import TintypeCore
import TintypeSettings
import TintypeTransport

@testable import Coordinator

/// Requests that are acknowledged only when a replica of Redis has them.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct DurableTests {
    private func harness(
        _ work: [String] = [], timeout: Duration = .seconds(50)
    ) async throws -> (harness: CoordinatorHarness, client: RPCClient, replica: RedisServer) {
        let harness = try await CoordinatorHarness(isCluster: false) {
            ($0.durable.work, $0.durable.timeout) = (work, timeout)
        }
        return (harness, try await harness.client(), try await harness.redis.replica())
    }

    private func durable(_ answer: RPCClient.Message) -> Bool? { answer.result?["durable"]?.bool }

    @Test func `a submit says whether a replica has it, and a repeat waits again`() async throws {
        let (harness, client, replica) = try await harness(timeout: .milliseconds(200))
        let request = #"{"url":"http://origin.test/a","receipt":"r","durable":true,"deadline":60}"#
        replica.freeze()
        let first = try await client.call("image.submit", request)
        #expect(durable(first) == false && first.state == "queued", "\(first)")
        replica.thaw()
        try await Gate.until("a repeat is durable") { try await durable(client.call("image.submit", request)) == true }
        #expect(try await replica.command("EXISTS", "tintype:{default}:r:r") == "1")
        #expect(try await harness.redis.command("KEYS", "tintype:{default}:f:*").split(separator: "\n").count == 1, "one fetch")
        let plain = try await client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"r","deadline":60}"#)
        #expect(plain.state == "queued" && plain.result?["durable"] == nil, "the same request: \(plain)")
        let metrics = await harness.coordinator.core.process.metrics
        #expect(metrics.value(.durable, labels: "kept") == 1 && metrics.value(.durable, labels: "unsure") >= 1)
        #expect(metrics.value(.durableSeconds) > 0.15)
        // One that has ended.
        let fetch = try await harness.worker.claim()
        try await harness.worker.succeed(fetch)
        let ended = try await client.call("image.submit", request)
        #expect(durable(ended) == true && ended.state == "succeeded", "\(ended)")
    }

    @Test func `a wait is no longer than the deadline of its request`() async throws {
        let (_, client, replica) = try await harness()
        replica.freeze()
        let answer = try await client.call("image.submit", #"{"url":"http://origin.test/a","durable":true,"deadline":0.3}"#)
        #expect(durable(answer) == false, "\(answer)")
        replica.thaw()
    }

    @Test func `the events and the end of a load come after the wait`() async throws {
        let (harness, client, replica) = try await harness()
        replica.freeze()
        async let answer = client.call("image.load", #"{"url":"http://origin.test/a","durable":true,"progress":true,"deadline":60}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        try await harness.until { harness.coordinator.core.receipts.table.all.contains { $0.life.submits == 1 } }
        #expect(client.notifications.isEmpty)
        replica.thaw()
        #expect(try await answer.state == "succeeded")
        #expect(client.notifications.last?.type == "succeeded")
    }

    @Test func `a request that does not ask waits for nobody, and opens no connection`() async throws {
        let (harness, client, replica) = try await harness()
        replica.freeze()
        let callback = #""callback":{"url":"http://origin.test/"}"#
        for members in [#""detached":true"#, callback, #""durable":false"#] {
            let answer = try await client.call("image.submit", #"{"url":"http://origin.test/a",\#(members)}"#)
            #expect(answer.state == "queued" && answer.result?["durable"] == nil, "\(answer)")
        }
        let started = try await client.call("batch.start", #"{"items":[{"url":"http://origin.test/b"}]}"#)
        #expect(started.group != nil && started.result?["durable"] == nil)
        #expect(!(try await harness.redis.command("CLIENT", "LIST")).contains("-durable"))
        #expect(!(try await harness.redis.command("INFO", "commandstats")).contains("cmdstat_wait:"))
        replica.thaw()
    }

    @Test func `the operator's default holds for its kind of work, and each request may say otherwise`() async throws {
        let callback = #""callback":{"url":"http://origin.test/"}"#
        for (work, members, waits) in [
            (["detached"], #""detached":true"#, true), (["detached"], callback, false), (["callbacks"], callback, true),
            (["callbacks"], #""detached":true"#, false),
            (["detached", "callbacks", "groups"], #""tag":"x""#, false), (["detached"], #""detached":true,"durable":false"#, false),
            (["groups"], #""durable":true"#, true),
        ] {
            let (harness, client, _) = try await harness(work)
            let answer = try await client.call("image.submit", #"{"url":"http://origin.test/a",\#(members)}"#)
            #expect(durable(answer) == (waits ? true : nil), "\(work) \(members): \(answer)")
            await harness.stop()
        }
        let (harness, _, _) = try await harness(["detached"])
        let body = #"{"jsonrpc":"2.0","id":1,"method":"image.submit","params":{"url":"http://origin.test/a"}}"#
        let answer = try await HTTP.get(await harness.base + "/rpc", ["-H", "Content-Type: application/json", "-d", body])
        #expect(String(decoding: answer.body, as: UTF8.self).contains(#""durable":true"#), "over HTTP no client waits")
    }

    @Test func `groups wait once, and their items never`() async throws {
        let (harness, client, _) = try await harness(["detached", "groups"])
        let items = #"[{"url":"http://origin.test/a"},{"url":"http://origin.test/b","durable":true}]"#
        var groups: [String] = []
        for (method, members) in [("batch.start", #""items":\#(items)"#), ("prefetch.start", #""items":\#(items)"#), ("chain.start", #""steps":\#(items)"#)] {
            let answer = try await client.call(method, "{\(members)}")
            #expect(durable(answer) == true, "\(method)")
            groups.append(try #require(answer.group))
        }
        let chain = try #require(try await client.call("chain.start", #"{"steps":\#(items),"durable":false}"#).group)
        let added = try await client.call("chain.append", #"{"group":"\#(chain)","steps":\#(items)}"#)
        #expect(durable(added) == true, "\(added)")
        let work = Task { await harness.worker.work() }
        defer { work.cancel() }
        for group in groups + [chain] {
            let end = try await client.call("group.get", #"{"group":"\#(group)","wait":40}"#)
            #expect(end.state == "succeeded", "\(end)")
        }
        #expect(await harness.coordinator.core.process.metrics.value(.durable, labels: "kept") == 4)
    }

    @Test func `a callback that a result in memory owes waits too`() async throws {
        let (harness, client, replica) = try await harness(["callbacks"])
        async let first = client.call("image.load", #"{"url":"http://origin.test/a"}"#)
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await first.state == "succeeded")
        let metrics = await harness.coordinator.core.process.metrics
        let answer = try await client.call("image.load", #"{"url":"http://origin.test/a","callback":{"url":"http://origin.test/"}}"#)
        #expect(answer.state == "succeeded" && metrics.value(.durable, labels: "kept") == 1, "\(answer)")
        #expect(try await replica.command("EXISTS", "tintype:{default}:cb:\(answer.result?["receipt"]?.string ?? "")") == "1")
    }

    @Test func `many submits at once share their waits`() async throws {
        let (harness, client, replica) = try await harness()
        replica.freeze()
        async let answers = withThrowingTaskGroup(of: Bool?.self) { group in
            for number in 0..<100 {
                group.addTask { try await durable(client.call("image.submit", #"{"url":"http://origin.test/\#(number)","durable":true,"deadline":60}"#)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await harness.until { harness.coordinator.core.receipts.table.all.count { $0.life.submits == 1 } == 100 }
        replica.thaw()
        #expect(try await answers == Array(repeating: true, count: 100))
        let line = try await harness.redis.command("INFO", "commandstats").firstMatch(of: /cmdstat_wait:calls=([0-9]+)/).map { String($0.1) }
        #expect(Int(line ?? "") ?? .max < 30, "\(line ?? "no WAIT")")
    }

    @Test func `a receipt that another primary never had is submitted again while its client waits for the answer`() async throws {
        let (harness, client, replica) = try await harness()
        replica.freeze()
        async let answer = client.call("image.submit", #"{"url":"http://origin.test/a","receipt":"r","durable":true,"deadline":60}"#)
        try await Gate.until("it waits") { try await harness.redis.command("CLIENT", "LIST").contains("cmd=wait") }
        // As a switch does: the receipt is gone with all data, and connections end.
        try await harness.redis.command("FLUSHALL")
        try await harness.redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        replica.thaw()
        #expect(durable(try await answer) == true)
        #expect(try await harness.redis.command("EXISTS", "tintype:{default}:r:r") == "1")
        #expect(await harness.coordinator.core.process.metrics.value(.durable, labels: "lost") == 1)
    }

    @Test func `events of a receipt before its loss hide none after it`() async throws {
        let (harness, client, replica) = try await harness()
        replica.freeze()
        async let answer = client.call("image.load", #"{"url":"http://origin.test/a","receipt":"r","durable":true,"progress":true,"deadline":60}"#)
        let first = try await harness.worker.claim()
        for received in 1...9 { try await harness.worker.progress(first, ["receivedBytes": JSON(received)]) }
        try await Gate.until("it waits") { try await harness.redis.command("CLIENT", "LIST").contains("cmd=wait") }
        try await harness.until { harness.coordinator.core.process.metrics.value(.eventsReceived, labels: "progress") == 9 }
        try await harness.redis.command("FLUSHALL")
        try await harness.redis.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        replica.thaw()
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await answer.state == "succeeded")
        #expect(client.notifications.map(\.type) == ["queued", "started", "rendition", "succeeded"])
    }

    @Test func `a coordinator stops while submits and groups wait for replicas`() async throws {
        let (harness, client, replica) = try await harness()
        replica.freeze()
        async let submitted = client.call("image.submit", #"{"url":"http://origin.test/a","durable":true,"deadline":60}"#)
        async let started = client.call("batch.start", #"{"items":[],"durable":true}"#)
        try await Gate.until("they wait") { try await harness.redis.command("CLIENT", "LIST").contains("cmd=wait") }
        await harness.coordinator.drain(grace: .milliseconds(50))
        for answer in [try? await submitted, try? await started] {
            #expect(answer?.error == nil || answer?.error?.name == "shuttingDown", "\(String(describing: answer))")
        }
        replica.thaw()
    }
}
