import TestSupport
import TintypeCore
import Testing

/// Real programs on a Redis that is a cluster, though of one server: keys and channels of two slots are refused.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct ClusterFlowTests {
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
}
