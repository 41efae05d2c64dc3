import Foundation
import TintypeCore
import TestSupport
import Testing

/// Order and number of running fetches, as the origin sees them.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct OrderTests {
    /// Queues pictures while the queue is paused, lets one run at a time, and returns the order of arrival at the origin. Their ends are reported in
    /// the same order.
    /// - Parameter before: called when all are queued.
    private func arrivals(
        _ requests: [(number: Int, more: String)], before: (Deployment, RPCClient) async throws -> Void = { _, _ in }
    ) async throws -> [Int] {
        let deployment = try await Deployment(workers: 2)
        let client = try deployment.client()
        try await deployment.configure(client, #""maxConcurrent":1"#)
        try await client.call("queue.pause", #"{"queue":"default"}"#)
        for (number, more) in requests {
            let answer = try await client.call(
                "image.submit",
                #"{"url":"\#(deployment.url("/picture.png?size=16x16&n=\(number)"))","as":"bytes","receipt":"r\#(number)","deadline":110\#(more)}"#)
            if let error = answer.error { throw TestFailure("\(error)") }
        }
        try await before(deployment, client)
        try await client.call("queue.resume", #"{"queue":"default"}"#)
        // Not those of joined receipts or groups.
        let own = Set(requests.map { "r\($0.number)" })
        @Sendable func isOwnEnd(_ message: RPCClient.Message) -> Bool {
            message.type == "succeeded" && own.contains(message.receipt ?? "")
        }
        let ends = await client.notifications { $0.count(where: isOwnEnd) >= own.count }.filter(isOwnEnd)
        let order = ((try await deployment.counts()["order"]?.strings) ?? []).compactMap { path in path.split(separator: "=").last.flatMap { Int($0) } }
        #expect(ends.compactMap { $0.receipt } == order.map { "r\($0)" })
        #expect(try await deployment.violations(client) == [])
        await deployment.stop()
        return order
    }

    @Test func `FIFO runs the oldest request first`() async throws {
        #expect(try await arrivals((0..<200).map { ($0, "") }) == Array(0..<200))
    }

    @Test func `LIFO runs the newest request first`() async throws {
        #expect(try await arrivals((0..<200).map { ($0, #","order":"lifo""#) }) == Array((0..<200).reversed()))
    }

    @Test func `higher priorities run first, and FIFO orders each priority`() async throws {
        let priorities = [0, 5, -3, 10, 0, 5, -10, 10, 0, 4, -4, 1]
        let order = try await arrivals(priorities.enumerated().map { ($0.offset, #","priority":\#($0.element)"#) })
        let expected = priorities.enumerated().sorted { ($1.element, $0.offset) < ($0.element, $1.offset) }.map(\.offset)
        #expect(order == expected)
    }

    @Test func `five hundred requests of mixed priorities and orders run in the expected order`() async throws {
        let wishes = (0..<500).map { (number: $0, priority: Int.random(in: -3...3), isLIFO: Bool.random()) }
        let order = try await arrivals(wishes.map { ($0.number, #","priority":\#($0.priority),"order":"\#($0.isLIFO ? "lifo" : "fifo")""#) })
        let bands = Dictionary(grouping: wishes, by: \.priority).sorted { $0.key > $1.key }.map(\.value)
        let expected = bands.flatMap { band in band.filter(\.isLIFO).reversed() + band.filter { !$0.isLIFO } }
        #expect(order == expected.map(\.number), "\(wishes)")
    }

    @Test func `a more urgent join or a higher priority moves a waiting fetch forward`() async throws {
        let order = try await arrivals((0..<6).map { ($0, #","priority":"low""#) }) { deployment, client in
            let joins = try await client.call(
                "image.submit",
                #"{"url":"\#(deployment.url("/picture.png?size=16x16&n=4"))","as":"bytes","receipt":"joins","priority":"high","detached":true}"#)
            #expect(joins.error == nil, "\(joins)")
            let lifted = try await client.call("receipt.setPriority", #"{"receipt":"r5","priority":"normal"}"#)
            #expect(lifted.error == nil, "\(lifted)")
            // A step of a chain is a request like any other.
            let step = #"{"url":"\#(deployment.url("/picture.png?size=16x16&n=2"))","as":"bytes","priority":10}"#
            let chain = try await client.call("chain.start", #"{"steps":[\#(step)]}"#)
            #expect(chain.error == nil, "\(chain)")
            try await Gate.until("the chain's step has joined") {
                let fetch = try await deployment.redis("HGET", "r:r2", "fetch")
                return try await deployment.redis("HGET", "f:" + fetch, "priority") == "10"
            }
        }
        #expect(order == [2, 4, 5, 0, 1, 3])
    }

    @Test func `three workers never run more than the queue allows`() async throws {
        let deployment = try await Deployment(workers: 3)
        let client = try deployment.client()
        try await deployment.configure(client, #""maxConcurrent":4,"maxConcurrentPerHost":4"#)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<30 {
                let url = deployment.url("/slow/picture.png?n=\(number)&delay=0.05&together=4")
                group.addTask {
                    let answer = try await client.call("image.load", #"{"url":"\#(url)","transform":[{"op":"resize","width":16}],"deadline":100}"#)
                    #expect(answer.state == "succeeded", "\(answer)")
                }
            }
            try await group.waitForAll()
        }
        let most = try await deployment.counts()["maxConcurrent"]?.int
        #expect(most == 4)
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `a thousand requests for one source over two coordinators are one download`() async throws {
        let deployment = try await Deployment(coordinators: 2, workers: 2)
        let clients = [try deployment.client(0), try deployment.client(1)]
        let url = deployment.url("/slow/picture.png?delay=1")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1000 {
                let client = clients[number % 2]
                group.addTask {
                    let answer = try await client.call("image.load", #"{"url":"\#(url)","transform":[{"op":"resize","width":32}],"deadline":100}"#)
                    #expect(answer.state == "succeeded", "\(answer)")
                }
            }
            try await group.waitForAll()
        }
        let total = try await deployment.counts()["total"]?.int
        #expect(total == 1)
        #expect(try await deployment.violations(clients[0]) == [])
    }
}
