import Foundation
import TintypeCore
import TestSupport
import Testing

/// Whole processes while Redis goes, comes back, runs out of memory, cuts subscribers off, falls silent, refuses, forgets, or is replaced.
@Suite(.tags(.realTimes), .timeLimit(.minutes(2)), .serialized, .scoped) struct RedisTroubleTests {
    private func load(_ client: RPCClient, _ url: String, deadline: Int = 60) async throws -> RPCClient.Message {
        try await client.call("image.load", #"{"url":"\#(url)","as":"bytes","deadline":\#(deadline)}"#)
    }

    @Test(.tags(.timed)) func `an idle worker claims at once each time Redis is back`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        var times: [Duration] = []
        for round in 0..<6 {
            await deployment.redis.kill9()
            try await Gate.until("the worker has noticed") { try await HTTP.get(deployment.workers[0].base + "/readyz").status == 503 }
            try await Gate.until("the coordinator has noticed") {
                let metrics = String(decoding: try await HTTP.get(deployment.coordinators[0].base + "/metrics").body, as: UTF8.self)
                return metrics.contains(#"tintype_redis_connected{connection="commands"} 0"#)
            }
            try await deployment.redis.restart()
            let back = ContinuousClock.now
            let answer = try await load(client, deployment.url("/picture.png?size=64x48&n=\(round)"))
            #expect(answer.state == "succeeded", "\(answer)")
            times.append(ContinuousClock.now - back)
        }
        // Most of them sooner than the claim that it makes every ten seconds in any case.
        #expect(times.sorted()[3] < .seconds(5), "\(times)")
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `a run whose end Redis has lost keeps no place of its host, and is not made again`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        try await deployment.configure(client, #""maxConcurrentPerHost":1"#)
        let url = deployment.url("/picture.png?size=64x48&gate=0")
        try await client.call("image.submit", #"{"url":"\#(url)","as":"bytes","receipt":"lost"}"#)
        try await Gate.until("it runs") { try await deployment.atOrigin() == 1 }
        // The server comes back with these data.
        try await deployment.redis.command("SAVE")
        try await deployment.open(gate: "0")
        _ = await client.notifications { $0.contains { $0.type == "succeeded" } }
        await deployment.redis.kill9()
        try await deployment.redis.restart()
        // Nobody opens the gate for a second download, which would keep the only place.
        let answer = try await load(client, deployment.url("/picture.png?size=64x48&n=next"))
        #expect(answer.state == "succeeded", "\(answer)")
        #expect(try await client.call("receipt.get", #"{"receipt":"lost"}"#).state == "succeeded")
        #expect(try await deployment.asked() == 2)
        #expect(client.notifications.count { $0.type == "succeeded" } == 1)
        #expect(try await deployment.violations(client) == [])
    }

    /// The coordinator is frozen while the events of 400 fetches come, so that Redis must cut its subscriber off.
    @Test func `a coordinator misses no end when Redis cuts its subscriber off for a backlog`() async throws {
        let deployment = try await Deployment(workers: 2)
        let client = try deployment.client()
        try await deployment.redis.command("CONFIG", "SET", "client-output-buffer-limit", "pubsub 64kb 32kb 1")
        try await client.call("queue.pause", #"{"queue":"default"}"#)
        for number in 0..<400 {
            let url = deployment.url("/picture.png?size=64x48&n=\(number)")
            try await client.call("image.submit", #"{"url":"\#(url)","as":"bytes","progress":{"interval":0},"deadline":100,"receipt":"r\#(number)"}"#)
        }
        try await client.call("queue.resume", #"{"queue":"default"}"#)
        deployment.coordinators[0].freeze()
        try await Gate.until("all have ended", within: .seconds(90)) { try await deployment.redis("ZCARD", "dl") == "0" }
        try await Gate.until("its subscriber is cut off, those of the two workers are not") {
            try await deployment.redis.command("CLIENT", "LIST", "TYPE", "pubsub").split(separator: "\n").count == 2
        }
        deployment.coordinators[0].thaw()
        let ends = await client.notifications { $0.count { $0.type == "succeeded" } >= 400 }
            .filter { $0.type == "succeeded" }.compactMap { $0.receipt }
        #expect(ends.count == 400 && Set(ends).count == 400)
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `a Redis without memory refuses new requests with a time, ends runs, and recovers`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        // Longer than a heartbeat, so that the lease is renewed too.
        async let running = load(client, deployment.url("/slow/picture.png?size=64x48&delay=12"))
        try await Gate.until("it runs") { try await deployment.atOrigin() == 1 }
        try await deployment.redis.command("CONFIG", "SET", "maxmemory", "1kb")
        let refused = try await client.call("image.submit", #"{"url":"\#(deployment.url("/picture.png?size=64x48"))","as":"bytes"}"#)
        #expect(refused.error?.name == "overloaded", "\(refused)")
        let seconds = refused.error?.data["retryAfter"]?.double ?? 0
        #expect(seconds > 0, "\(refused)")
        let fetch = try #require(try await deployment.running().first)
        let lease = Double(try await deployment.redis("ZSCORE", "run", fetch)) ?? 0
        try await Gate.until("a beat is taken") { Double(try await deployment.redis("ZSCORE", "run", fetch)) ?? 0 > lease }
        #expect(try await running["attempts"]?.int == 1)
        #expect(try await running.state == "succeeded")
        try await deployment.redis.command("CONFIG", "SET", "maxmemory", "0")
        let answer = try await load(client, deployment.url("/picture.png?size=64x48"))
        #expect(answer.state == "succeeded", "\(answer)")
        #expect(try await deployment.violations(client) == [])
    }

    /// The replica replaces the dead master under the same name, as behind a virtual address.
    @Test func `a promoted replica replaces a dead master`() async throws {
        let port = try FreePort.find()
        let deployment = try await Deployment(redisOptions: ["--port", "\(port)", "--repl-diskless-sync-delay", "0"])
        let client = try deployment.client()
        let replica = try await RedisServer(options: ["--replicaof", "127.0.0.1 \(port)"], isCluster: false)
        try await Gate.until("the replica is in step") { try await replica.command("INFO", "replication").contains("master_link_status:up") }
        try await client.call("queue.pause", #"{"queue":"default"}"#)
        for number in 0..<20 {
            let url = deployment.url("/picture.png?size=64x48&n=\(number)")
            try await client.call("image.submit", #"{"url":"\#(url)","as":"bytes","deadline":100,"receipt":"r\#(number)"}"#)
        }
        #expect(try await deployment.redis.command("WAIT", "1", "10000") == "1")
        await deployment.redis.kill9()
        try FileManager.default.removeItem(atPath: deployment.redis.socketPath)
        try FileManager.default.createSymbolicLink(atPath: deployment.redis.socketPath, withDestinationPath: replica.socketPath)
        // For a while the replica is up and accepts no writes.
        try await Gate.until("it has refused one") { try await replica.command("INFO", "errorstats").contains("errorstat_READONLY") }
        let readOnly = try await client.call("image.submit", #"{"url":"\#(deployment.url("/early"))","as":"bytes","deadline":1}"#)
        #expect(readOnly.error?.name == "unavailable", "a read-only Redis takes nothing: \(readOnly)")
        try await replica.command("REPLICAOF", "NO", "ONE")
        try await Gate.until("writes are taken") { try await client.call("queue.resume", #"{"queue":"default"}"#).error == nil }
        for number in 0..<20 {
            let url = deployment.url("/picture.png?size=64x48&n=\(number)")
            let again = try await client.call("image.submit", #"{"url":"\#(url)","as":"bytes","deadline":100,"receipt":"r\#(number)"}"#)
            #expect(again.error == nil, "\(again)")
            let end = try await client.call("receipt.get", #"{"receipt":"r\#(number)","wait":60}"#)
            #expect(end.state == "succeeded", "\(end)")
        }
        #expect(try await deployment.violations(client) == [])
    }

    /// The connection stays open and no bytes pass any more, as behind a firewall that has forgotten it.
    @Test func `a silent subscriber delays no answer for ever`() async throws {
        let deployment = try await Deployment(isProxied: true)
        let proxy = try #require(deployment.proxy)
        let client = try deployment.client()
        // The connections of the coordinator, of the worker, and their subscribers.
        async let answer = load(client, deployment.url("/slow/picture.png?size=64x48&delay=1"))
        try await Gate.until("it runs") { try await deployment.asked() == 1 }
        try await Gate.until("both listen") { try await deployment.redis.command("CLIENT", "LIST", "TYPE", "pubsub").split(separator: "\n").count >= 2 }
        #expect(proxy.silence(having: "SSUBSCRIBE") >= 2)
        #expect(try await answer.state == "succeeded")
        // The new connections get messages.
        let next = try await load(client, deployment.url("/picture.png?size=64x48"))
        #expect(next.state == "succeeded", "\(next)")
        #expect(try await deployment.violations(client) == [])
    }

    @Test(arguments: [
        "LOADING Redis is loading the dataset in memory", "READONLY You can't write against a read only replica.",
        "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    ])
    func `commands are retried until Redis can serve, and never count as done before`(error: String) async throws {
        let deployment = try await Deployment(isProxied: true)
        let proxy = try #require(deployment.proxy)
        let client = try deployment.client()
        async let running = load(client, deployment.url("/picture.png?size=64x48&gate=r"))
        try await Gate.until("it runs") { try await deployment.asked() == 1 }
        proxy.fail("EVALSHA", with: error)
        let refused = try await client.call("image.submit", #"{"url":"\#(deployment.url("/refused"))","as":"bytes","deadline":0.5}"#)
        #expect(refused.error?.name == "unavailable", "\(refused)")
        let read = try await client.call("queue.get", #"{"queue":"default"}"#)
        #expect(read.error?.name == "unavailable", "\(read)")
        try await deployment.open(gate: "r")
        async let waiting = load(client, deployment.url("/picture.png?size=64x48"))
        try await Gate.until("both wait for Redis") {
            let inFlight = try await deployment.coordinators[0].value(of: "tintype_rpc_in_flight")
            return try await deployment.atOrigin() == 0 && inFlight == 2
        }
        #expect(try await deployment.running().count == 1, "its end was not taken")
        proxy.fail("EVALSHA", with: nil)
        for end in [try await running, try await waiting] {
            #expect(end.state == "succeeded" && end["attempts"]?.int == 1, "\(end)")
        }
        #expect(try await deployment.counts()["total"]?.int == 2)
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `errors and readiness say that Redis cannot write`() async throws {
        let deployment = try await Deployment(isProxied: true)
        let proxy = try #require(deployment.proxy)
        let client = try deployment.client()
        proxy.fail("EVALSHA", with: "MISCONF Errors writing to the AOF file: No space left on device")
        let refused = try await client.call("image.submit", #"{"url":"\#(deployment.url("/refused"))","as":"bytes","deadline":0.5}"#)
        let data = refused.error?.data
        #expect(refused.error?.name == "unavailable" && data?["message"]?.string?.contains("cannot write to its disk") == true, "\(refused)")
        for server in [deployment.coordinators[0], deployment.workers[0]] {
            try await Gate.until("it says why") {
                let ready = try await HTTP.get(server.base + "/readyz")
                return ready.status == 503 && String(decoding: ready.body, as: UTF8.self).contains("No space left on device")
            }
        }
        proxy.fail("EVALSHA", with: nil)
        for server in [deployment.coordinators[0], deployment.workers[0]] {
            try await Gate.until("it serves again") { try await HTTP.get(server.base + "/readyz").status == 200 }
        }
        let next = try await load(client, deployment.url("/picture.png?size=64x48"))
        #expect(next.state == "succeeded", "\(next)")
    }

    @Test func `scripts that Redis has forgotten are loaded again by the next caller`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        for round in 0..<5 {
            let url = deployment.url("/slow/picture.png?size=64x48&delay=0.2&n=\(round)")
            // Forgotten while the worker sleeps, and once more while it is at work.
            try await deployment.redis.command("SCRIPT", "FLUSH")
            async let answer = load(client, url)
            try await Gate.until("it runs") { try await deployment.asked() == round + 1 }
            try await deployment.redis.command("SCRIPT", "FLUSH")
            let end = try await answer
            #expect(end.state == "succeeded" && end["attempts"]?.int == 1, "\(end)")
        }
        #expect(try await deployment.counts()["total"]?.int == 5)
        #expect(try await deployment.violations(client) == [])
    }
}
