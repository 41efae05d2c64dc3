import Foundation
import TintypeCore
import TestSupport
import Testing

/// Processes stopped in the middle of their work. Answers arrive whole, and another worker gets unfinished work at once.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct DrainTests {
    @Test func `an answer under way at SIGTERM arrives whole, at any size`() async throws {
        let deployment = try await Deployment(coordinators: 6)
        for (number, coordinator) in deployment.coordinators.enumerated() {
            let client = try RawClient(port: coordinator.rpcPort)
            let url = deployment.url("/slow/picture.png?size=900x700&delay=0.3&n=\(number)")
            let params = #"{"url":"\#(url)","deliver":"inline","progress":true}"#
            client.send(Array(#"{"jsonrpc":"2.0","id":1,"method":"image.load","params":\#(params)}"#.utf8) + [10])
            // The gate: two events, `queued` and `started`.
            _ = await client.lines(2)
            #expect(await coordinator.stop() == 0)
            let answer = String(decoding: await client.untilClosed(), as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            #expect(answer.last == "", "cut in the middle of a line")
            #expect(answer.contains { $0.hasPrefix(#"{"jsonrpc":"2.0","id":1,"result""#) && $0.contains(#""data":""#) })
        }
    }

    @Test func `a coordinator answers requests in flight at once after a second SIGTERM`() async throws {
        let deployment = try await Deployment()
        let coordinator = deployment.coordinators[0]
        let client = try RawClient(port: coordinator.rpcPort)
        let params = #"{"url":"\#(deployment.url("/hang"))","deadline":600}"#
        client.send(Array(#"{"jsonrpc":"2.0","id":1,"method":"image.load","params":\#(params)}"#.utf8) + [10])
        try await Gate.until("it runs") { try await deployment.atOrigin() == 1 }
        coordinator.process.signal(SIGTERM)
        try await Gate.until("it has heard the first") { try await HTTP.get(coordinator.base + "/readyz").status == 503 }
        coordinator.process.signal(SIGTERM)
        let answer = String(decoding: await client.untilClosed(), as: UTF8.self)
        #expect(answer.contains(#""id":1,"error":{"code":1053"#), "\(answer)")
        #expect(await coordinator.process.exit() == 0)
        #expect(coordinator.process.errors.contains("stopped"))
    }

    @Test func `a draining worker ends its runs, claims nothing new and exits with 0`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let worker = deployment.workers[0]
        async let running = client.call(
            "image.load", #"{"url":"\#(deployment.url("/slow/picture.png?size=64x48&delay=2"))","as":"bytes","deadline":60}"#)
        try await Gate.until("it runs") { try await deployment.asked() == 1 }
        worker.process.signal(SIGTERM)
        try await Gate.until("it has heard") { (try? await HTTP.get(worker.base + "/readyz"))?.status != 200 }
        let late = #"{"url":"\#(deployment.url("/picture.png?size=64x48"))","as":"bytes","receipt":"late","deadline":60}"#
        #expect(try await client.call("image.submit", late).state == "queued")
        let end = try await running
        #expect(end.state == "succeeded" && end["attempts"]?.int == 1, "\(end)")
        #expect(await worker.process.exit() == 0)
        #expect(try await deployment.counts()["total"]?.int == 1)
        let waiting = try await client.call("receipt.get", #"{"receipt":"late"}"#)
        #expect(waiting.state == "queued", "\(waiting)")
        _ = try await deployment.anotherWorker()
        #expect(try await client.call("receipt.get", #"{"receipt":"late","wait":30}"#).state == "succeeded")
        #expect(try await deployment.violations(client) == [])
    }

    /// The request allows only one attempt, so a counted one would end it.
    @Test(arguments: [(grace: "300ms", signals: 1), (grace: "1h", signals: 2)])
    func `runs left after the grace period or a second signal are released at once, uncounted`(grace: String, signals: Int) async throws {
        let deployment = try await Deployment(workerArguments: ["--grace", grace])
        let client = try deployment.client()
        let url = deployment.url("/hang?times=1")
        try await client.call("image.submit", #"{"url":"\#(url)","as":"bytes","receipt":"r","fetch":{"retry":{"attempts":1}},"deadline":60}"#)
        try await Gate.until("it runs") { try await deployment.atOrigin() == 1 }
        let worker = deployment.workers[0]
        worker.process.signal(SIGTERM)
        if signals == 2 {
            try await Gate.until("it has heard the first") { try await HTTP.get(worker.base + "/readyz").status == 503 }
            #expect(try await deployment.atOrigin() == 1)
            worker.process.signal(SIGTERM)
        }
        #expect(await worker.process.exit() == 0)
        #expect(try await deployment.running().isEmpty, "no lease is left to run out")
        #expect(try await client.call("receipt.get", #"{"receipt":"r"}"#).state == "queued")
        _ = try await deployment.anotherWorker()
        let end = try await client.call("receipt.get", #"{"receipt":"r","wait":30}"#)
        #expect(end.state == "succeeded", "\(end)")
        #expect(end["result"]?["attempts"]?.int == 1, "\(end)")
        #expect(try await deployment.violations(client) == [])
    }
}
