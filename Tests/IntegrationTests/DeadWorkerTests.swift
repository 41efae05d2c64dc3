import Foundation
import TintypeCore
import TestSupport
import Testing

/// Workers that die or freeze in the middle of their work, and the fate of that work.
@Suite(.tags(.realTimes), .timeLimit(.minutes(2)), .serialized, .scoped) struct DeadWorkerTests {
    private func types(_ client: RPCClient, of receipt: String) -> [String] {
        client.notifications.filter { $0.receipt == receipt }.compactMap { $0.type }
    }

    /// Returns the fetch of a receipt once its run with this number has begun.
    private func fetch(of receipt: String, attempt: Int, _ deployment: Deployment, _ client: RPCClient) async throws -> String {
        _ = await client.notifications {
            $0.compactMap(\.params).contains {
                $0["receipt"]?.string == receipt && $0["type"]?.string == "started" && $0["attempt"]?.int == attempt
            }
        }
        return try await deployment.redis("HGET", "r:" + receipt, "fetch")
    }

    @Test func `a fetch that kills two workers fails for good, and all others succeed`() async throws {
        let deployment = try await Deployment(workers: 3, workerArguments: ["--fetches", "1"])
        let client = try deployment.client()
        try await client.call("image.submit", #"{"url":"\#(deployment.url("/hang"))","receipt":"killer","progress":true,"deadline":100}"#)
        _ = try await fetch(of: "killer", attempt: 1, deployment, client)
        async let others = withThrowingTaskGroup(of: RPCClient.Message.self) { group in
            for number in 0..<30 {
                let url = deployment.url("/slow/picture.png?size=64x48&delay=0.02&n=\(number)")
                group.addTask { try await client.call("image.load", #"{"url":"\#(url)","as":"bytes","deadline":100}"#) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for attempt in 1...2 {
            let fetch = try await fetch(of: "killer", attempt: attempt, deployment, client)
            await (try #require(try await deployment.worker(of: fetch))).kill9()
            try await deployment.expireLeases(of: [fetch])
        }
        _ = await client.notifications { $0.contains { $0.receipt == "killer" && $0.type == "failed" } }
        let answer = try await client.call("receipt.get", #"{"receipt":"killer"}"#)
        #expect(answer["error"]?["data"]?["name"]?.string == "workerLost", "\(answer)")
        for other in try await others where other.state != "succeeded" { Issue.record("\(other)") }
        #expect(deployment.workers.count { $0.process.exitStatus == nil } == 1, "two deaths, and no third")
        #expect(types(client, of: "killer").count { $0 == "started" } == 2, "\(types(client, of: "killer"))")
        let dead = try await client.call("dead.list", #"{"queue":"default"}"#)
        let letters = try #require(dead["items"]?.array, "\(dead)")
        #expect(letters.map { $0["url"]?.string } == [deployment.url("/hang")])
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `fetches wait in the queue without a worker, and the next worker serves them`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let url = deployment.url("/hang?times=1")
        async let answer = client.call("image.load", #"{"url":"\#(url)","as":"bytes","receipt":"r","progress":true,"deadline":100}"#)
        let fetch = try await fetch(of: "r", attempt: 1, deployment, client)
        // The event comes before the request.
        try await Gate.until("it hangs") { try await deployment.atOrigin() == 1 }
        await deployment.workers[0].kill9()
        try await deployment.expireLeases(of: [fetch])
        try await Gate.until("it is queued again") { try await deployment.running().isEmpty }
        _ = try await deployment.anotherWorker()
        let result = try await answer
        #expect(result.state == "succeeded" && result["attempts"]?.int == 2, "\(result)")
        #expect(try await deployment.violations(client) == [])
    }

    /// Freezes the worker of a fetch until another worker has the fetch. The workers take one fetch at a time. A worker with room left would sleep on
    /// the queue's marker. Redis gives a fetch even to a frozen sleeper, which keeps it until the lease ends. The first run gets a text, the second one
    /// a picture.
    /// - Parameter time: the least time for which it is frozen, also until the other one has ended; nil: until the other one has begun.
    /// - Returns: the answer of the client, and the bytes at the origin and in the store when the late worker has noticed.
    private func overtaken(
        _ name: String, standing time: Duration?, _ deployment: Deployment, _ client: RPCClient
    ) async throws -> (answer: RPCClient.Message, origin: Data, stored: Data) {
        let asked = try await deployment.asked()
        let url = deployment.url("/slow/status/200?times=1&delay=\(TestTimes.areReal ? 6 : 3)&n=\(name)")
        async let answer = client.call("image.load", #"{"url":"\#(url)","as":"bytes","receipt":"\#(name)","progress":true,"deadline":100}"#)
        let fetch = try await fetch(of: name, attempt: 1, deployment, client)
        let frozen = try #require(try await deployment.worker(of: fetch))
        let before = try await frozen.value(of: #"tintype_fetches_finished_total{queue="default",outcome="stale"}"#)
        try await Gate.until("its request has come") { try await deployment.asked() > asked }
        let begun = ContinuousClock.now
        frozen.freeze()
        try await deployment.expireLeases(of: [fetch])
        _ = try await self.fetch(of: name, attempt: 2, deployment, client)
        if time == nil { frozen.thaw() }
        let result = try await answer
        if let time {
            try await Gate.until("it has stood still for long enough") { .now >= begun + time }
            frozen.thaw()
        }
        try await Gate.until("the late one has noticed") {
            try await frozen.value(of: #"tintype_fetches_finished_total{queue="default",outcome="stale"}"#) > before
        }
        let other = try #require(deployment.workers.first { $0 !== frozen })
        #expect(result.state == "succeeded" && result["attempts"]?.int == 2, "\(result)")
        #expect(result["worker"]?.string == other.ready["worker"], "\(result)")
        #expect(types(client, of: name).count { ["succeeded", "failed", "cancelled"].contains($0) } == 1, "\(types(client, of: name))")
        let path = result.renditions.first?["url"]?.string ?? ""
        return (result, try await HTTP.get(url).body, try await HTTP.get(deployment.coordinators[0].base + path).body)
    }

    /// The freeze is shorter than the time in which the worker would notice by itself. Only the fencing token refuses its late end.
    @Test func `a worker frozen past its lease cannot end a run, but the next worker can`() async throws {
        let deployment = try await Deployment(workers: 2, workerArguments: ["--fetches", "1"])
        let client = try deployment.client()
        for number in 0..<2 { _ = try await overtaken("r\(number)", standing: nil, deployment, client) }
        #expect(try await deployment.violations(client) == [])
    }

    @Test(.tags(.timed)) func `a worker frozen for a lease does not overwrite the result of the next one`() async throws {
        let deployment = try await Deployment(workers: 2, workerArguments: ["--fetches", "1"])
        let client = try deployment.client()
        let end = try await overtaken("r", standing: TestTimes.lease, deployment, client)
        // The library would look for the difference of two pictures for minutes.
        let isSame = end.stored == end.origin
        #expect(isSame, "\(end.stored.count) bytes are stored, the origin has \(end.origin.count)")
        #expect(try await deployment.violations(client) == [])
    }
}
