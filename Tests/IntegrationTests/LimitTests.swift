import TintypeCore
import Foundation
import TestSupport
import Testing

/// Limits of running and waiting fetches, with several workers and coordinators, also when one of them dies and when limits change.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct LimitTests {
    private func submit(_ client: RPCClient, _ url: String, _ more: String = "") async throws {
        let answer = try await client.call(
            "image.submit", #"{"url":"\#(url)","as":"bytes","deadline":100,"fetch":{"timeouts":{"idle":100,"total":100}}\#(more)}"#)
        if let error = answer.error { throw TestFailure("\(error)") }
    }

    /// Returns the counters of one origin.
    private func counts(_ origin: ServiceProcess) async throws -> JSON {
        try JSON(parsing: try await HTTP.get(origin.base + "/_counts").body)
    }

    @Test func `a killed worker leaks no permit of the queue, and the limit is never exceeded`() async throws {
        let deployment = try await Deployment(coordinators: 2, workers: 3, workerArguments: ["--fetches", "2"])
        let clients = [try deployment.client(0), try deployment.client(1)]
        try await deployment.configure(clients[0], #""maxConcurrent":4,"maxConcurrentPerHost":50"#)
        for number in 0..<50 { try await submit(clients[number % 2], deployment.url("/hang?n=\(number)")) }
        try await Gate.until("four run") { try await deployment.atOrigin() == 4 }
        let running = try await deployment.running()
        let victim = try #require(try await deployment.worker(of: running[0]))
        var held: [String] = []
        for fetch in running where try await deployment.worker(of: fetch) === victim { held.append(fetch) }
        await victim.kill9()
        try await Gate.until("its connections are closed") { try await deployment.atOrigin() == 4 - held.count }
        #expect(try await deployment.running().count == 4, "its slots are its own until its leases end")
        try await deployment.expireLeases(of: held)
        try await Gate.until("four run again") { try await deployment.atOrigin() == 4 }
        #expect(try await deployment.running().count == 4)
        #expect(try await deployment.counts()["maxConcurrent"]?.int == 4)
        try await clients[1].call("queue.cancelAll", #"{"queue":"default"}"#)
        try await Gate.until("all are stopped") { try await deployment.atOrigin() == 0 }
        #expect(try await deployment.violations(clients[1]) == [])
    }

    @Test func `no host exceeds its limit, and a stuck host does not delay others`() async throws {
        let deployment = try await Deployment(coordinators: 2, workers: 3)
        let stuck = try await ServiceProcess.origin(["--listen", "127.0.0.2:0"])
        let clients = [try deployment.client(0), try deployment.client(1)]
        try await deployment.configure(clients[0], #""maxConcurrent":10,"maxConcurrentPerHost":2"#)
        for number in 0..<30 { try await submit(clients[number % 2], stuck.base + "/hang?n=\(number)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<30 {
                let (client, url) = (clients[number % 2], deployment.url("/slow/picture.png?size=64x48&delay=0.05&n=\(number)"))
                group.addTask {
                    let answer = try await client.call("image.load", #"{"url":"\#(url)","as":"bytes","deadline":60}"#)
                    #expect(answer.state == "succeeded", "\(answer)")
                }
            }
            try await group.waitForAll()
        }
        #expect(try await deployment.counts()["maxConcurrent"]?.int == 2)
        let theirs = try await counts(stuck)
        #expect(theirs["maxConcurrent"]?.int == 2 && theirs["running"]?.int == 2 && theirs["total"]?.int == 2, "\(theirs)")
        try await clients[1].call("queue.cancelAll", #"{"queue":"default"}"#)
        #expect(try await deployment.violations(clients[0]) == [])
    }

    @Test func `a changed host limit applies to the next claims`() async throws {
        let deployment = try await Deployment(coordinators: 2, workers: 2)
        let client = try deployment.client()
        let other = try deployment.client(1)
        func most() async throws -> Int? { try await deployment.counts()["maxConcurrent"]?.int }
        try await deployment.configure(client, #""maxConcurrentPerHost":2"#)
        for number in 0..<10 { try await submit(client, deployment.url("/hang?n=\(number)"), #","receipt":"h\#(number)""#) }
        try await Gate.until("two run") { try await deployment.atOrigin() >= 2 }
        #expect(try await most() == 2)
        try await deployment.configure(other, #""hostLimits":{"127.0.0.1":5}"#)
        try await Gate.until("five run") { try await deployment.atOrigin() >= 5 }
        #expect(try await most() == 5)
        try await deployment.configure(other, #""hostLimits":{"127.0.0.1":1}"#)
        try await client.call("receipt.cancel", #"{"receipts":["h0","h1","h2","h3"]}"#)
        try await Gate.until("one runs") { try await deployment.atOrigin() == 1 }
        _ = try await HTTP.get(deployment.origin.base + "/_reset")
        for number in 4..<9 {
            try await client.call("receipt.cancel", #"{"receipt":"h\#(number)"}"#)
            try await Gate.until("the next one runs") { try await deployment.asked() == number - 3 }
        }
        #expect(try await most() == 1)
        try await client.call("receipt.cancel", #"{"receipt":"h9"}"#)
        try await Gate.until("all are stopped") { try await deployment.atOrigin() == 0 }
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `twenty urgent requests behind a thousand others are the next twenty`() async throws {
        let deployment = try await Deployment(workers: 2)
        let client = try deployment.client()
        try await deployment.configure(client, #""maxConcurrent":1"#)
        try await submit(client, deployment.url("/hang"), #","receipt":"first""#)
        try await Gate.until("the slot is taken") { try await deployment.atOrigin() == 1 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1000 { group.addTask { try await submit(client, deployment.url("/picture.png?size=16x16&n=\(number)"), #","priority":"low""#) } }
            try await group.waitForAll()
        }
        for number in 0..<20 { try await submit(client, deployment.url("/picture.png?size=16x16&urgent=\(number)"), #","priority":"high""#) }
        try await client.call("receipt.cancel", #"{"receipt":"first"}"#)
        try await Gate.until("others have begun") { try await deployment.counts()["total"]?.int ?? 0 > 21 }
        let order = try await deployment.counts()["order"]?.strings ?? []
        #expect(order.dropFirst().prefix(20).elementsEqual((0..<20).map { "/picture.png?size=16x16&urgent=\($0)" }), "\(order.prefix(25))")
        try await client.call("queue.cancelAll", #"{"queue":"default"}"#)
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `a full queue refuses new fetches with a time, and accepts joins, repetitions and cached results`() async throws {
        let deployment = try await Deployment(coordinators: 2)
        let (client, other) = (try deployment.client(0), try deployment.client(1))
        let cached = #"{"url":"\#(deployment.url("/picture.png?cached"))","transform":[{"op":"resize","width":16}]}"#
        #expect(try await client.call("image.load", cached).from == "remote")
        try await deployment.configure(client, #""maxQueued":1000"#)
        try await client.call("queue.pause", #"{"queue":"default"}"#)
        // Both coordinators at the same time: a thousand are accepted, in any order.
        let taken = await withTaskGroup(of: String.self) { group in
            for number in 0..<1100 {
                let url = deployment.url("/picture.png?size=16x16&n=\(number)")
                group.addTask {
                    let params = #"{"url":"\#(url)","as":"bytes","receipt":"r\#(number)","deadline":100}"#
                    guard let answer = try? await [client, other][number % 2].call("image.submit", params) else { return "no answer" }
                    return answer.error == nil ? "taken" : answer.error?.name ?? "no name"
                }
            }
            return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(taken == ["taken": 1000, "overloaded": 100])
        #expect(try await client.call("queue.get", #"{"queue":"default"}"#)["queued"]?.int == 1000)
        for refusing in [client, other] {
            let refused = try await refusing.call("image.submit", #"{"url":"\#(deployment.url("/picture.png?n=new"))","as":"bytes"}"#)
            #expect(refused.error?.name == "overloaded", "\(refused)")
            #expect(refused.error?.data["retryAfter"]?.double ?? 0 > 0, "\(refused)")
        }
        var one = 0
        while try await deployment.redis("EXISTS", "r:r\(one)") != "1" { one += 1 }
        let url = deployment.url("/picture.png?size=16x16&n=\(one)")
        try await submit(other, url, #","receipt":"joins""#)
        let again = try await client.call("image.submit", #"{"url":"\#(url)","as":"bytes","receipt":"r\#(one)","deadline":100}"#)
        #expect(again.error == nil, "\(again)")
        #expect(try await client.call("image.load", cached).from == "memory")
        #expect(try await other.call("image.load", cached).from == "results")
        try await client.call("queue.resume", #"{"queue":"default"}"#)
        for receipt in ["joins", "r\(one)"] {
            let end = try await client.call("receipt.get", #"{"receipt":"\#(receipt)","wait":90}"#)
            #expect(end.state == "succeeded", "\(end)")
        }
        let last = #"{"url":"\#(deployment.url("/picture.png?n=new"))","as":"bytes","receipt":"later","priority":"high","deadline":100}"#
        try await Gate.until("there is room again") { try await client.call("image.submit", last).error == nil }
        #expect(try await client.call("receipt.get", #"{"receipt":"later","wait":90}"#).state == "succeeded")
        try await client.call("queue.cancelAll", #"{"queue":"default"}"#)
        #expect(try await deployment.violations(client) == [])
    }

    /// QueueOrderTests shows that the end of a pause wakes a worker when nothing else does.
    @Test func `a paused queue ends its runs and starts none`() async throws {
        let deployment = try await Deployment(workers: 2)
        let client = try deployment.client()
        try await submit(client, deployment.url("/picture.png?size=16x16&gate=g"), #","receipt":"running""#)
        try await Gate.until("it runs") { try await deployment.atOrigin() == 1 }
        try await client.call("queue.pause", #"{"queue":"default"}"#)
        try await submit(client, deployment.url("/picture.png?size=16x16"), #","receipt":"waits""#)
        try await deployment.open(gate: "g")
        let end = try await client.call("receipt.get", #"{"receipt":"running","wait":60}"#)
        #expect(end.state == "succeeded", "\(end)")
        let queue = try await client.call("queue.get", #"{"queue":"default"}"#)
        #expect(queue["queued"]?.int == 1 && queue["running"]?.int == 0 && queue["paused"]?.bool == true, "\(queue)")
        #expect(try await deployment.asked() == 1)
        try await client.call("queue.resume", #"{"queue":"default"}"#)
        #expect(try await client.call("receipt.get", #"{"receipt":"waits","wait":60}"#).state == "succeeded")
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `the end of a pause uses every permit of both workers at once, and starts each request once`() async throws {
        let deployment = try await Deployment(coordinators: 2, workers: 2, workerArguments: ["--fetches", "10"])
        let (client, other) = (try deployment.client(0), try deployment.client(1))
        try await deployment.configure(client, #""maxConcurrentPerHost":20"#)
        try await client.call("queue.pause", #"{"queue":"default"}"#)
        for number in 0..<30 { try await submit(client, deployment.url("/picture.png?size=16x16&gate=g&n=\(number)"), #","receipt":"r\#(number)""#) }
        #expect(try await deployment.asked() == 0)
        try await other.call("queue.resume", #"{"queue":"default"}"#)
        try await Gate.until("all slots are taken") { try await deployment.atOrigin() == 20 }
        // Paused once more: running fetches end, and the last ten wait.
        try await other.call("queue.pause", #"{"queue":"default"}"#)
        for _ in 0..<20 { try await deployment.open(gate: "g") }
        try await Gate.until("nothing runs") { try await deployment.running().isEmpty }
        let queue = try await client.call("queue.get", #"{"queue":"default"}"#)
        #expect(queue["queued"]?.int == 10 && queue["running"]?.int == 0, "\(queue)")
        #expect(try await deployment.asked() == 20)
        try await client.call("queue.resume", #"{"queue":"default"}"#)
        for _ in 0..<10 { try await deployment.open(gate: "g") }
        for number in 0..<30 {
            let end = try await other.call("receipt.get", #"{"receipt":"r\#(number)","wait":60}"#)
            #expect(end.state == "succeeded", "\(end)")
        }
        let counts = try await deployment.counts()
        #expect(counts["maxConcurrent"]?.int == 20 && counts["total"]?.int == 30, "\(counts)")
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `a client is served while hanging requests of another one hold all permits`() async throws {
        let folder = try TemporaryFolder("token")
        try Data("sesame-of-one\nsesame-of-two\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/token"))
        let deployment = try await Deployment(
            coordinatorArguments: ["--token-file", folder.path + "/token"], workerArguments: ["--fetches", "4"])
        let (one, two) = (try deployment.client(), try deployment.client())
        for (client, token) in [(one, "sesame-of-one"), (two, "sesame-of-two")] {
            _ = try await client.call("session.authenticate", #"{"token":"\#(token)"}"#)
        }
        // The queue allows more runs than the worker: that one is full, and there is no other.
        try await deployment.configure(one, #""maxConcurrentPerHost":50"#)
        let more = #""as":"bytes","deadline":100,"fetch":{"timeouts":{"idle":100,"total":100}}"#
        try await withThrowingTaskGroup(of: RPCClient.Message.self) { group in
            for number in 0..<8 {
                let url = deployment.url("/picture.png?size=8x8&gate=shut&n=\(number)")
                group.addTask { try await one.call("image.load", #"{"url":"\#(url)",\#(more)}"#) }
            }
            try await Gate.until("all places are taken") { try await deployment.atOrigin() == 4 }
            let served = Watched<RPCClient.Message?>(nil)
            let url = deployment.url("/picture.png?size=16x16")
            async let load: Void = {
                let answer = try await two.call("image.load", #"{"url":"\#(url)",\#(more)}"#)
                served.update { $0 = answer }
            }()
            try await Gate.until("the other client is served") {
                try await deployment.askToYield()
                return served.state != nil
            }
            try await load
            let answer = try #require(served.state)
            #expect(answer.state == "succeeded", "\(answer)")
            for _ in 0..<8 { try await deployment.open(gate: "shut") }
            for try await answer in group {
                #expect(answer.state == "succeeded" && answer["attempts"]?.int == 1, "\(answer)")
            }
        }
        #expect(try await deployment.violations(one) == [])
        #expect(deployment.workers[0].process.errors.contains("yields its place to a fetch of another client"), "\(deployment.workers[0].process.errors)")
    }
}
