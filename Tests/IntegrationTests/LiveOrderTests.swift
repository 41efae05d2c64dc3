import Foundation
import TintypeCore
import TestSupport
import Testing

/// Order and limits that change while requests run and more arrive, and queues that differ in them.
///
/// The origin delays each download until the test releases it, so that claims follow one another.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct LiveOrderTests {
    /// A request that the origin delays.
    private struct Request {
        let number: Int
        /// "fifo" or "lifo"; nil for the queue's order.
        var own: String?
    }

    /// The order in which a queue should give out requests, by the rules of docs/protocol.md.
    private struct Model {
        var waiting: [Request] = []
        var isLIFO = false

        /// Removes and returns the next one: LIFO requests come before the others.
        mutating func next() -> Int? {
            let last = waiting.indices.last { (waiting[$0].own ?? (isLIFO ? "lifo" : "fifo")) == "lifo" }
            guard let index = last ?? waiting.indices.first else { return nil }
            return waiting.remove(at: index).number
        }
    }

    private func submit(_ deployment: Deployment, _ client: RPCClient, _ request: Request, queue: String = "default") async throws {
        let url = deployment.url("/picture.png?size=16x16&gate=\(queue)&n=\(request.number)")
        let order = request.own.map { #","order":"\#($0)""# } ?? ""
        let answer = try await client.call(
            "image.submit",
            #"{"url":"\#(url)","as":"bytes","receipt":"\#(queue)-\#(request.number)","queue":"\#(queue)","deadline":110\#(order),"fetch":{"timeouts":{"idle":100,"total":110}}}"#
        )
        if let error = answer.error { throw TestFailure("\(error)") }
    }

    /// Returns the numbers of a queue's requests in the order of their arrival at the origin.
    private func arrivals(_ deployment: Deployment, queue: String = "default") async throws -> [Int] {
        let order = try await deployment.counts()["order"]?.strings ?? []
        return order.filter { $0.contains("gate=\(queue)&") }.compactMap { $0.split(separator: "=").last.flatMap { Int($0) } }
    }

    /// Releases the request that the origin has delayed longest, and waits for the arrival of the next one.
    /// - Parameter more: false if there is none.
    private func letOneGo(_ deployment: Deployment, queue: String = "default", more: Bool = true) async throws {
        let before = try await deployment.asked()
        try await deployment.open(gate: queue)
        if more { try await Gate.until("the next one has come") { try await deployment.asked() > before } }
    }

    /// Returns the receipts of a queue in the order of their terminal events.
    private func ends(_ client: RPCClient, _ queue: String, count: Int) async -> [Int] {
        @Sendable func number(_ message: RPCClient.Message) -> Int? {
            guard message.type == "succeeded", let receipt = message.receipt else { return nil }
            let words = receipt.split(separator: "-")
            return words.first == Substring(queue) ? words.last.flatMap { Int($0) } : nil
        }
        return await client.notifications { $0.count { number($0) != nil } >= count }.compactMap(number)
    }

    @Test func `LIFO runs the newest request first while more arrive`() async throws {
        let deployment = try await Deployment(coordinators: 2, workers: 2)
        let clients = [try deployment.client(0), try deployment.client(1)]
        try await deployment.configure(clients[0], #""maxConcurrent":1,"order":"lifo""#)
        var model = Model(isLIFO: true)
        var expected = [0]
        var number = 1
        try await submit(deployment, clients[0], Request(number: 0))
        try await Gate.until("the first runs") { try await deployment.asked() == 1 }
        for _ in 0..<8 {
            for _ in 0..<5 {
                try await submit(deployment, clients[number % 2], Request(number: number))
                model.waiting.append(Request(number: number))
                number += 1
            }
            try await letOneGo(deployment)
            expected.append(model.next() ?? -1)
        }
        while let next = model.next() {
            try await letOneGo(deployment)
            expected.append(next)
        }
        try await letOneGo(deployment, more: false)
        #expect(try await arrivals(deployment) == expected)
        #expect(await ends(clients[0], "default", count: 21) == expected.filter { $0 % 2 == 0 })
        #expect(await ends(clients[1], "default", count: 20) == expected.filter { $0 % 2 == 1 })
        #expect(try await deployment.counts()["maxConcurrent"]?.int == 1)
        #expect(try await deployment.violations(clients[0]) == [])
    }

    @Test func `a change of the order reverses waiting requests, except those with an order of their own`() async throws {
        let deployment = try await Deployment(coordinators: 2, workers: 2)
        let (client, other) = (try deployment.client(0), try deployment.client(1))
        try await deployment.configure(client, #""maxConcurrent":5,"order":"fifo""#)
        try await client.call("queue.pause", #"{"queue":"default"}"#)
        var model = Model()
        for number in 0..<40 {
            let request = Request(number: number, own: number % 10 == 3 ? "fifo" : number % 10 == 7 ? "lifo" : nil)
            try await submit(deployment, client, request)
            model.waiting.append(request)
        }
        try await client.call("queue.resume", #"{"queue":"default"}"#)
        try await Gate.until("five run") { try await deployment.asked() == 5 }
        let first = Set((0..<5).compactMap { _ in model.next() })
        var expected: [Int] = []
        for (order, turns) in [("fifo", 8), ("lifo", 12), ("fifo", 8), ("lifo", 7)] {
            try await deployment.configure(other, #""order":"\#(order)""#)
            model.isLIFO = order == "lifo"
            for _ in 0..<turns {
                try await letOneGo(deployment)
                expected.append(model.next() ?? -1)
            }
        }
        #expect(model.waiting.isEmpty)
        for _ in 0..<5 { try await letOneGo(deployment, more: false) }
        let seen = try await arrivals(deployment)
        #expect(Set(seen.prefix(5)) == first)
        #expect(Array(seen.dropFirst(5)) == expected)
        #expect(Set(await ends(client, "default", count: 40)) == Set(0..<40))
        #expect(try await deployment.counts()["maxConcurrent"]?.int == 5)
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `a raised limit applies at once, and a lowered one as soon as enough runs have ended`() async throws {
        let deployment = try await Deployment(coordinators: 2, workers: 3)
        let (client, other) = (try deployment.client(0), try deployment.client(1))
        try await deployment.configure(client, #""maxConcurrent":2,"maxConcurrentPerHost":20"#)
        for number in 0..<16 { try await submit(deployment, client, Request(number: number)) }
        try await Gate.until("two run") { try await deployment.atOrigin() == 2 }
        try await deployment.configure(other, #""maxConcurrent":6"#)
        try await Gate.until("six run") { try await deployment.atOrigin() == 6 }
        try await deployment.configure(other, #""maxConcurrent":2"#)
        for left in [5, 4, 3, 2] {
            try await deployment.open(gate: "default")
            try await Gate.until("\(left) run") { try await deployment.running().count == left }
        }
        // The ends of four are recorded, each of which would have started another one.
        #expect(try await deployment.asked() == 6)
        #expect(try await deployment.counts()["maxConcurrent"]?.int == 6)
        _ = try await HTTP.get(deployment.origin.base + "/_reset")
        for _ in 6..<16 { try await letOneGo(deployment) }
        for _ in 0..<2 { try await letOneGo(deployment, more: false) }
        #expect(Set(await ends(client, "default", count: 16)) == Set(0..<16))
        let counts = try await deployment.counts()
        #expect(counts["maxConcurrent"]?.int == 2 && counts["total"]?.int == 10, "\(counts)")
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `two queues have separate orders, limits and pauses`() async throws {
        let deployment = try await Deployment(coordinators: 2, workers: 2, workerArguments: ["--queues", "default,bulk"])
        let clients = [try deployment.client(0), try deployment.client(1)]
        try await deployment.configure(clients[0], #""maxConcurrent":2"#)
        let made = try await clients[1].call("queue.configure", #"{"queue":"bulk","order":"lifo","maxConcurrent":1}"#)
        #expect(made.error == nil, "\(made)")
        try await clients[1].call("queue.pause", #"{"queue":"bulk"}"#)
        for number in 0..<12 {
            try await submit(deployment, clients[number % 2], Request(number: number), queue: "bulk")
            try await submit(deployment, clients[number % 2], Request(number: number))
        }
        // One queue is paused, and the other one goes on.
        try await Gate.until("two run") { try await deployment.asked() == 2 }
        for _ in 2..<6 { try await letOneGo(deployment) }
        #expect(try await arrivals(deployment, queue: "bulk") == [])
        // Both go on, each with its own limit.
        try await clients[0].call("queue.resume", #"{"queue":"bulk"}"#)
        try await Gate.until("three run") { try await deployment.atOrigin() == 3 }
        for _ in 1..<5 { try await letOneGo(deployment, queue: "bulk") }
        // Now with exchanged queues.
        try await clients[0].call("queue.pause", #"{"queue":"default"}"#)
        for _ in 0..<2 { try await letOneGo(deployment, more: false) }
        try await Gate.until("nothing of it runs") { try await deployment.running().isEmpty }
        for _ in 5..<12 { try await letOneGo(deployment, queue: "bulk") }
        try await letOneGo(deployment, queue: "bulk", more: false)
        let seen = try await arrivals(deployment)
        #expect(seen.count == 6 && Set(seen) == Set(0..<6), "\(seen)")
        try await clients[1].call("queue.resume", #"{"queue":"default"}"#)
        try await Gate.until("two run") { try await deployment.atOrigin() == 2 }
        for _ in 8..<12 { try await letOneGo(deployment) }
        for _ in 0..<2 { try await letOneGo(deployment, more: false) }

        for (index, client) in clients.enumerated() {
            let own = (0..<12).filter { $0 % 2 == index }
            #expect(await ends(client, "bulk", count: 6) == own.reversed())
            #expect(Set(await ends(client, "default", count: 6)) == Set(own))
        }
        #expect(try await arrivals(deployment, queue: "bulk") == Array((0..<12).reversed()))
        // Two runs at once: those that start together may reach the origin in either order.
        let order = try await arrivals(deployment)
        #expect(Set(order.prefix(2)) == [0, 1] && Array(order[2..<6]) == [2, 3, 4, 5], "\(order)")
        #expect(Set(order[6..<8]) == [6, 7] && Array(order[8...]) == [8, 9, 10, 11], "\(order)")
        #expect(try await deployment.counts()["maxConcurrent"]?.int == 3)
        #expect(try await deployment.violations(clients[0]) == [])
    }
}
