import Foundation
import TintypeCore
import TestSupport
import Testing

/// Work that no client wants any more, or that misses its deadline, is stopped, at the origin too.
@Suite(.tags(.realTimes), .timeLimit(.minutes(2)), .serialized, .scoped) struct CancellationTests {
    @Test func `ninety-nine cancels keep the download, and the message of the hundredth ends it`() async throws {
        let deployment = try await Deployment(coordinators: 2, workers: 2, isProxied: true)
        try await deployment.muteBeats()
        let clients = [try deployment.client(0), try deployment.client(1)]
        // The download would take minutes.
        let url = deployment.url("/slow/picture.png?rate=100")
        for number in 0..<100 {
            let answer = try await clients[number % 2].call("image.submit", #"{"url":"\#(url)","as":"bytes","receipt":"r\#(number)","deadline":100}"#)
            #expect(answer.error == nil, "\(answer)")
        }
        try await Gate.until("it runs") { try await deployment.atOrigin() == 1 }
        // Each by its own coordinator or by the other one.
        for number in 0..<99 {
            let answer = try await clients[number / 2 % 2].call("receipt.cancel", #"{"receipt":"r\#(number)"}"#)
            #expect(answer["cancelled"]?.bool == true, "\(answer)")
        }
        #expect(try await clients[1].call("receipt.get", #"{"receipt":"r99"}"#).state == "running")
        #expect(try await deployment.atOrigin() == 1)
        try await clients[0].call("receipt.cancel", #"{"receipt":"r99"}"#)
        try await Gate.until("the origin's connection is closed") { try await deployment.atOrigin() == 0 }
        let cached = try await clients[0].call("image.load", #"{"url":"\#(url)","as":"bytes","cache":{"policy":"only"}}"#)
        #expect(cached.error?.name == "cacheMiss", "\(cached)")
        for (half, client) in clients.enumerated() {
            let ends = await client.notifications { $0.count { $0.type == "cancelled" } >= 50 }
                .compactMap { $0.receipt }
            #expect(Set(ends) == Set((0..<50).map { "r\(2 * $0 + half)" }) && ends.count == 50)
        }
        #expect(try await deployment.violations(clients[0]) == [])
    }

    /// The worker is frozen while its connection is cut and the message is sent, so it cannot have received the message.
    @Test func `a cancellation with a lost message arrives with the next heartbeat`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        for round in 0..<2 {
            try await client.call("image.submit", #"{"url":"\#(deployment.url("/hang?n=\(round)"))","as":"bytes","receipt":"r\#(round)","deadline":100}"#)
            try await Gate.until("it runs") { try await deployment.atOrigin() == 1 }
            deployment.workers[0].freeze()
            try await deployment.redis.command("CLIENT", "KILL", "TYPE", "pubsub")
            let answer = try await client.call("receipt.cancel", #"{"receipt":"r\#(round)"}"#)
            #expect(answer["cancelled"]?.bool == true, "\(answer)")
            #expect(try await deployment.atOrigin() == 1)
            deployment.workers[0].thaw()
            try await Gate.until("the download is stopped") { try await deployment.atOrigin() == 0 }
            try await Gate.until("it is told to Redis") { try await deployment.running().isEmpty }
        }
        // Without the heartbeat only the end of the lease would have stopped it.
        #expect(try await deployment.workers[0].value(of: "tintype_leases_lost_total") == 0)
        #expect(try await deployment.coordinators[0].value(of: #"tintype_reaped_total{outcome="leases"}"#) == 0)
        #expect(try await deployment.violations(client) == [])
    }

    @Test(.tags(.timed)) func `a deadline ends waiting and running requests, and frees the permit`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        try await deployment.configure(client, #""maxConcurrent":1"#)
        func load(_ path: String, _ deadline: Double) async throws -> (answer: RPCClient.Message, took: Duration) {
            let start = ContinuousClock.now
            let answer = try await client.call("image.load", #"{"url":"\#(deployment.url(path))","as":"bytes","deadline":\#(deadline)}"#)
            return (answer, ContinuousClock.now - start)
        }
        async let running = load("/hang", 8)
        try await Gate.until("it runs") { try await deployment.asked() == 1 }
        async let waiting = load("/picture.png?size=16x16&n=1", 1)
        async let next = load("/picture.png?size=16x16&n=2", 30)
        for (late, deadline) in [(try await waiting, Duration.seconds(1)), (try await running, .seconds(8))] {
            #expect(late.answer.error?.name == "deadlineExceeded", "\(late.answer)")
            // Timers count whole milliseconds of a clock read when the loop woke, so a little early is in time.
            #expect(late.took >= deadline - .milliseconds(100), "\(late.took)")
        }
        #expect(try await next.answer.state == "succeeded")
        let leases = try await deployment.coordinators[0].value(of: #"tintype_reaped_total{outcome="leases"}"#)
        #expect(leases == 0, "the slot was free at once, not when a lease ran out")
        #expect(try await deployment.counts()["counts"]?.integers == ["/hang": 1, "/picture.png?size=16x16&n=2": 1])
        try await Gate.until("the origin has nobody") { try await deployment.atOrigin() == 0 }
        #expect(try await deployment.violations(client) == [])
    }

    /// If answers are late, a cancel arrives before the claim that it ends.
    @Test(arguments: [(1, false), (1, true), (2, false)])
    func `a thousand requests of disconnected clients are cancelled at once, by messages alone`(clients: Int, areAnswersLate: Bool) async throws {
        let deployment = try await Deployment(coordinators: 2, workers: 2, isProxied: true)
        try await deployment.muteBeats()
        if areAnswersLate { deployment.proxy?.delayAnswers() }
        let (leavers, stayer) = (try (0..<clients).map { _ in try deployment.client(0) }, try deployment.client(1))
        try await stayer.call(
            "image.submit",
            #"{"url":"\#(deployment.url("/hang?shared"))","as":"bytes","receipt":"shared","deadline":100,"fetch":{"timeouts":{"idle":100,"total":100}}}"#)
        try await Gate.until("it runs") { try await deployment.atOrigin() == 1 }
        let urls = (0..<999).map { deployment.url("/hang?n=\($0)") } + [deployment.url("/hang?shared")]
        for (number, url) in urls.enumerated() {
            leavers[number % clients].send(
                #"{"jsonrpc":"2.0","id":\#(number),"method":"image.load","params":{"url":"\#(url)","as":"bytes","deadline":100,"fetch":{"timeouts":{"idle":100,"total":100}}}}"#
                    + "\n")
        }
        try await Gate.until("all are taken, and the slots are full", within: .seconds(90)) {
            let taken = try await deployment.redis("ZCARD", "dl")
            return try await deployment.atOrigin() == 6 && taken == "1001"
        }
        for leaver in leavers { leaver.close() }
        // A grace period would last thirty seconds, downloads a hundred.
        try await Gate.until("one is left", within: .seconds(25)) {
            let taken = try await deployment.redis("ZCARD", "dl")
            return try await deployment.atOrigin() == 1 && taken == "1"
        }
        #expect(try await deployment.asked() == 6, "of what waited nothing has begun")
        let shared = try await stayer.call("receipt.get", #"{"receipt":"shared"}"#)
        #expect(shared.state == "running", "what somebody else wants too goes on: \(shared)")
        try await stayer.call("receipt.cancel", #"{"receipt":"shared"}"#)
        try await Gate.until("all are stopped") { try await deployment.atOrigin() == 0 }
        #expect(try await deployment.violations(stayer) == [])
    }
}
