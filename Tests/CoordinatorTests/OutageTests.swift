import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import Synchronization
import TestSupport
import Testing

@testable import Coordinator

/// Redis breaks, forgets, or was never there: no client waits forever, and nothing is answered twice.
@Suite(.tags(.realTimes), .timeLimit(.minutes(2)), .serialized, .scoped) struct OutageTests {
    @Test func `requests wait while Redis refuses writes`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        try await harness.redis.command("CONFIG", "SET", "min-replicas-to-write", "1")
        async let submitted = client.call("image.submit", #"{"url":"http://origin.test/a","deadline":30}"#)
        try await harness.until {
            let errors = try await harness.redis.command("INFO", "errorstats")
            return errors.split(whereSeparator: \.isNewline).contains { $0.hasPrefix("errorstat_NOREPLICAS:count=") && !$0.hasSuffix("count=1") }
        }
        try await harness.redis.command("CONFIG", "SET", "min-replicas-to-write", "0")
        #expect(try await submitted.state == "queued")
    }

    @Test(arguments: [
        (["CONFIG", "SET", "min-replicas-to-write", "1"], ["CONFIG", "SET", "min-replicas-to-write", "0"], "had fewer replicas"),
        (["REPLICAOF", "127.0.0.1", "1"], ["REPLICAOF", "NO", "ONE"], "was a replica of another Redis"),
    ])
    func `requests end with the reason when Redis refuses writes until their deadline`(refuse: [String], serve: [String], reason: String) async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let coordinator = harness.coordinator
        async let loaded = client.call("image.load", #"{"url":"http://origin.test/a","deadline":8}"#)
        try await harness.until { coordinator.core.receipts.table.all.count { $0.isAdmitted } == 1 }
        try await harness.redis.command(refuse)
        let answer = try await loaded
        let data = answer.error?.data
        #expect(answer.error?.name == "unavailable" && data?["retryable"]?.bool == true, "\(answer)")
        #expect(data?["message"]?.string?.contains(reason) == true, "\(answer)")
        try await harness.redis.command(serve)
        try await harness.until { (try? await harness.worker.queue.info())??.queued == 0 }
    }

    @Test func `a canceled load is answered although Redis cannot cancel it`() async throws {
        let harness = try await CoordinatorHarness(breaksRules: true)
        let client = try await harness.client()
        client.send(
            #"{"jsonrpc":"2.0","id":"x","method":"image.load","params":{"url":"http://origin.test/a","receipt":"r","progress":true,"hooks":true}}"# + "\n")
        _ = await client.notifications { $0.contains { $0.type == "queued" } }
        // Another program removes the receipt's data, not the service.
        try await harness.redis.command("DEL", "tintype:{default}:r:r")
        try await harness.redis.command("SET", "tintype:{default}:r:r", "no receipt")
        client.send(##"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"x"}}"## + "\n")
        let told = await client.notifications { $0.contains { $0.hook == "didStop" } }
        #expect(told.contains { $0.hook == "didStop" }, "\(told)")
    }

    @Test func `the coordinator answers unavailable without Redis and recovers when Redis is back`() async throws {
        let harness = try await CoordinatorHarness(redisIsUp: false)
        let client = try await harness.client()
        #expect(try await client.call("system.ping").result?.string == "pong")
        #expect(try await client.call("queue.get", #"{"queue":"default"}"#).error?.name == "unavailable")
        #expect(try await client.call("image.load", #"{"url":"http://origin.test/a","deadline":0.2}"#).error?.name == "unavailable")
        #expect(try await HTTP.get(await harness.base + "/healthz").status == 200)
        let ready = try await HTTP.get(await harness.base + "/readyz")
        #expect(ready.status == 503 && String(decoding: ready.body, as: UTF8.self).contains("Redis"))
        // Asked while Redis was away, answered when it is back.
        async let patient = client.call("image.load", #"{"url":"http://origin.test/a","deadline":60}"#)
        try await harness.redis.restart()
        try await harness.worker.succeed(try await harness.worker.claim())
        #expect(try await patient.state == "succeeded")
        try await harness.until { harness.coordinator.readiness.obstacle == nil }
        #expect(try await HTTP.get(await harness.base + "/readyz").status == 200)
    }

    /// Redis treats a coordinator without heartbeats as dead and would cancel its receipts.
    @Test func `a coordinator sends a heartbeat first on each connection`() async throws {
        let harness = try await CoordinatorHarness(redisIsUp: false)
        let coordinator = harness.coordinator
        let greeted = ["ZSCORE", .string("tintype:{default}:co"), .string(await coordinator.core.queues.registry.coordinator)] as [RedisArgument]
        for _ in 0..<2 {
            try await harness.redis.restart()
            try await coordinator.core.queues.redis.untilConnected(within: .seconds(20))
            #expect(try await coordinator.core.queues.redis.servers[0].command(greeted).string != nil)
            await harness.redis.kill9()
            try await harness.until { !coordinator.core.queues.redis.isConnected }
        }
    }

    @Test(arguments: [true, false])
    func `no request is lost when Redis is killed, with its data or without`(keepsData: Bool) async throws {
        let harness = try await CoordinatorHarness(appendOnly: keepsData)
        let client = try await harness.client()
        let coordinator = harness.coordinator
        async let answers = withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<20 {
                group.addTask { try await client.call("image.load", #"{"url":"http://origin.test/\#(number)","deadline":100}"#).state }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await harness.until { coordinator.core.receipts.table.all.count { $0.isAdmitted } == 20 }
        await harness.redis.kill9()
        #expect(try await client.call("system.ping").result?.string == "pong")
        try await harness.redis.restart()
        let work = Task { await harness.worker.work() }
        #expect(try await answers == Array(repeating: "succeeded", count: 20))
        work.cancel()
    }

    @Test func `a receipt that ended late during an outage has the same end for every client`() async throws {
        let harness = try await CoordinatorHarness(appendOnly: true)
        let client = try await harness.client()
        async let loaded = client.call("image.load", #"{"url":"http://origin.test/a","receipt":"late","deadline":15}"#)
        let fetches = [try await harness.worker.claim()]
        let started = try await client.call("batch.start", #"{"mode":"settleAll","items":[{"url":"http://origin.test/b","deadline":15}]}"#)
        let group = try #require(started.group, "\(started)")
        let item = try await harness.worker.claim()
        let coordinator = harness.coordinator
        try await harness.until { coordinator.core.receipts.table.all.count { $0.isAdmitted } == 2 }
        await harness.redis.kill9()
        // Only the coordinator itself can report the end.
        #expect(try await loaded.error?.name == "deadlineExceeded")
        try await harness.until { coordinator.core.receipts.table.count == 0 }
        try await harness.redis.restart()
        try await harness.worker.redis.untilConnected(within: .seconds(30))
        // The worker may reach Redis before the coordinator does.
        for fetch in fetches + [item] { try await harness.worker.succeed(fetch) }
        let receipt = try #require(try await harness.worker.queue.receipt("late")?.ending)
        #expect(receipt.state == .failed && receipt.body.contains(#""name":"deadlineExceeded""#), "\(receipt.body)")
        let settled = try await client.call("group.get", #"{"group":"\#(group)","wait":60}"#)
        let result = try #require(settled["results"]?.array?.first, "\(settled)")
        let told = try #require(try await harness.worker.queue.receipt(result["receipt"]?.string ?? "")?.ending)
        #expect(result["state"]?.string == "failed" && told.state == .failed, "\(result), \(told.body)")
        #expect(QueueInvariants.violations(in: try await harness.worker.queue.dump()) == [])
    }

    @Test func `events that were lost with the subscriber's connection are recovered`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        for number in 0..<15 {
            async let answer = client.call("image.load", #"{"url":"http://origin.test/\#(number)","deadline":100}"#)
            let fetch = try await harness.worker.claim()
            try await harness.redis.command("CLIENT", "KILL", "TYPE", "pubsub")
            try await harness.worker.succeed(fetch)
            #expect(try await answer.state == "succeeded")
        }
        #expect(await harness.coordinator.core.receipts.table.count == 0)
    }

    @Test func `a lost message is detected at the next one`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let coordinator = harness.coordinator
        async let answer = client.call("image.load", #"{"url":"http://origin.test/a","receipt":"r1","deadline":100,"progress":true}"#)
        let fetch = try await harness.worker.claim()
        // The worker's messages go to a coordinator that does not exist, and the number for this coordinator rises without a message.
        try await harness.redis.command("HSET", "tintype:{default}:fr:\(fetch.lease.fetch)", "r1", "0 c-elsewhere")
        try await harness.redis.command("HINCRBY", "tintype:{default}:cseq", await coordinator.core.queues.registry.coordinator, "1")
        try await harness.worker.succeed(fetch)
        #expect(try await answer.state == "succeeded")
        try await harness.until { coordinator.core.process.metrics.value(.eventGaps) >= 1 }
    }

    @Test func `two coordinators share one fetch, and either finds the other's receipts`() async throws {
        let harness = try await CoordinatorHarness()
        let second = try await harness.another()
        let (one, two) = (try await harness.client(), try await harness.client(of: second))
        async let first = one.call("image.load", #"{"url":"http://origin.test/a","receipt":"shared"}"#)
        let fetch = try await harness.worker.claim()
        async let joined = two.call("image.load", #"{"url":"http://origin.test/a"}"#)
        async let waited = two.call("receipt.get", #"{"receipt":"shared","wait":60}"#)
        try await harness.until { second.core.receipts.table["shared"] != nil && second.core.receipts.table.all.allSatisfy(\.isAdmitted) }
        try await harness.until { second.core.receipts.table.count == 2 }
        try await harness.worker.succeed(fetch)
        #expect(try await joined.state == "succeeded")
        #expect(try await waited.state == "succeeded")
        #expect(try await first.state == "succeeded")
    }

    @Test func `draining answers requests in flight and refuses new ones`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        async let answer = client.call("image.load", #"{"url":"http://origin.test/a","deadline":100}"#)
        let fetch = try await harness.worker.claim()
        async let drained: Void = harness.coordinator.drain(grace: .seconds(60))
        try await harness.until { harness.coordinator.core.admission.isClosed }
        #expect(try await client.call("image.load", #"{"url":"http://origin.test/b"}"#).error?.name == "shuttingDown")
        #expect(try await HTTP.get(await harness.base + "/readyz").status == 503)
        try await harness.worker.succeed(fetch)
        #expect(try await answer.state == "succeeded")
        await drained
    }

    @Test func `requests that outlast the grace period are answered with shuttingDown`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try RawClient(port: await harness.port)
        // There are more requests than are taken at once. The waiting ones are answered too.
        var text = ""
        for id in 0..<1030 {
            text += "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"image.load\",\"params\":{\"url\":\"http://origin.test/\(id)\",\"deadline\":600}}\n"
        }
        client.send(Array(text.utf8))
        async let posted = HTTP.get(
            await harness.base + "/rpc", ["-d", #"{"jsonrpc":"2.0","id":1,"method":"image.load","params":{"url":"http://origin.test/h"}}"#])
        let coordinator = harness.coordinator
        try await harness.until { coordinator.core.receipts.table.all.count { $0.isAdmitted } == 1025 }
        await harness.coordinator.drain(grace: .milliseconds(1))
        let lines = String(decoding: await client.untilClosed(), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 1030 && lines.allSatisfy { $0.contains(#""error":{"code":1053"#) }, "\(lines.count), \(lines.first ?? "")")
        let answer = String(decoding: try await posted.body, as: UTF8.self)
        #expect(answer.contains(#""error":{"code":1053"#), "\(answer)")
    }

    @Test func `a coordinator stops although Redis hangs and receipts cannot be canceled`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try RawClient(port: await harness.port)
        client.send(Array(#"{"jsonrpc":"2.0","id":1,"method":"image.load","params":{"url":"http://origin.test/a","deadline":600}}"#.utf8) + [10])
        let coordinator = harness.coordinator
        try await harness.until { coordinator.core.receipts.table.all.contains { $0.isAdmitted } }
        harness.redis.freeze()
        let hasStopped = Atomic(false)
        async let stopped: Void = {
            await harness.coordinator.stop()
            hasStopped.store(true, ordering: .relaxed)
        }()
        // This is much less than the time for which a cancellation is tried.
        try await Gate.until("it has stopped") { hasStopped.load(ordering: .relaxed) }
        await stopped
    }
}
