import Foundation
import Synchronization
import TintypeCore
import TestSupport
import Testing

/// Whole processes whose Redis has replicas and sentinels: another server becomes the primary while they are at work.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct SentinelTests {
    enum Fault: String, CaseIterable, Sendable { case planned, killed, frozen }

    /// The work that goes on meanwhile.
    enum Load: String, CaseIterable, Sendable { case idle, downloads, submits }

    private func load(_ client: RPCClient, _ url: String) async throws -> RPCClient.Message {
        try await client.call("image.load", #"{"url":"\#(url)","as":"bytes","deadline":90}"#)
    }

    /// Makes another server the primary, and returns when all services use it.
    private func change(_ deployment: Deployment, by fault: Fault) async throws {
        let site = try #require(deployment.site)
        switch fault {
        case .planned: try await site.failOver()
        case .killed: await site.primary.kill9()
        case .frozen: site.primary.freeze()
        }
        try await site.untilSwitched()
        for service in deployment.coordinators + deployment.workers {
            do {
                try await Gate.until("it uses the new primary") {
                    // On a busy machine the new primary may be given up too.
                    await site.lookAgain()
                    let isThere = try await service.value(of: #"tintype_redis_primary{address="\#(site.address)"}"#) == 1
                    let listens = try await service.value(of: #"tintype_redis_connected{connection="subscriber"}"#) == 1
                    return isThere && listens
                }
            } catch let failure as TestFailure {
                let metrics = String(decoding: try await HTTP.get(service.base + "/metrics").body, as: UTF8.self)
                let facts = metrics.split(separator: "\n").filter { $0.hasPrefix("tintype_redis_") }.joined(separator: "; ")
                throw TestFailure("\(failure); the sentinels name \(site.address); \(facts)")
            }
            #expect(try await service.value(of: "tintype_redis_switches_total") >= 1)
            try await Gate.until("it is ready") { try await HTTP.get(service.base + "/readyz").status == 200 }
        }
    }

    @Test(arguments: Fault.allCases, Load.allCases)
    func `every request ends once when another Redis becomes the primary`(fault: Fault, load: Load) async throws {
        let deployment = try await Deployment(coordinators: 2, workers: 2, site: try await SentinelSite())
        let (client, other) = (try deployment.client(0), try deployment.client(1))
        try await deployment.configure(client, #""maxConcurrentPerHost":30"#)
        switch load {
        case .idle:
            try await change(deployment, by: fault)
        case .downloads:
            async let answers = withThrowingTaskGroup(of: RPCClient.Message.self) { group in
                for number in 0..<10 {
                    let url = deployment.url("/slow/picture.png?size=64x48&delay=6&n=\(number)")
                    group.addTask { try await self.load(number % 2 == 0 ? client : other, url) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for number in 0..<10 {
                let url = deployment.url("/slow/picture.png?size=64x48&delay=6&m=\(number)")
                let parameters = #"{"url":"\#(url)","as":"bytes","deadline":90,"receipt":"r\#(number)"}"#
                #expect(try await client.call("image.submit", parameters).error == nil)
            }
            try await Gate.until("all run") { try await deployment.asked() == 20 }
            try await change(deployment, by: fault)
            let all = try await answers
            #expect(all.count == 10 && all.allSatisfy { $0.state == "succeeded" }, "\(all.filter { $0.state != "succeeded" })")
            for number in 0..<10 {
                let end = try await client.call("receipt.get", #"{"receipt":"r\#(number)","wait":60}"#)
                #expect(end.state == "succeeded", "\(end)")
            }
            let ends = await client.notifications { $0.count { $0.type == "succeeded" } >= 10 }.filter { $0.type == "succeeded" }
            #expect(ends.count == 10 && Set(ends.compactMap(\.receipt)).count == 10, "\(ends)")
        case .submits:
            // One after the other, before, during and after the switch.
            let isOver = Atomic(false)
            async let answers = {
                try await withThrowingTaskGroup(of: RPCClient.Message.self) { group in
                    var number = 0
                    while !isOver.load(ordering: .relaxed) {
                        let url = deployment.url("/picture.png?size=64x48&n=\(number)")
                        group.addTask { [number] in try await self.load(number % 2 == 0 ? client : other, url) }
                        number += 1
                        try await Task.sleep(for: .milliseconds(25))
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }()
            try await Gate.until("some are done") { try await deployment.asked() >= 5 }
            try await change(deployment, by: fault)
            isOver.store(true, ordering: .relaxed)
            let all = try await answers
            #expect(all.count > 20 && all.allSatisfy { $0.state == "succeeded" }, "\(all.filter { $0.state != "succeeded" })")
        }
        for (number, client) in [client, other].enumerated() {
            #expect(try await self.load(client, deployment.url("/picture.png?size=64x48&last=\(number)")).state == "succeeded")
        }
        #expect(try await deployment.violations(client) == [])
    }

    /// Freezes the replicas, which have all that the primary has now. Later writes are acknowledged all the same, and lost with the primary.
    private func replicasLeftBehind(_ site: SentinelSite) async throws -> [RedisServer] {
        #expect(try await site.primary.command("CONFIG", "SET", "min-replicas-to-write", "0") == "OK")
        #expect(try await site.primary.command("WAIT", "2", "10000") == "2")
        let replicas = site.servers.filter { $0 !== site.primary }
        for replica in replicas { replica.freeze() }
        // Otherwise the writes would wait in the sockets of the replicas.
        #expect(try await site.primary.command("CLIENT", "KILL", "TYPE", "replica") == "2")
        return replicas
    }

    @Test func `receipts that the new primary never had are submitted again`() async throws {
        let site = try await SentinelSite()
        let deployment = try await Deployment(workers: 0, site: site)
        let client = try deployment.client()
        try await client.call("queue.pause", #"{"queue":"default"}"#)
        let replicas = try await replicasLeftBehind(site)
        for number in 0..<10 {
            let url = deployment.url("/picture.png?size=64x48&n=\(number)")
            let answer = try await client.call("image.submit", #"{"url":"\#(url)","as":"bytes","deadline":90,"receipt":"r\#(number)"}"#)
            #expect(answer.error == nil, "\(answer)")
        }
        await site.primary.kill9()
        for replica in replicas { replica.thaw() }
        try await site.untilSwitched()
        for number in 0..<10 {
            try await Gate.until("the new primary has it") { try await deployment.redis("EXISTS", "r:r\(number)") == "1" }
        }
        let worker = try await deployment.anotherWorker()
        try await Gate.until("the queue goes on") { try await client.call("queue.resume", #"{"queue":"default"}"#).error == nil }
        let ends = await client.notifications { $0.count { $0.type == "succeeded" } >= 10 }.filter { $0.type == "succeeded" }
        #expect(ends.count == 10 && Set(ends.compactMap(\.receipt)).count == 10, "\(ends)")
        #expect(try await deployment.violations(client) == [])
        await worker.stop()
    }

    @Test func `a client that was told of an end which the new primary has not is answered again, but not told twice`() async throws {
        let site = try await SentinelSite()
        let deployment = try await Deployment(workers: 1, site: site)
        let client = try deployment.client()
        let request = #"{"url":"\#(deployment.url("/picture.png?size=64x48&gate=0"))","as":"bytes","deadline":90,"receipt":"r"}"#
        #expect(try await client.call("image.submit", request).error == nil)
        try await Gate.until("it runs") { try await deployment.atOrigin() == 1 }
        let replicas = try await replicasLeftBehind(site)
        try await deployment.open(gate: "0")
        _ = await client.notifications { $0.contains { $0.type == "succeeded" } }
        // The worker would report the end again at once.
        deployment.workers[0].freeze()
        await site.primary.kill9()
        for replica in replicas { replica.thaw() }
        try await site.untilSwitched()
        try await Gate.until("it runs again") { try await client.call("receipt.get", #"{"receipt":"r"}"#).state == "running" }
        async let answer = client.call("receipt.get", #"{"receipt":"r","wait":60}"#)
        deployment.workers[0].thaw()
        #expect(try await answer.state == "succeeded")
        try await client.call("system.ping")
        #expect(client.notifications.count { $0.type == "succeeded" } == 1, "\(client.notifications)")
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `an old primary that wakes up is not used again`() async throws {
        let site = try await SentinelSite()
        let deployment = try await Deployment(site: site)
        let client = try deployment.client()
        let old = site.primary
        try await change(deployment, by: .frozen)
        old.thaw()
        for number in 0..<20 {
            #expect(try await load(client, deployment.url("/picture.png?size=64x48&n=\(number)")).state == "succeeded")
            // It closes all connections while it becomes a replica.
            let clients = try? await old.command("CLIENT", "LIST")
            #expect(clients?.contains(":c-") != true, "a service has come back to it")
        }
        // It closes connections once more while it becomes one.
        try await Gate.until("it has become a replica") { (try? await old.command("ROLE"))?.hasPrefix("slave") == true }
        for service in deployment.coordinators + deployment.workers {
            #expect(try await service.value(of: #"tintype_redis_primary{address="\#(site.address)"}"#) == 1)
        }
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `services start and follow a switch while one sentinel is dead`() async throws {
        let site = try await SentinelSite()
        await site.sentinels[0].kill9()
        let deployment = try await Deployment(site: site)
        let client = try deployment.client()
        #expect(try await load(client, deployment.url("/picture.png?size=64x48&n=0")).state == "succeeded")
        try await change(deployment, by: .killed)
        #expect(try await load(client, deployment.url("/picture.png?size=64x48&n=1")).state == "succeeded")
        #expect(try await deployment.coordinators[0].value(of: "tintype_redis_sentinels") == 2)
        #expect(try await deployment.violations(client) == [])
    }
}
