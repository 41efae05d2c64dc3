import TestSupport
import Testing
import TintypeCore

/// A queue with several shards on a real Redis Cluster that has lost a server, for real programs.
@Suite(.tags(.realTimes), .timeLimit(.minutes(2)), .serialized, .scoped) struct ShardOutageTests {
    private func site() async throws -> ClusterSite {
        let site = try await ClusterSite()
        for server in site.servers { try await server.command("CONFIG", "SET", "cluster-require-full-coverage", "no") }
        return site
    }

    /// The shards of `default` with the servers that have them.
    private func shards(_ site: ClusterSite) async throws -> [(name: String, server: Int)] {
        var found: [(name: String, server: Int)] = []
        let home = try await site.owner(of: try await site.slot(of: "tintype:{default}:queues"))
        for name in try await site.servers[home].command("HKEYS", "tintype:{default}:queues").split(separator: "\n").map(String.init) + ["default"]
        where name.hasPrefix("default") && !found.contains(where: { $0.name == name }) {
            found.append((name, try await site.owner(of: try await site.slot(of: "tintype:{\(name)}:cfg"))))
        }
        return found.sorted { $0.name < $1.name }
    }

    @Test func `fetches in all shards of the other servers run while the server of the first shard is away, also where no worker is at home`() async throws {
        let site = try await site()
        // In the Redis of the queue, results of the lost server could not be stored.
        let results = try TemporaryFolder("results")
        let store = ["--results", "file://" + results.path]
        let coordinator = try await ServiceProcess.coordinator(redis: site.url, store)
        let worker = try await ServiceProcess.worker(redis: site.url, store)
        let client = try RPCClient(port: coordinator.rpcPort)
        #expect(try await client.call("queue.configure", #"{"queue":"default","shards":24,"maxConcurrent":96}"#)["shards"]?.int == 24)
        let all = try await shards(site)
        let home = try #require(all.first { $0.name == "default" }).server
        // The shard of a source, as seen while all servers are there.
        var (receipts, sources): ([String: Int], [String: Int]) = ([:], [:])
        for number in 1...240 {
            receipts[try #require(try await client.call("image.submit", #"{"url":"data:,\#(number)","as":"bytes"}"#).receipt)] = number
        }
        for server in site.servers {
            for key in try await server.command("KEYS", "tintype:{default*}:r:*").split(separator: "\n") {
                let words = key.split(whereSeparator: { "{}".contains($0) })
                if words.count == 3, let number = receipts[String(words[2].dropFirst(":r:".count))] { sources[String(words[1])] = number }
            }
        }
        #expect(sources.count == 24)
        try await Gate.until("the worker has its homes") {
            var seen = 0
            for shard in all where try await site.servers[shard.server].command("EXISTS", "tintype:{\(shard.name)}:wseen") == "1" { seen += 1 }
            return seen >= 8
        }
        await site.servers[home].kill9()
        try await Gate.until("the loss is noticed") {
            String(decoding: try await HTTP.get(coordinator.base + "/metrics").body, as: UTF8.self)
                .contains(#"tintype_redis_connected{connection="commands"} 0"#)
        }
        for shard in all where shard.server != home {
            let answer = try await client.call(
                "image.load", #"{"url":"data:,\#(sources[shard.name] ?? 0)","as":"bytes","cache":{"policy":"reload"},"deadline":20}"#)
            #expect(answer.state == "succeeded", "\(shard.name): \(answer)")
        }
        #expect(all.contains { $0.server != home })
        for service in [worker, coordinator] { await service.stop() }
    }

    @Test func `a new lender lends what is free although a server is silent`() async throws {
        let site = try await site()
        let coordinators = [try await ServiceProcess.coordinator(redis: site.url), try await ServiceProcess.coordinator(redis: site.url)]
        let clients = try coordinators.map { try RPCClient(port: $0.rpcPort) }
        #expect(try await clients[0].call("queue.configure", #"{"queue":"default","shards":12,"maxConcurrent":48}"#)["shards"]?.int == 12)
        let all = try await shards(site)
        let home = try #require(all.first { $0.name == "default" }).server
        func share(_ shard: (name: String, server: Int)) async throws -> Int {
            Int(try await site.servers[shard.server].command("HGET", "tintype:{\(shard.name)}:cfg", "maxConcurrent")) ?? 0
        }
        func shares(_ shards: [(name: String, server: Int)]) async throws -> Int {
            var sum = 0
            for shard in shards { sum += try await share(shard) }
            return sum
        }
        try await Gate.until("all is lent") { try await shares(all) == 48 }
        try await Gate.until("the other coordinator knows") { try await clients[1].call("queue.get", #"{"queue":"default"}"#)["shards"]?.int == 12 }
        let frozen = (home + 1) % 3
        let (away, there) = (all.filter { $0.server == frozen }, all.filter { $0.server != frozen })
        let held = try await shares(away)
        let lender = try await site.servers[home].command("GET", "tintype:{default}:lender")
        let killed = try await clients[0].call("system.info")["coordinator"]?.string == lender ? 0 : 1
        site.servers[frozen].freeze()
        await coordinators[killed].kill9()
        // The shards that are away cannot be told, and the others are.
        try await site.servers[home].command("HSET", "tintype:{default}:sh:default", "maxConcurrent", "120")
        try await Gate.until("the new lender lends the rest") { try await shares(there) == 120 - held }
        site.servers[frozen].thaw()
        try await Gate.until("all is lent") { try await shares(all) == 120 }
        await coordinators[1 - killed].stop()
    }
}
