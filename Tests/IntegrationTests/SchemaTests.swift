import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

/// Processes that do not know the keys in their Redis.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct SchemaTests {
    private func reason(_ service: ServiceProcess) async throws -> String? {
        let answer = try await HTTP.get(service.base + "/readyz")
        return answer.status == 503 ? String(decoding: answer.body, as: UTF8.self) : nil
    }

    @Test func `a process with another schema says so, writes nothing, and goes on when the schema fits`() async throws {
        let deployment = try await Deployment(redisOptions: ["--enable-debug-command", "local"])
        let client = try deployment.client()
        let running = #"{"url":"\#(deployment.url("/picture.png?size=16x16&gate=running"))","as":"bytes","receipt":"running","deadline":100}"#
        #expect(try await client.call("image.submit", running).error == nil)
        try await Gate.until("it runs") { try await deployment.asked() == 1 }
        #expect(try await deployment.redis("HGET", "cfg", "v") == QueueSchema.number)

        // An operator raises the number while they run.
        try await deployment.redis("HSET", "cfg", "v", "9")
        let digest = try await deployment.redis.command("DEBUG", "DIGEST")
        for service in deployment.coordinators + deployment.workers {
            try await Gate.until("it has noticed") { try await reason(service)?.contains("schema 9") ?? false }
        }
        let refused = try await client.call("image.submit", #"{"url":"\#(deployment.url("/picture.png?size=16x16"))","as":"bytes","deadline":1}"#)
        #expect(refused.error?.name == "unavailable", "\(refused)")
        #expect(refused.error?.message?.contains("schema") ?? false, "\(refused)")
        let configured = try await client.call("queue.configure", #"{"queue":"another"}"#)
        #expect(configured.error?.name == "unavailable", "\(configured)")
        let late = try await ServiceProcess.coordinator(redis: deployment.redis.url)
        try await Gate.until("it has noticed") { try await reason(late)?.contains("schema 9") ?? false }
        await late.stop()
        #expect(try await deployment.redis.command("DEBUG", "DIGEST") == digest)

        try await deployment.redis("HDEL", "cfg", "v")
        for service in deployment.coordinators + deployment.workers { try await Gate.until("it is ready") { try await reason(service) == nil } }
        try await deployment.open(gate: "running")
        let end = try await client.call("receipt.get", #"{"receipt":"running","wait":60}"#)
        #expect(end.state == "succeeded", "\(end)")
        #expect(try await deployment.redis("HGET", "cfg", "v") == QueueSchema.number)
        #expect(try await deployment.violations(client) == [])
    }

    /// Such as a queue that a migration to another version has missed.
    @Test func `only a queue of another schema is refused, and the log says what to do`() async throws {
        let deployment = try await Deployment(workerArguments: ["--queues", "default,bulk"])
        let client = try deployment.client()
        let (coordinator, worker) = (deployment.coordinators[0], deployment.workers[0])
        func load(_ number: Int, _ queue: String) async throws -> RPCClient.Message {
            let url = deployment.url("/picture.png?size=16x16&n=\(number)")
            return try await client.call("image.load", #"{"url":"\#(url)","as":"bytes","queue":"\#(queue)","receipt":"r\#(number)","deadline":60}"#)
        }
        /// Returns the connections of the services, by their names and numbers.
        func connections() async throws -> Set<String> {
            let all = try await deployment.redis.command("CLIENT", "LIST").split(separator: "\n").map { $0.split(separator: " ") }
            return Set(
                all.filter { $0.contains { $0.hasPrefix("name=") && $0 != "name=" } }.map {
                    $0.filter { $0.hasPrefix("id=") || $0.hasPrefix("name=") }.joined()
                })
        }
        #expect(try await client.call("queue.configure", #"{"queue":"bulk"}"#).error == nil)
        for (number, queue) in ["default", "bulk"].enumerated() { #expect(try await load(number, queue).state == "succeeded") }
        let before = try await connections()
        #expect(before.count >= 4)
        let settings = "tintype:{bulk}:cfg"
        try await deployment.redis.command("HSET", settings, "v", "7")

        let refused = try await load(2, "bulk")
        #expect(refused.error?.name == "unavailable" && refused.error?.message?.contains("queue bulk") == true, "\(refused)")
        for service in [coordinator, worker] {
            #expect(await service.process.errorText(containing: "of queue bulk are of schema 7"))
            #expect(await service.process.errorText(containing: "operations.md"))
            #expect(try await reason(service) == nil)
        }
        #expect(try await load(3, "default").state == "succeeded")
        let methods = [
            ("receipt.get", #"{"receipt":"r0"}"#), ("queue.list", "{}"), ("workers.list", "{}"), ("blacklist.list", "{}"), ("blacklist.clear", "{}"),
            ("cache.remove", #"{"key":"a"}"#), ("cache.clear", #"{"tier":"results"}"#),
        ]
        for (method, params) in methods { #expect(try await client.call(method, params).error == nil, "\(method)") }
        #expect(try await client.call("queue.list").result.map { "\($0)".contains("bulk") } == false)
        // An unknown receipt may be in that queue.
        for (method, params) in [("receipt.get", #"{"receipt":"r1"}"#), ("queue.get", #"{"queue":"bulk"}"#), ("blacklist.clear", #"{"queue":"bulk"}"#)] {
            #expect(try await client.call(method, params).error?.name == "unavailable", "\(method)")
        }
        let found = try await client.call("system.validate")["violations"]?.strings ?? []
        #expect(found.count == 1 && found[0].hasPrefix("bulk: the keys of queue bulk are of schema 7"), "\(found)")
        let now = try await connections()
        #expect(before.isSubset(of: now), "\(before.subtracting(now).sorted())")
        #expect(try await deployment.redis.command("HGET", settings, "v") == "7")

        try await deployment.redis.command("HDEL", settings, "v")
        #expect(try await load(4, "bulk").state == "succeeded")
        #expect(try await client.call("receipt.get", #"{"receipt":"r1"}"#).state == "succeeded")
        #expect(try await deployment.violations(client) == [])
    }

    /// The keys that a coordinator and a worker of schema 3 have left: ended, waiting and paused work, a dead letter and a group.
    private func oldKeys() throws -> [[String]] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../Keys/schema-3.json").standardized
        return try JSONDecoder().decode([[String]].self, from: Data(contentsOf: file))
    }

    @Test func `keys of the schema before are refused, and the documented steps lead to a service that works`() async throws {
        let redis = try await RedisServer(options: ["--enable-debug-command", "local"])
        for command in try oldKeys() { try await redis.command(command) }
        #expect(try await redis.command("HGET", "tintype:{default}:cfg", "v") == "3")
        let digest = try await redis.command("DEBUG", "DIGEST")

        let refused = [try await ServiceProcess.coordinator(redis: redis.url), try await ServiceProcess.worker(redis: redis.url)]
        for service in refused { try await Gate.until("it has noticed") { try await reason(service)?.contains("schema 3") ?? false } }
        let answer = try await RPCClient(port: refused[0].rpcPort).call("image.load", #"{"url":"data:text/plain,hello","as":"bytes","deadline":1}"#)
        #expect(answer.error?.name == "unavailable" && answer.error?.message?.contains("schema") == true, "\(answer)")
        #expect(try await redis.command("DEBUG", "DIGEST") == digest, "nothing was written")
        for service in refused { await service.stop() }

        // The steps of docs/operations.md, with the keys that the changelog names.
        let steps = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../docs/operations.md"), encoding: .utf8)
        #expect(steps.contains("`redis-cli --scan --pattern 'tintype:{*}:*'`"))
        for key in try await redis.command("KEYS", "tintype:{*}:*").split(separator: "\n") {
            if !["cookies", "results", "sources"].contains(where: { key.hasPrefix("tintype:{\($0)}:") }) { try await redis.command("DEL", String(key)) }
        }

        let coordinator = try await ServiceProcess.coordinator(redis: redis.url)
        let worker = try await ServiceProcess.worker(redis: redis.url)
        let client = try RPCClient(port: coordinator.rpcPort)
        let load = try await client.call("image.load", #"{"url":"data:text/plain,hello","as":"bytes","receipt":"ended","deadline":60}"#)
        #expect(load.state == "succeeded", "\(load)")
        #expect(try await client.call("receipt.get", #"{"receipt":"waiting"}"#).error?.name == "unknownReceipt")
        #expect(try await redis.command("HGET", "tintype:{default}:cfg", "v") == QueueSchema.number)
        #expect(try await client.call("system.validate")["violations"]?.strings == [])
        for service in [coordinator, worker] { await service.stop() }
    }
}
