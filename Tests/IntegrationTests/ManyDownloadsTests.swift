import Foundation
import TintypeCore
import TestSupport
import Testing

/// Hundreds of downloads, from slow origins and from origins that break connections off.
@Suite(.timeLimit(.minutes(4)), .serialized, .scoped) struct ManyDownloadsTests {
    /// Returns the peak memory of a process in bytes.
    private func peak(of process: ServiceProcess) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.process.identifier)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return (Int(line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? .max / 1024) * 1024
    }

    private func loadAll(_ client: RPCClient, _ urls: [String], more: String = #","fetch":{"timeouts":{"idle":100,"total":170}}"#) async throws -> [RPCClient
        .Message]
    {
        try await withThrowingTaskGroup(of: RPCClient.Message.self) { group in
            for url in urls {
                group.addTask { try await client.call("image.load", #"{"url":"\#(url)","as":"bytes","deliver":"none","deadline":180\#(more)}"#) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func `two thousand slow origins delay only their own requests`() async throws {
        // The default lease: beside other tests this much work may take a worker's whole time for seconds.
        let lease = ["--lease", "10s"]
        let deployment = try await Deployment(
            workers: 1, coordinatorArguments: ["--max-timeout", "170"] + lease, workerArguments: ["--fetches", "1000"] + lease)
        let clients = try [deployment.client(), deployment.client()]
        try await deployment.configure(clients[0], #""maxConcurrent":2000,"maxConcurrentPerHost":2000"#)
        let urls = (0..<2000).map { deployment.url("/slow/picture.png?size=64x48&delay=1&together=500&n=\($0)") }
        // All at once, and none is answered before 500 have been requested. The number under way at one worker must not depend on the speed of clients
        // or the worker.
        try await clients[0].call("queue.pause", #"{"queue":"default"}"#)
        async let first = loadAll(clients[0], Array(urls[..<1000]))
        async let second = loadAll(clients[1], Array(urls[1000...]))
        try await Gate.until("all wait", within: .seconds(150)) {
            try await clients[0].call("queue.get", #"{"queue":"default"}"#)["queued"]?.int == 2000
        }
        try await clients[0].call("queue.resume", #"{"queue":"default"}"#)
        let answers = try await first + second
        #expect(answers.count { $0.state == "succeeded" } == 2000)
        let counts = try await deployment.counts()
        #expect(counts["maxConcurrent"]?.int ?? 0 >= 500 && counts["total"]?.int == 2000, "\(counts["maxConcurrent"] ?? 0) at once")
        let worker = try #require(deployment.workers.first)
        let most = try peak(of: worker)
        #expect(most < 300 << 20, "\(most >> 20) MiB")
        print("2,000 slow origins: \(counts["maxConcurrent"] ?? 0) asked at once, the worker held \(most >> 20) MiB at most")
        #expect(try await deployment.violations(clients[0]) == [])
    }

    @Test func `all files arrive whole, and little of them twice, when three connections in ten are cut`() async throws {
        let deployment = try await Deployment(workers: 2, coordinatorArguments: ["--max-timeout", "170"])
        let client = try deployment.client()
        let whole = try await HTTP.get(deployment.url("/picture.png?size=400x300")).body
        let sum = try await client.call("image.load", #"{"url":"\#(deployment.url("/picture.png?size=400x300"))","as":"bytes"}"#)
        let expected = try #require(sum["source"]?["sha256"]?.string)
        _ = try await HTTP.get(deployment.origin.base + "/_reset")
        try await deployment.configure(client, #""maxConcurrentPerHost":32"#)
        let urls = (0..<500).map { deployment.url("/cut/picture.png?size=400x300&chance=0.3&n=\($0)") }
        let answers = try await loadAll(client, urls, more: #","fetch":{"retry":{"attempts":20,"base":0.05,"max":0.2}}"#)
        let sums = answers.map { $0["source"]?["sha256"]?.string }
        #expect(sums.count { $0 == expected } == 500, "\(answers.first { $0.error != nil }.map { "\($0)" } ?? "")")
        #expect(answers.contains { $0["attempts"]?.int ?? 0 > 1 }, "some were cut")
        let counts = try await deployment.counts()
        let (sent, asked) = (counts["bytes"]?.int ?? 0, counts["total"]?.int ?? 0)
        #expect(asked > 550, "\(asked) connections for 500 files")
        print("500 files over \(asked) connections: \(sent) bytes sent for \(500 * whole.count)")
        #expect(Double(sent) < 1.1 * Double(500 * whole.count), "\(sent) bytes were sent for \(500 * whole.count)")
        #expect(try await deployment.violations(client) == [])
    }
}
