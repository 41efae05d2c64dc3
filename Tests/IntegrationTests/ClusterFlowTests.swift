import Foundation
import Synchronization
import TestSupport
import TintypeCore
import TintypeTransport
import Testing

/// Real programs on a Redis Cluster. One server alone shows whether keys and channels of two slots meet; several show slots that move and servers that die.
@Suite(.tags(.realTimes), .timeLimit(.minutes(2)), .serialized, .scoped) struct ClusterFlowTests {
    @Test func `two queues, stores, groups, events and removal work on a cluster`() async throws {
        let redis = try await RedisServer(isCluster: true)
        let coordinator = try await ServiceProcess.coordinator(redis: redis.url)
        let worker = try await ServiceProcess.worker(redis: redis.url, ["--queues", "default,bulk"])
        let origin = try await ServiceProcess.origin()
        let client = try RPCClient(port: coordinator.rpcPort)
        #expect(try await client.call("queue.configure", #"{"queue":"bulk"}"#).error == nil)
        let listener = try RPCClient(port: coordinator.rpcPort)
        #expect(try await listener.call("events.subscribe", #"{"queue":"bulk"}"#).error == nil)

        // Each of them finds the worker asleep.
        for (number, queue) in ["default", "bulk", "bulk", "default"].enumerated() {
            let load = #"{"url":"\#(origin.base)/picture.png?n=\#(number)","queue":"\#(queue)","receipt":"r\#(number)","progress":true,"#
            let answer = try await client.call("image.load", load + #""transform":[{"op":"resize","width":16}],"fetch":{"cookies":"jar"}}"#)
            #expect(answer.state == "succeeded", "\(answer)")
            #expect(try await client.call("receipt.get", #"{"receipt":"r\#(number)"}"#).state == "succeeded")
        }
        let told = await listener.notifications { $0.filter { $0.type == "succeeded" }.count >= 2 }
        #expect(Set(told.filter { $0.type == "succeeded" }.map(\.receipt)) == ["r1", "r2"])
        #expect(client.notifications.contains { $0.type == "started" && $0.receipt == "r2" }, "progress comes by the channel of the coordinator")

        // A run is stopped by the channel of the workers.
        let hanging = #"{"url":"\#(origin.base)/hang","queue":"bulk","receipt":"hangs"}"#
        #expect(try await client.call("image.submit", hanging).error == nil)
        try await Gate.until("it runs") { try await client.call("receipt.get", #"{"receipt":"hangs"}"#).state == "running" }
        #expect(try await client.call("receipt.cancel", #"{"receipt":"hangs"}"#).error == nil)
        try await Gate.until("its run is over") {
            try await client.call("queue.list").result?.array?.allSatisfy { $0["running"]?.int == 0 } == true
        }

        let items = (0..<4).map { #"{"url":"\#(origin.base)/picture.png?batch=\#($0)","queue":"\#($0 < 2 ? "default" : "bulk")"}"# }
        let group = try #require(try await client.call("batch.start", #"{"items":[\#(items.joined(separator: ","))]}"#).group)
        #expect(try await client.call("group.get", #"{"group":"\#(group)","wait":60}"#).state == "succeeded")

        let loaded = #"{"url":"\#(origin.base)/picture.png?n=1","queue":"bulk","transform":[{"op":"resize","width":16}],"fetch":{"cookies":"jar"}}"#
        #expect(try await client.call("cache.contains", loaded).error == nil)
        #expect(try await client.call("cache.remove", loaded)["removed"]?.int ?? 0 > 0)
        #expect(try await client.call("cache.stats").error == nil)
        #expect(try await client.call("system.validate")["ok"]?.bool == true)
        #expect(try await client.call("cache.clear").error == nil)
        try await Gate.until("the worker waits for each queue") {
            try await redis.command("CLIENT", "LIST").split(separator: "\n").filter { $0.contains("cmd=bzpopmin") }.count == 2
        }
        // One wait for both markers, by which the worker learned that this is a cluster.
        let refusals = try await redis.command("INFO", "errorstats").firstMatch(of: /errorstat_CROSSSLOT:count=(\d+)/).map { String($0.1) }
        #expect(refusals == "1")
        await worker.stop()
        await coordinator.stop()
        for process in [coordinator.process, worker.process] { #expect(!process.errors.contains("slot"), "\(process.errors)") }
    }

    /// How many requests of a test are done, and whether no more are to follow.
    private final class Load: Sendable {
        let isOver = Atomic(false)
        let done = Atomic(0)
    }

    enum Change: String, CaseIterable, Sendable { case moved, resharded, killed }

    @Test(arguments: Change.allCases) func `every request ends once while the slot of its queue moves, or its server dies`(change: Change) async throws {
        let site = try await ClusterSite(replicas: change == .killed ? 1 : 0)
        // Resharding moves the first slots of a server.
        let bulk = change == .resharded ? try #require((0...).lazy.map { "q\($0)" }.first { HashSlot.slot(of: $0) < 20 }) : "bulk"
        // A result in a dead server is out of reach until a replica is promoted, and so are the answers with it.
        let results = try TemporaryFolder("results")
        let store = change == .killed ? ["--results", "file://\(results.path)"] : []
        let coordinators = [try await ServiceProcess.coordinator(redis: site.url, store), try await ServiceProcess.coordinator(redis: site.url, store)]
        let workers = [
            try await ServiceProcess.worker(redis: site.url, store + ["--queues", "default,\(bulk)"]), try await ServiceProcess.worker(redis: site.url, store),
        ]
        let origin = try await ServiceProcess.origin()
        let clients = try coordinators.map { try RPCClient(port: $0.rpcPort) }
        #expect(try await clients[0].call("queue.configure", #"{"queue":"\#(bulk)"}"#).error == nil)
        let load = Load()
        async let answers = {
            try await withThrowingTaskGroup(of: RPCClient.Message.self) { group in
                var number = 0
                while !load.isOver.load(ordering: .relaxed) {
                    let queue = number % 3 == 0 ? bulk : "default"
                    let request = #"{"url":"\#(origin.base)/picture.png?size=64x48&n=\#(number)","queue":"\#(queue)","receipt":"r\#(number)","deadline":90,"#
                    group.addTask { [number] in
                        let answer = try await clients[number % 2].call("image.load", request + #""transform":[{"op":"resize","width":16}]}"#)
                        load.done.add(1, ordering: .relaxed)
                        return answer
                    }
                    number += 1
                    try await Task.sleep(for: .milliseconds(25))
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }()
        try await Gate.until("some are done") { load.done.load(ordering: .relaxed) >= 5 }
        let slot = try await site.slot(of: "tintype:{default}:cfg")
        switch change {
        case .moved:
            for _ in 0..<3 {
                let before = load.done.load(ordering: .relaxed)
                try await site.move(slot, to: (try await site.owner(of: slot) + 1) % 3)
                try await Gate.until("work goes on") { load.done.load(ordering: .relaxed) >= before + 20 }
            }
        case .resharded:
            let slot = try await site.slot(of: "tintype:{\(bulk)}:cfg")
            for _ in 0..<2 {
                let (before, source) = (load.done.load(ordering: .relaxed), try await site.owner(of: slot))
                try await site.reshard(40, from: source, to: (source + 1) % 3)
                #expect(try await site.owner(of: slot) != source)
                try await Gate.until("work goes on") { load.done.load(ordering: .relaxed) >= before + 20 }
            }
        case .killed:
            let old = try await site.owner(of: slot)
            await site.servers[old].kill9()
            try await Gate.until("the replica is promoted") { (try? await site.owner(of: slot)).map { $0 != old } ?? false }
            let before = load.done.load(ordering: .relaxed)
            try await Gate.until("work goes on") { load.done.load(ordering: .relaxed) >= before + 20 }
        }
        load.isOver.store(true, ordering: .relaxed)
        let all = try await answers
        #expect(all.count > 20 && all.allSatisfy { $0.state == "succeeded" }, "\(all.filter { $0.state != "succeeded" })")
        for service in coordinators + workers {
            try await Gate.until("it is ready") { try await HTTP.get(service.base + "/readyz").status == 200 }
        }
        #expect(try await clients[0].call("system.validate")["ok"]?.bool == true)
        // Both ask about every queue, so both saw the change; only the servers that are left can name another one.
        var redirects = 0
        for service in coordinators {
            #expect(try await service.value(of: "tintype_redis_topology_changes_total") >= 1)
            redirects += try await service.value(of: #"tintype_redis_redirects_total{kind="moved"}"#)
        }
        if change != .killed { #expect(redirects >= 1) }
        for worker in workers { #expect(try await worker.value(of: #"tintype_redis_command_seconds_count{command="claim",outcome="ok"}"#) >= 1) }
        for service in workers + coordinators { await service.stop() }
    }

    @Test func `downloads end once after their slot was on its way for thirty seconds, and another queue is served meanwhile`() async throws {
        let site = try await ClusterSite()
        let coordinator = try await ServiceProcess.coordinator(redis: site.url)
        let worker = try await ServiceProcess.worker(redis: site.url, ["--queues", "default,bulk"])
        let origin = try await ServiceProcess.origin()
        let client = try RPCClient(port: coordinator.rpcPort)
        #expect(try await client.call("queue.configure", #"{"queue":"bulk","maxConcurrentPerHost":20}"#).error == nil)
        func request(_ path: String, _ more: String) -> String { #"{"url":"\#(origin.base)\#(path)","as":"bytes",\#(more)}"# }
        for number in 0..<20 {
            let asked = request("/picture.png?size=64x48&gate=\(number % 2)&n=\(number)", #""queue":"bulk","receipt":"r\#(number)","deadline":120"#)
            #expect(try await client.call("image.submit", asked).error == nil)
        }
        func atOrigin() async throws -> Int { try JSON(parsing: try await HTTP.get(origin.base + "/_counts").body)["running"]?.int ?? -1 }
        func open(_ gate: Int) async throws -> Bool { try await HTTP.get(origin.base + "/_open?gate=\(gate)").status == 200 }
        try await Gate.until("all run") { try await atOrigin() == 20 }

        let slot = try await site.slot(of: "tintype:{bulk}:cfg")
        let source = try await site.owner(of: slot)
        try await site.beginMove(of: slot, to: (source + 1) % 3)
        for _ in 0..<10 { try await Gate.until("somebody waits at the gate") { try await open(0) } }
        let hurried = try await client.call("image.load", request("/picture.png?n=hurried", #""queue":"bulk","deadline":3"#))
        #expect(["unavailable", "deadlineExceeded"].contains(hurried.error?.name), "\(hurried)")
        var number = 0
        try await Gate.until("the last heartbeat was thirty seconds ago", within: .seconds(60)) {
            number += 1
            #expect(try await client.call("image.load", request("/picture.png?size=64x48&m=\(number)", #""deadline":30"#)).state == "succeeded")
            let leases = try await site.servers[source].command("ZRANGE", "tintype:{bulk}:run", "-1", "-1", "WITHSCORES").split(separator: "\n")
            let beaten = (leases.last.flatMap { Double($0) } ?? .infinity) / 1000 - Double(TestTimes.lease.components.seconds)
            return Date().timeIntervalSince1970 > beaten + 30
        }
        #expect(client.notifications.isEmpty, "\(client.notifications)")
        try await site.endMove(of: slot, to: (source + 1) % 3)
        try await Gate.until("all have ended", within: .seconds(60)) {
            // The runs that follow wait at the gates too.
            for gate in 0..<2 { while try await open(gate) {} }
            return client.notifications.count { $0.type == "succeeded" } >= 20
        }
        try await client.call("system.ping")
        let ends = client.notifications
        #expect(ends.count == 20 && Set(ends.compactMap(\.receipt)).count == 20 && ends.allSatisfy { $0.type == "succeeded" }, "\(ends)")
        #expect(ends.allSatisfy { $0["result"]?["attempts"]?.int == 1 }, "\(ends)")
        try await Gate.until("the rules hold") { try await client.call("system.validate")["ok"]?.bool == true }
        for service in [worker, coordinator] { await service.stop() }
    }
}
