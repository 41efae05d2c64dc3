import Foundation
import TintypeCore
import TestSupport
import Testing

/// Real processes ended by SIGKILL in the middle of work. No work is lost, and no request is answered twice.
@Suite(.tags(.realTimes), .timeLimit(.minutes(3)), .serialized, .scoped) struct KillTests {
    @Test func `a worker killed in the middle of a download costs one more attempt`() async throws {
        let deployment = try await Deployment(workers: 2)
        let client = try deployment.client()
        let url = deployment.url("/slow/picture.png?size=300x200&rate=30000")
        async let answer = client.call("image.load", #"{"url":"\#(url)","transform":[{"op":"resize","width":64}],"progress":true,"deadline":90}"#)
        // The gate: bytes have arrived at some worker. Its id is in the event `started`.
        let events = await client.notifications { $0.contains { $0.type == "progress" } }
        let worker = events.compactMap { $0.params?["worker"]?.string }.first
        let victim = try #require(deployment.workers.first { $0.ready["worker"] == worker })
        let killed = ContinuousClock.now
        await victim.kill9()
        let result = try await answer
        print("answered \(ContinuousClock.now - killed) after the worker was killed")
        #expect(result.state == "succeeded", "\(result)")
        #expect(result["attempts"]?.int == 2)
        let terminal = client.notifications.filter { ["succeeded", "failed", "cancelled"].contains($0.type ?? "") }
        #expect(terminal.count == 1)
        #expect(try await deployment.counts()["total"]?.int == 2)
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `a killed Redis with 500 queued and 20 running loses none of them, and runs none twice`() async throws {
        let deployment = try await Deployment(workers: 2, appendOnly: true)
        let client = try deployment.client()
        try await deployment.configure(client, #""maxConcurrentPerHost":20"#)
        try await client.call("queue.pause", #"{"queue":"default"}"#)
        func submit(_ number: Int, _ path: String, priority: String) async throws {
            let answer = try await client.call(
                "image.submit",
                #"{"url":"\#(deployment.url(path))","as":"bytes","receipt":"kill-\#(number)","priority":"\#(priority)","deadline":100}"#)
            if let error = answer.error { throw TestFailure("\(error)") }
        }
        for number in 0..<500 { try await submit(number, "/picture.png?size=16x16&n=\(number)", priority: "low") }
        for number in 500..<520 { try await submit(number, "/picture.png?size=16x16&gate=r&n=\(number)", priority: "high") }
        try await client.call("queue.resume", #"{"queue":"default"}"#)
        try await Gate.until("twenty run") { try await deployment.atOrigin() == 20 }
        await deployment.redis.kill9()
        let down = try await client.call("queue.get", #"{"queue":"default"}"#)
        #expect(down.error?.name == "unavailable", "\(down)")
        for _ in 500..<520 { try await deployment.open(gate: "r") }
        try await Gate.until("the downloads have ended without Redis") { try await deployment.atOrigin() == 0 }
        #expect(try await deployment.counts()["total"]?.int == 20)
        try await deployment.redis.restart()
        let ends = await client.notifications { messages in messages.count { isEnd($0) } >= 520 }.filter { isEnd($0) }
        #expect(ends.allSatisfy { $0.type == "succeeded" })
        #expect(ends.count == 520 && Set(ends.compactMap { $0.receipt }).count == 520)
        #expect(try await deployment.counts()["total"]?.int == 520)
        #expect(try await deployment.violations(client) == [])
    }

    @Test(.tags(.timed)) func `a Redis frozen twice past the lease kills no fetch with a healthy worker`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let worker = deployment.workers[0]
        let url = deployment.url("/hang?times=2")
        async let answer = client.call("image.load", #"{"url":"\#(url)","as":"bytes","deadline":150}"#)
        for outage in 1...2 {
            // The gates: the worker is downloading; then it has given the lease up by itself, and the lease has run out.
            while try await worker.value(of: "tintype_downloads_in_flight") == 0 { try await Task.sleep(for: .milliseconds(50)) }
            let leaseEnd = ContinuousClock.now + TestTimes.lease + .seconds(1)
            deployment.redis.freeze()
            while try await worker.value(of: "tintype_leases_lost_total") < outage || .now < leaseEnd { try await Task.sleep(for: .milliseconds(50)) }
            deployment.redis.thaw()
        }
        let result = try await answer
        #expect(result.state == "succeeded", "\(result)")
        #expect(result["attempts"]?.int == 1, "\(result)")
        #expect(try await deployment.violations(client) == [])
    }

    @Test(.tags(.timed)) func `a Redis frozen past the lease loses no finished download and counts no attempt`() async throws {
        let deployment = try await Deployment(coordinators: 2, workers: 2)
        let clients = [try deployment.client(0), try deployment.client(1)]
        try await deployment.configure(clients[0], #""maxConcurrentPerHost":20"#)
        func path(_ number: Int) -> String { "/picture.png?size=16x16&gate=\(number < 10 ? "ends" : "lasts")&n=\(number)" }
        for number in 0..<20 {
            let answer = try await clients[number % 2].call(
                "image.submit", #"{"url":"\#(deployment.url(path(number)))","as":"bytes","receipt":"r\#(number)","deadline":110}"#)
            if let error = answer.error { throw TestFailure("\(error)") }
        }
        try await Gate.until("twenty run") { try await deployment.atOrigin() == 20 }
        try await deployment.untilBeaten()
        let leaseEnd = ContinuousClock.now + TestTimes.lease + .seconds(1)
        deployment.redis.freeze()
        for _ in 0..<10 { try await deployment.open(gate: "ends") }
        try await Gate.until("the others were given up, and their leases have run out") {
            let isOver = ContinuousClock.now >= leaseEnd
            return try await deployment.atOrigin() == 0 && isOver
        }
        deployment.redis.thaw()
        // These are requested once more, without a counted attempt.
        for _ in 0..<10 { try await deployment.open(gate: "lasts") }
        for number in 0..<20 {
            let end = try await clients[(number + 1) % 2].call("receipt.get", #"{"receipt":"r\#(number)","wait":90}"#)
            #expect(end.state == "succeeded", "\(end)")
            #expect(end["result"]?["attempts"]?.int == 1, "\(end)")
        }
        for coordinator in deployment.coordinators {
            #expect(try await coordinator.value(of: #"tintype_reaped_total{outcome="leases"}"#) == 0)
        }
        let expected = Dictionary(uniqueKeysWithValues: (0..<20).map { (path($0), $0 < 10 ? 1 : 2) })
        #expect(try await deployment.counts()["counts"]?.integers == expected)
        #expect(try await deployment.violations(clients[0]) == [])
    }

    @Test func `killing each pixel process in turn under load loses no picture`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let worker = deployment.workers[0]
        let killer = Task {
            var killed = 0
            var before = 0
            while !Task.isCancelled, killed < 12 {
                // The gate: pictures were finished since the last kill, so that the process killed now is at work or about to be. Several, so that
                // chance does not hit one picture as often as ends it (four times).
                let done = try await finishedPictures(of: worker)
                guard done > before + 3, let child = worker.children.min() else {
                    try? await Task.sleep(for: .milliseconds(5))
                    continue
                }
                if kill(child, SIGKILL) == 0 { killed += 1 }
                before = done
            }
            return killed
        }
        let outcomes = try await withThrowingTaskGroup(of: RPCClient.Message.self) { group in
            for number in 0..<80 {
                let url = deployment.url("/picture.png?n=\(number)")
                group.addTask { try await client.call("image.load", #"{"url":"\#(url)","transform":[{"op":"resize","width":200}],"deadline":120}"#) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        killer.cancel()
        let killed = try await killer.value
        #expect(killed > 0)
        for outcome in outcomes where outcome.state != "succeeded" { Issue.record("\(outcome)") }
        #expect(outcomes.count == 80)
        #expect(try await deployment.violations(client) == [])
    }

    private func isEnd(_ message: RPCClient.Message) -> Bool {
        ["succeeded", "failed", "cancelled"].contains(message.type ?? "")
    }

    /// Returns the number in the worker's own metrics.
    private func finishedPictures(of worker: ServiceProcess) async throws -> Int {
        try await worker.value(of: #"tintype_pixel_jobs_total{outcome="succeeded"}"#)
    }
}
