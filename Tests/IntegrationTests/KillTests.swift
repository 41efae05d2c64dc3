import Foundation
import TestSupport
import Testing

/// Real processes ended by SIGKILL in the middle of work: nothing is lost, nothing is answered twice.
@Suite(.timeLimit(.minutes(3)), .serialized) struct KillTests {
    @Test func `a worker killed in the middle of a download costs one more attempt`() async throws {
        let deployment = try await Deployment(workers: 2)
        let client = try deployment.client()
        let url = deployment.url("/slow/picture.png?size=300x200&rate=90000")
        async let answer = client.call("image.load", #"{"url":"\#(url)","transform":[{"op":"resize","width":64}],"progress":true,"deadline":90}"#)
        // The gate: bytes have arrived at some worker. Its id is in the event `started`.
        let events = await client.notifications { $0.contains { $0.params?["type"] as? String == "progress" } }
        let worker = events.compactMap { $0.params?["worker"] as? String }.first
        let victim = try #require(deployment.workers.first { $0.ready["worker"] == worker })
        let killed = ContinuousClock.now
        await victim.kill9()
        let result = try await answer
        print("answered \(ContinuousClock.now - killed) after the worker was killed")
        #expect(result.fields["state"] as? String == "succeeded", "\(result.object)")
        #expect(result.fields["attempts"] as? Int == 2)
        let terminal = client.notifications.filter { ["succeeded", "failed", "cancelled"].contains($0.params?["type"] as? String ?? "") }
        #expect(terminal.count == 1)
        await deployment.stop()
    }

    @Test func `a killed Redis with 200 queued loses none of them`() async throws {
        let deployment = try await Deployment(workers: 2, appendOnly: true)
        let client = try deployment.client()
        try await client.call("queue.pause", #"{"queue":"default"}"#)
        var receipts: [String] = []
        for number in 0..<200 {
            let url = deployment.url("/picture.png?n=\(number)")
            let answer = try await client.call(
                "image.submit", #"{"url":"\#(url)","transform":[{"op":"resize","width":16}],"receipt":"kill-\#(number)","deadline":170}"#)
            receipts.append(try #require(answer.fields["receipt"] as? String, "\(answer.object)"))
        }
        await deployment.redis.kill9()
        let down = try await client.call("queue.get", #"{"queue":"default"}"#)
        #expect(down.errorName == "unavailable", "\(down.object)")
        try await deployment.redis.restart()
        try await resumeWhenReachable(client)
        let events = await client.notifications { messages in
            messages.count { ["succeeded", "failed", "cancelled"].contains($0.params?["type"] as? String ?? "") } >= 200
        }
        let succeeded = events.filter { $0.params?["type"] as? String == "succeeded" }.compactMap { $0.params?["receipt"] as? String }
        #expect(succeeded.count == 200)
        #expect(Set(succeeded) == Set(receipts))
        await deployment.stop()
    }

    @Test func `a Redis that is frozen twice past the lease kills no fetch whose worker is well`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let worker = deployment.workers[0]
        let url = deployment.url("/slow/picture.png?size=400x300&delay=9")
        async let answer = client.call("image.load", #"{"url":"\#(url)","as":"bytes","deadline":150}"#)
        for outage in 1...2 {
            // The gates: the worker is downloading; then it has given the lease up by itself, and the lease has run out.
            while try await worker.value(of: "tintype_downloads_in_flight") == 0 { try await Task.sleep(for: .milliseconds(50)) }
            let leaseEnd = ContinuousClock.now + .seconds(11)
            deployment.redis.freeze()
            while try await worker.value(of: "tintype_leases_lost_total") < outage || .now < leaseEnd { try await Task.sleep(for: .milliseconds(50)) }
            deployment.redis.thaw()
        }
        let result = try await answer
        #expect(result.fields["state"] as? String == "succeeded", "\(result.object)")
        #expect(result.fields["attempts"] as? Int == 1, "\(result.object)")
        await deployment.stop()
    }

    /// `queue.resume` as an operator would repeat it until the coordinator has found Redis again.
    private func resumeWhenReachable(_ client: RPCClient) async throws {
        while try await client.call("queue.resume", #"{"queue":"default"}"#).errorName == "unavailable" { await Task.yield() }
    }

    @Test func `killing each pixel process in turn under load loses no picture`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let worker = deployment.workers[0]
        let killer = Task {
            var killed = 0
            var before = 0
            while !Task.isCancelled, killed < 12 {
                // The gate: a picture was finished since the last kill, so that the one killed now is at work or about to be.
                let done = try await finishedPictures(of: worker)
                guard done > before, let child = worker.children.min() else { continue }
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
        for outcome in outcomes where outcome.fields["state"] as? String != "succeeded" { Issue.record("\(outcome.object)") }
        #expect(outcomes.count == 80)
        await deployment.stop()
    }

    /// What the worker's own metrics say.
    private func finishedPictures(of worker: ServiceProcess) async throws -> Int {
        try await worker.value(of: #"tintype_pixel_jobs_total{outcome="succeeded"}"#)
    }
}
