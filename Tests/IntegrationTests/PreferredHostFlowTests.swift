import Foundation
import TintypeCore
import TestSupport
import Testing

/// Workers with `--prefer-hosts`, at two origins whose downloads the test holds back.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct PreferredHostFlowTests {
    @Test func `each of two workers claims the fetches of its own hosts first, and those of others with the permits that are left`() async throws {
        let deployment = try await Deployment(workers: 0)
        let origins = [deployment.origin, try await ServiceProcess.origin(["--listen", "127.0.0.2:0"])]
        var workers: [ServiceProcess] = []
        for host in ["127.0.0.1", "127.0.0.2"] {
            let words = ["--results", "file://\(deployment.results.path)", "--fetches", "4", "--prefer-hosts", host]
            workers.append(try await ServiceProcess.worker(redis: deployment.address, words))
        }
        let client = try deployment.client()
        #expect(try await client.call("queue.pause", #"{"queue":"default"}"#).error == nil)
        // Five of the first host and three of the second: with four permits each, the second worker has one left.
        for (number, host) in [0, 0, 1, 0, 1, 0, 1, 0].enumerated() {
            let url = origins[host].base + "/picture.png?size=16x16&gate=\(host)&n=\(number)"
            let params = #"{"url":"\#(url)","as":"bytes","receipt":"\#(host)-\#(number)","progress":true,"deadline":50}"#
            let answer = try await client.call("image.submit", params)
            #expect(answer.error == nil, "\(answer)")
        }
        #expect(try await client.call("queue.resume", #"{"queue":"default"}"#).error == nil)
        let started = await client.notifications { $0.count { $0.type == "started" } == 8 }.filter { $0.type == "started" }
        var claims: [String: [Int]] = [:]
        for event in started {
            claims[event.receipt?.first.map(String.init) ?? "", default: []].append(workers.firstIndex { $0.ready["worker"] == event["worker"]?.string } ?? -1)
        }
        #expect(claims["0"]?.sorted() == [0, 0, 0, 0, 1], "\(started)")
        #expect(claims["1"] == [1, 1, 1], "\(started)")

        for (host, count) in [5, 3].enumerated() {
            for _ in 0..<count {
                try await Gate.until("a download waits") { try await HTTP.get(origins[host].base + "/_open?gate=\(host)").status == 200 }
            }
        }
        let ends = await client.notifications { $0.count { $0.type == "succeeded" } == 8 }
        #expect(!ends.contains { $0.type == "failed" }, "\(ends)")
        for worker in workers { await worker.stop() }
        await origins[1].stop()
    }
}
