import Foundation
import TestSupport
import TintypeCore
import Testing

/// Real programs whose queue has several shards. Clients see one queue.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct ShardFlowTests {
    private func deployment(shards: Int, workers: Int = 2, _ settings: String = #""maxConcurrent":64"#) async throws -> Deployment {
        let deployment = try await Deployment(coordinators: 2, workers: workers)
        let client = try deployment.client()
        try await deployment.configure(client, #""shards":\#(shards),\#(settings)"#)
        // Until a coordinator has read the list of shards, its fetches go to the first one.
        let other = try deployment.client(1)
        try await Gate.until("the other coordinator knows the shards") { try await other.call("queue.get", #"{"queue":"default"}"#)["shards"]?.int == shards }
        return deployment
    }

    /// The names of the shards with a receipt.
    private func used(_ deployment: Deployment) async throws -> Set<String> {
        let keys = try await deployment.redis.command("KEYS", "tintype:{default*:r:*").split(separator: "\n")
        return Set(keys.compactMap { $0.split(separator: "}").first.map(String.init) })
    }

    @Test func `fetches are in all shards, and clients see one queue`() async throws {
        let deployment = try await deployment(shards: 4)
        let clients = [try deployment.client(0), try deployment.client(1)]
        let listener = try deployment.client(1)
        #expect(try await listener.call("events.subscribe", #"{"queue":"default"}"#).error == nil)
        for number in 0..<24 {
            let answer = try await clients[number % 2].call("image.load", #"{"url":"data:,\#(number)","as":"bytes","receipt":"r\#(number)"}"#)
            #expect(answer.state == "succeeded", "\(answer)")
        }
        #expect(try await used(deployment).count == 4)
        let told = await listener.notifications { $0.count { $0.type == "succeeded" } >= 24 }.filter { $0.type == "succeeded" }
        #expect(Set(told.compactMap(\.receipt)).count == 24 && told.count == 24)
        for number in 0..<24 {
            #expect(try await clients[(number + 1) % 2].call("receipt.get", #"{"receipt":"r\#(number)"}"#).state == "succeeded")
        }
        // The index of a shard has the result of its sources.
        #expect(try await clients[0].call("image.load", #"{"url":"data:,5","as":"bytes","cache":{"policy":"only"}}"#).state == "succeeded")
        let own = try #require(try await clients[0].call("image.submit", #"{"url":"data:,x","as":"bytes"}"#).receipt)
        #expect(try await clients[1].call("receipt.get", #"{"receipt":"\#(own)","wait":30}"#).state == "succeeded")
        // An id belongs to one request, in whatever shard.
        for number in 0..<24 {
            let answer = try await clients[1].call("image.load", #"{"url":"data:,other\#(number)","as":"bytes","receipt":"r\#(number)"}"#)
            #expect(answer.error?.name == "invalidParams", "\(answer)")
        }
        let queues = try await clients[1].call("queue.list").result?.array ?? []
        #expect(queues.count == 1 && queues[0]["name"]?.string == "default" && queues[0]["shards"]?.int == 4, "\(queues)")
        #expect(try await deployment.violations(clients[0]) == [])
    }

    @Test func `pause, cancellation, dead letters and the blacklist count for all shards`() async throws {
        let deployment = try await deployment(shards: 4, #""maxConcurrent":64,"maxConcurrentPerHost":64"#)
        let (client, other) = (try deployment.client(0), try deployment.client(1))
        #expect(try await client.call("queue.pause", #"{"queue":"default"}"#)["paused"]?.bool == true)
        for number in 0..<20 {
            let url = deployment.url("/picture.png?size=64x48&n=\(number)")
            #expect(try await other.call("image.submit", #"{"url":"\#(url)","as":"bytes","receipt":"r\#(number)","deadline":100}"#).error == nil)
        }
        #expect(try await client.call("queue.get", #"{"queue":"default"}"#)["queued"]?.int == 20)
        #expect(try await used(deployment).count == 4, "the host may run 64 and is in all shards")
        #expect(try await client.call("queue.cancelAll", #"{"queue":"default"}"#)["queued"]?.int == 0)
        for number in 0..<20 { #expect(try await other.call("receipt.get", #"{"receipt":"r\#(number)"}"#).state == "cancelled") }
        #expect(try await client.call("queue.resume", #"{"queue":"default"}"#)["paused"]?.bool == false)
        for number in 0..<12 {
            let request = #"{"url":"\#(deployment.url("/status/503?n=\(number)"))","as":"bytes","fetch":{"retry":{"attempts":1}}}"#
            #expect(try await client.call("image.load", request).error != nil)
        }
        var letters: [String] = []
        var cursor = ""
        repeat {
            let page = try await other.call("dead.list", #"{"queue":"default","limit":5\#(cursor)}"#)
            letters += page["items"]?.array?.compactMap { $0["id"]?.string } ?? []
            cursor = page["cursor"]?.string.map { #","cursor":"\#($0)""# } ?? ""
        } while !cursor.isEmpty && letters.count < 100
        #expect(letters.count == 12 && Set(letters).count == 12, "\(letters)")
        let ids = letters.map { "\"\($0)\"" }.joined(separator: ",")
        #expect(try await client.call("dead.remove", #"{"queue":"default","ids":[\#(ids)]}"#)["removed"]?.int == 12)
        for number in 0..<8 { _ = try await client.call("image.load", #"{"url":"\#(deployment.url("/status/404?n=\(number)"))","as":"bytes"}"#) }
        let listed = try await other.call("blacklist.list", #"{"queue":"default"}"#)["items"]?.array ?? []
        #expect(listed.count == 8 && listed.allSatisfy { $0["queue"]?.string == "default" }, "\(listed)")
        #expect(try await other.call("blacklist.clear", #"{"queue":"default"}"#)["removed"]?.int == 8)
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `a shard that has lost a pause or a limit gets it back`() async throws {
        let deployment = try await deployment(shards: 4)
        let client = try deployment.client()
        let keys = try await deployment.redis.command("KEYS", "tintype:{default*:cfg").split(separator: "\n").map(String.init).sorted()
        #expect(keys.count == 4)
        let lost = keys[2]
        func settings() async throws -> [String] {
            try await deployment.redis.command("HMGET", lost, "order", "paused", "maxConcurrentPerHost", "mark").components(separatedBy: "\n")
        }
        var before: [String] = []
        try await Gate.until("it has a mark") {
            before = try await settings()
            return before.count == 4 && !before[3].isEmpty
        }
        #expect(try await client.call("queue.pause", #"{"queue":"default"}"#)["paused"]?.bool == true)
        try await deployment.configure(client, #""order":"lifo","maxConcurrentPerHost":20"#)
        try await Gate.until("it has the mark of the new settings") { try await settings().starts(with: ["lifo", "1", "20"]) }
        // A new primary has the settings of before.
        try await deployment.redis.command("HSET", lost, "order", before[0], "paused", "0", "maxConcurrentPerHost", "6", "mark", before[3])
        try await Gate.until("it has them again") { try await settings().starts(with: ["lifo", "1", "20"]) }
        // The new primary of another shard has nothing at all.
        try await deployment.redis.command("DEL", keys[3])
        try await Gate.until("the shard is there again") {
            try await deployment.redis.command("HMGET", keys[3], "order", "paused", "maxConcurrentPerHost").components(separatedBy: "\n") == [
                "lifo", "1", "20",
            ]
        }
        #expect(try await client.call("queue.get", #"{"queue":"default"}"#)["paused"]?.bool == true)
        #expect(try await client.call("queue.resume", #"{"queue":"default"}"#)["paused"]?.bool == false)
        #expect(try await client.call("image.load", #"{"url":"data:,last","as":"bytes"}"#).state == "succeeded")
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `a newer request supersedes an older one in another shard`() async throws {
        let deployment = try await deployment(shards: 8)
        let clients = [try deployment.client(0), try deployment.client(1)]
        #expect(try await clients[0].call("queue.pause", #"{"queue":"default"}"#).error == nil)
        for number in 0..<16 {
            let request = #"{"url":"data:,\#(number)","as":"bytes","slot":"avatar","receipt":"r\#(number)","deadline":100}"#
            #expect(try await clients[number % 2].call("image.submit", request).error == nil)
        }
        #expect(try await used(deployment).count > 4)
        try await Gate.until("one is left") { try await clients[0].call("queue.get", #"{"queue":"default"}"#)["queued"]?.int == 1 }
        for number in 0..<15 {
            let end = try await clients[0].call("receipt.get", #"{"receipt":"r\#(number)"}"#)
            #expect(end.state == "cancelled", "\(number): \(end)")
        }
        // A repeated request takes no newer place.
        _ = try await clients[0].call("image.submit", #"{"url":"data:,3","as":"bytes","slot":"avatar","receipt":"r3","deadline":100}"#)
        #expect(try await clients[0].call("queue.resume", #"{"queue":"default"}"#).error == nil)
        #expect(try await clients[1].call("receipt.get", #"{"receipt":"r15","wait":60}"#).state == "succeeded")
        for (index, client) in clients.enumerated() {
            let ends = await client.notifications { $0.count { ["cancelled", "succeeded"].contains($0.type) } >= 8 }
            let ended = ends.filter { ["cancelled", "succeeded"].contains($0.type) && !(index == 0 && $0.receipt == "r3") }.compactMap(\.receipt)
            #expect(Set(ended).count == 8 && ended.count == 8, "client \(index): \(ended)")
        }
        #expect(try await deployment.violations(clients[0]) == [])
    }

    @Test func `all shards together run no more than the limit, and idle shards lend their part`() async throws {
        let deployment = try await deployment(shards: 4, #""maxConcurrent":6,"maxConcurrentPerHost":100"#)
        let clients = [try deployment.client(0), try deployment.client(1)]
        // All of them are work of one shard, if their host is in one: it gets what the others do not need.
        try await limit(50)
        func limit(_ most: Int) async throws {
            try await deployment.configure(clients[0], #""maxConcurrentPerHost":\#(most)"#)
            try await Gate.until("the other coordinator knows") {
                try await clients[1].call("queue.get", #"{"queue":"default"}"#)["limits"]?["maxConcurrentPerHost"]?.int == most
            }
        }
        func submit(_ name: String, _ count: Int) async throws {
            for number in 0..<count {
                let url = deployment.url("/slow/picture.png?size=64x48&delay=1&\(name)=\(number)")
                #expect(
                    try await clients[number % 2].call("image.submit", #"{"url":"\#(url)","as":"bytes","receipt":"\#(name)\#(number)","deadline":100}"#).error
                        == nil)
            }
        }
        try await submit("a", 24)
        #expect(try await used(deployment).count == 1)
        try await Gate.until("one shard has nearly all permits") { try await deployment.atOrigin() > 3 }
        for number in 0..<24 { #expect(try await clients[0].call("receipt.get", #"{"receipt":"a\#(number)","wait":60}"#).state == "succeeded") }
        #expect(try await deployment.counts()["maxConcurrent"]?.int ?? 0 <= 6)
        try await limit(100)
        try await submit("b", 24)
        for number in 0..<24 { #expect(try await clients[0].call("receipt.get", #"{"receipt":"b\#(number)","wait":60}"#).state == "succeeded") }
        #expect(try await used(deployment).count == 4)
        #expect(try await deployment.counts()["maxConcurrent"]?.int ?? 0 <= 6)
        // The host is in all shards now, and the repeated request is still the one in the first shard that it had.
        for number in 0..<4 {
            let url = deployment.url("/slow/picture.png?size=64x48&delay=1&a=\(number)")
            #expect(try await clients[1].call("image.load", #"{"url":"\#(url)","as":"bytes","receipt":"a\#(number)","deadline":100}"#).state == "succeeded")
        }
        #expect(try await deployment.violations(clients[0]) == [])
    }

    @Test func `one worker serves more shards than it waits for, and another coordinator lends when one is killed`() async throws {
        let deployment = try await deployment(shards: 16, workers: 1)
        let clients = [try deployment.client(0), try deployment.client(1)]
        for number in 0..<64 {
            #expect(try await clients[0].call("image.submit", #"{"url":"data:,\#(number)","as":"bytes","receipt":"r\#(number)","deadline":100}"#).error == nil)
        }
        for number in 0..<64 { #expect(try await clients[1].call("receipt.get", #"{"receipt":"r\#(number)","wait":60}"#).state == "succeeded") }
        #expect(try await used(deployment).count == 16)
        let lender = try await deployment.redis.command("GET", "tintype:{default}:lender")
        let killed = try await clients[0].call("system.info")["coordinator"]?.string == lender ? 0 : 1
        await deployment.coordinators[killed].kill9()
        let client = clients[1 - killed]
        try await deployment.configure(client, #""maxConcurrent":160"#)
        try await Gate.until("the shares are those of the new limit") {
            var shares = 0
            for key in try await deployment.redis.command("KEYS", "tintype:{default*:cfg").split(separator: "\n") {
                shares += Int(try await deployment.redis.command("HGET", String(key), "maxConcurrent")) ?? 0
            }
            return shares == 160
        }
        #expect(try await client.call("image.load", #"{"url":"data:,last","as":"bytes"}"#).state == "succeeded")
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `the number of shards is given once, to a queue without fetches`() async throws {
        let deployment = try await Deployment(workers: 0)
        let client = try deployment.client()
        #expect(try await client.call("image.submit", #"{"url":"data:,1","as":"bytes","receipt":"r","deadline":100}"#).error == nil)
        #expect(try await client.call("queue.configure", #"{"queue":"default","shards":4}"#).error?.data["path"]?.string == "shards")
        #expect(try await client.call("receipt.cancel", #"{"receipt":"r"}"#).error == nil)
        #expect(try await client.call("queue.configure", #"{"queue":"default","shards":4}"#)["shards"]?.int == 4)
        #expect(try await client.call("queue.configure", #"{"queue":"default","shards":4,"order":"lifo"}"#)["order"]?.string == "lifo")
        for wrong in ["2", "1", "65", "0"] {
            #expect(try await client.call("queue.configure", #"{"queue":"default","shards":\#(wrong)}"#).error?.data["path"]?.string == "shards", "\(wrong)")
        }
        #expect(try await client.call("queue.configure", #"{"queue":"bulk","shards":1}"#).error == nil)
        #expect(try await client.call("queue.configure", #"{"queue":"thumbs","shards":2}"#)["shards"]?.int == 2)
        #expect(try await client.call("image.submit", #"{"url":"data:,1","as":"bytes","queue":"thumbs~1.0"}"#).error?.data["path"]?.string == "queue")
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `requests that Redis has lost with the shards are submitted again, to shards that are made again`() async throws {
        let deployment = try await deployment(shards: 8)
        let client = try deployment.client()
        #expect(try await client.call("queue.pause", #"{"queue":"default"}"#).error == nil)
        for number in 0..<24 {
            #expect(try await client.call("image.submit", #"{"url":"data:,\#(number)","as":"bytes","receipt":"r\#(number)","deadline":100}"#).error == nil)
        }
        #expect(try await used(deployment).count > 4)
        try await deployment.redis.command("FLUSHALL")
        let heard = await client.notifications { $0.count { $0.type == "succeeded" } >= 24 }
        let ends = heard.filter { $0.type == "succeeded" }
        #expect(Set(ends.compactMap(\.receipt)).count == 24 && ends.count == 24, "\(heard.filter { $0.type != "succeeded" })")
        #expect(try await client.call("queue.get", #"{"queue":"default"}"#)["shards"]?.int == 8)
        #expect(try await deployment.violations(client) == [])
    }
}
