import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// Long answers to greedy clients and to clients that read nothing, over TCP and HTTP.
@Suite(.timeLimit(.minutes(3)), .serialized, .scoped) struct LongAnswerBudgetTests {
    enum Port: CaseIterable { case tcp, http }

    private static let size = 7 << 20
    private static let inline = #"{"url":"http://origin.test/large","deliver":"inline","deadline":100}"#

    private static func request(_ id: Int, _ method: String = "image.load", _ params: String = inline) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
    }

    /// Returns a coordinator with one picture in memory, by default of 7 MiB.
    private func harness(_ size: Int = size) async throws -> CoordinatorHarness {
        let harness = try await CoordinatorHarness()
        let first = try await harness.client()
        async let loaded = first.call("image.load", Self.inline)
        try await harness.worker.succeed(try await harness.worker.claim(), bytes: [UInt8](repeating: 7, count: size))
        #expect(try await loaded.error == nil)
        return harness
    }

    /// Sends one message.
    /// - Returns: The client, which reads nothing unless `reads`.
    private func send(_ message: String, to port: Port, of harness: CoordinatorHarness, reads: Bool = false) async throws -> RawClient {
        guard port == .http else {
            let client = try RawClient(port: await harness.port, reads: reads)
            client.send(message + "\n")
            return client
        }
        guard case .tcp(_, let number) = await harness.coordinator.httpAddress else { throw TestFailure("not a TCP address") }
        let client = try RawClient(port: number, reads: reads)
        client.send(
            "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: \(message.utf8.count)\r\n\r\n\(message)"
        )
        return client
    }

    /// Returns the answer of a client that reads.
    private func answer(_ client: RawClient, from port: Port) async throws -> JSON {
        guard port == .http else { return try JSON(parsing: await client.lines(1).first ?? "") }
        let bytes = await client.untilClosed()
        let end = try #require(bytes.indices.dropLast(3).first { bytes[$0...].starts(with: [13, 10, 13, 10]) })
        return try JSON(parsing: Array(bytes[(end + 4)...]))
    }

    @Test(arguments: Port.allCases) func `a batch beyond its limit is answered in part, and its room is given back`(port: Port) async throws {
        let size = 4 << 20
        let harness = try await harness(size)
        let (coordinator, most) = (harness.coordinator, await MostBytes(harness.coordinator.core.receipts.answers))
        let batch = "[\((0..<150).map { Self.request($0) }.joined(separator: ","))]"
        let answers = try await answer(try await send(batch, to: port, of: harness, reads: true), from: port).array ?? []
        #expect(answers.count == 150 && Set(answers.map { $0["id"]?.int ?? -1 }) == Set(0..<150))
        let data = answers.compactMap { $0["result"]?["renditions"]?.array?.first?["data"]?.string }
        #expect(data.count == 2 && data.allSatisfy { $0.utf8.count == Base64.length(of: size) && $0.hasPrefix("BwcH") })
        let errors = answers.compactMap { $0["error"]?["data"] }
        #expect(errors.count == 148 && errors.allSatisfy { $0["name"] == "limitExceeded" && $0["limit"] == "batch" }, "\(errors.first ?? .null)")
        try await harness.until { coordinator.core.receipts.answers.bytes == 0 }
        let seen = await most.end()
        #expect(seen > 2 * size && seen <= AnswerBatch.most, "\(seen)")
    }

    @Test(arguments: Port.allCases) func `a member of a batch that takes long keeps no room for the others`(port: Port) async throws {
        let harness = try await harness()
        let coordinator = harness.coordinator
        let slow = #"{"url":"http://origin.test/slow","deliver":"inline","deadline":600}"#
        let client = try await send("[\(Self.request(1)),\(Self.request(2, "image.load", slow))]", to: port, of: harness, reads: true)
        let fetch = try await harness.worker.claim()
        try await harness.until {
            coordinator.core.process.metrics.value(.submits, labels: "default", "results") == 1 && coordinator.core.receipts.table.count == 1
        }
        // Another client needs the whole share meanwhile.
        let other = try await harness.client()
        #expect(try await other.call("image.load", Self.inline).error == nil)
        try await harness.until { coordinator.core.receipts.answers.bytes == 0 }
        try await harness.worker.succeed(fetch)
        let answers = try await answer(client, from: port).array ?? []
        #expect(answers.count == 2 && answers.allSatisfy { $0["result"]?["renditions"]?.array?.first?["data"] != nil })
    }

    @Test func `a member of a batch that waits for the others can be canceled`() async throws {
        let harness = try await harness()
        let coordinator = harness.coordinator
        let slow = #"{"url":"http://origin.test/slow","deliver":"inline","deadline":600}"#
        let client = try await send("[\(Self.request(1)),\(Self.request(2, "image.load", slow))]", to: .tcp, of: harness, reads: true)
        let fetch = try await harness.worker.claim()
        try await harness.until {
            coordinator.core.process.metrics.value(.submits, labels: "default", "results") == 1 && coordinator.core.receipts.table.count == 1
        }
        client.send(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"# + "\n")
        try await harness.until { coordinator.core.process.metrics.value(.rpcRequests, labels: "image.load", "cancelled") == 1 }
        try await harness.worker.succeed(fetch)
        let answers = try await answer(client, from: .tcp).array ?? []
        #expect(answers.map { $0["id"]?.int } == [1, 2] && answers.first?["error"]?["data"]?["name"] == "cancelled" && answers.last?["result"] != nil)
        try await harness.until { coordinator.core.receipts.answers.bytes == 0 }
    }

    @Test func `results whose length shows only when they are read fill a batch up to its limit`() async throws {
        let harness = try await harness(4 << 20)
        let client = try await harness.client()
        let known = try await client.call("image.load", #"{"url":"http://origin.test/large","deadline":100}"#)
        let key = try #require(known["renditions"]?.array?.first?["key"]?.string)
        let batch = "[\((0..<5).map { Self.request($0, "cache.get", #"{"key":"\#(key)","deliver":"inline"}"#) }.joined(separator: ","))]"
        let answers = try await answer(try await send(batch, to: .http, of: harness, reads: true), from: .http).array ?? []
        let names = answers.map { $0["error"]?["data"]?["name"]?.string ?? "ok" }
        #expect(names.sorted() == ["limitExceeded", "limitExceeded", "limitExceeded", "ok", "ok"], "\(names)")
    }

    @Test func `all answers of a batch count, of whatever method`() async throws {
        let harness = try await CoordinatorHarness()
        let batch = "[\((0..<1024).map { Self.request($0, "rpc.discover", "{}") }.joined(separator: ","))]"
        let answers = try await answer(try await send(batch, to: .http, of: harness, reads: true), from: .http).array ?? []
        let refused = answers.count { $0["error"]?["data"]?["name"] == "limitExceeded" }
        #expect(answers.count == 1024 && refused > 0 && refused + answers.count { $0["result"] != nil } == 1024, "\(refused)")
    }

    @Test(arguments: Port.allCases) func `clients that read nothing have the share of their address, and others are served`(port: Port) async throws {
        let harness = try await harness()
        let (coordinator, most) = (harness.coordinator, await MostBytes(harness.coordinator.core.receipts.answers))
        var clients: [RawClient] = []
        for id in 0..<80 { clients.append(try await send(Self.request(id), to: port, of: harness)) }
        try await harness.until { coordinator.core.receipts.answers.waitingCount == 79 && coordinator.core.receipts.answers.bytes > Self.size }
        let near = try await harness.client()
        #expect(try await near.call("system.ping").result?.string == "pong")
        let far = try await HTTP.get("\(await harness.base)/rpc", ["--interface", "127.0.0.2", "-d", Self.request(1)])
        #expect(far.status == 200 && far.body.count > Self.size * 4 / 3)
        let (seen, share) = (await most.end(), await coordinator.core.receipts.answers.limits.address)
        #expect(seen <= 2 * share, "\(seen)")
        for client in clients { client.close() }
        try await harness.until { coordinator.core.receipts.answers.bytes == 0 && coordinator.core.receipts.answers.waitingCount == 0 }
    }

    @Test(arguments: Port.allCases) func `a client that reads nothing is closed when others have waited for its room`(port: Port) async throws {
        let harness = try await harness()
        let coordinator = harness.coordinator
        let deaf = try await send(Self.request(1), to: port, of: harness)
        try await harness.until {
            coordinator.core.receipts.answers.bytes > Self.size && coordinator.core.process.metrics.value(.rpcRequests, labels: "image.load", "ok") == 2
        }
        let next = try await send(Self.request(2), to: port, of: harness, reads: true)
        try await harness.until { coordinator.core.receipts.answers.waitingCount == 1 }
        let pace = await coordinator.core.receipts.answers.limits.pace.time
        for time in [ContinuousClock.now, .now + pace] { await coordinator.core.receipts.answers.judge(at: time) }
        #expect(try await answer(next, from: port)["result"] != nil)
        #expect(await coordinator.core.process.metrics.value(.rpcCuts, labels: "slow") == 1)
        deaf.close()
    }

    @Test func `without room an answer of any method is overloaded, and short ones come`() async throws {
        let harness = try await CoordinatorHarness()
        let coordinator = harness.coordinator
        let held = await coordinator.core.receipts.answers.reserve(16 << 20, of: "127.0.0.1", for: nil)
        let refused = try await answer(try await send(Self.request(1, "rpc.discover", "{}"), to: .http, of: harness, reads: true), from: .http)
        #expect(refused["error"]?["data"]?["name"] == "overloaded" && refused["error"]?["data"]?["retryAfter"] != nil)
        #expect(try await answer(try await send(Self.request(1, "system.ping", "{}"), to: .http, of: harness, reads: true), from: .http)["result"] == "pong")
        #expect(held != nil)
    }

    @Test func `a TCP connection without room gets overloaded, and is closed if it reads too little`() async throws {
        let harness = try await CoordinatorHarness()
        let coordinator = harness.coordinator
        let held = await coordinator.core.receipts.answers.reserve(16 << 20, of: "127.0.0.1", for: nil)
        let request = Self.request(1, "rpc.discover", "{}") + "\n"
        let reader = try RawClient(port: await harness.port)
        reader.send(String(repeating: request, count: 20))
        let answers = await reader.lines(20)
        #expect(answers.count == 20 && answers.allSatisfy { $0.contains("overloaded") })
        #expect(await coordinator.core.process.metrics.value(.rpcCuts, labels: "slow") == 0)
        // Errors take no room of their own, so many of them end a client that reads nothing.
        let deaf = try RawClient(port: await harness.port, reads: false)
        async let isCut: Bool = {
            // Sending fails once the connection is closed.
            while deaf.send(request.utf8) {}
            return true
        }()
        #expect(await isCut)
        #expect(await coordinator.core.process.metrics.value(.rpcCuts, labels: "slow") == 1)
        #expect(held != nil)
    }

    @Test func `clients that read none of many short answers have the share of their address, and are closed`() async throws {
        let harness = try await harness(1000)
        let coordinator = harness.coordinator
        // Each answer repeats the text of its request, and has less than 64 KiB.
        let words = String(repeating: "x", count: 16_000)
        let params = #"{"url":"http://origin.test/large","deadline":100,"userInfo":{"words":"\#(words)"}}"#
        let port = await harness.port
        let clients = try (0..<6).map { _ in try RawClient(port: port, reads: false) }
        // A server that reads no more blocks the sender.
        for client in clients { Task.detached { for id in 0..<1000 where client.send(Self.request(id, "image.load", params) + "\n") {} } }
        let (share, pace) = await (coordinator.core.receipts.answers.limits.address, coordinator.core.receipts.answers.limits.pace.time)
        try await harness.until { coordinator.core.receipts.answers.bytes > share * 3 / 4 }
        let start = ContinuousClock.now
        for time in [start, start + pace] { await coordinator.core.receipts.answers.judge(at: time) }
        try await harness.until { coordinator.core.receipts.answers.bytes == 0 && coordinator.core.process.metrics.value(.rpcCuts, labels: "slow") == 6 }
    }
}

/// The most bytes that had a place in any turn of the loop.
@Loop private final class MostBytes {
    private var most = 0
    private var isOver = false
    private let budget: LongAnswerBudget

    init(_ budget: LongAnswerBudget) {
        self.budget = budget
        look()
    }

    private func look() {
        most = max(most, budget.bytes)
        Loop.execute { [weak self] in if let self, !isOver { look() } }
    }

    func end() -> Int {
        isOver = true
        return most
    }
}
