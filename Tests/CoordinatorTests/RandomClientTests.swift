import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// A client that does everything at once, and counts.
@Suite(.timeLimit(.minutes(3)), .serialized, .scoped) struct RandomClientTests {
    /// Writes one message, and adds the ids whose answers it expects.
    private func message(_ random: inout Dice, _ next: inout Int, _ expected: inout [Int], _ submits: inout [Int: String]) -> String {
        func request(_ method: String, _ params: String, _ next: inout Int, _ expected: inout [Int]) -> String {
            next += 1
            expected.append(next)
            return "{\"jsonrpc\":\"2.0\",\"id\":\(next),\"method\":\"\(method)\",\"params\":\(params)}"
        }
        let number = Int(random.next() % 30)
        switch random.next() % 13 {
        case 0: return request("system.ping", "{}", &next, &expected)
        case 1: return request("no.such", "{}", &next, &expected)
        case 2: return request("image.load", "{\"url\":\(number)}", &next, &expected)
        case 3: return request("image.submit", "{\"url\":\"http://origin.test/\(number)\",\"progress\":true}", &next, &expected)
        case 4: return request("receipt.get", "{\"receipt\":\"named-\(number % 5)\"}", &next, &expected)
        case 5: return request("receipt.cancel", "{\"receipt\":\"named-\(number % 5)\"}", &next, &expected)
        case 6: return request("queue.get", "{\"queue\":\"default\"}", &next, &expected)
        case 7:
            return request(
                "image.load", "{\"url\":\"http://origin.test/\(number % 5)\",\"receipt\":\"named-\(number % 5)\",\"deadline\":60}", &next, &expected)
        case 10:
            submits[next + 1] = "named-\(number % 5)"
            return request(
                "image.submit", "{\"url\":\"http://origin.test/\(number % 5)\",\"receipt\":\"named-\(number % 5)\",\"deadline\":60}", &next, &expected)
        case 8: return "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":\(max(1, next - number % 7))}}"
        case 9:
            let members = (0..<(1 + number % 4)).map { _ in
                request("image.load", "{\"url\":\"http://origin.test/\(random.next() % 9)\",\"deadline\":60}", &next, &expected)
            }
            return "[\(members.joined(separator: ",")),{\"jsonrpc\":\"2.0\",\"method\":\"system.ping\"}]"
        default: return request("image.load", "{\"url\":\"http://origin.test/\(number)\",\"progress\":true,\"deadline\":60}", &next, &expected)
        }
    }

    @Test(arguments: [1, 2, 3])
    func `every request is answered exactly once, and every receipt ends once`(seed: Int) async throws {
        let harness = try await CoordinatorHarness()
        let work = Task { await harness.worker.work() }
        var random = Dice(UInt64(seed))
        var next = 0
        var expected: [Int] = []
        var submits: [Int: String] = [:]
        let client = try RawClient(port: await harness.port)
        var text = ""
        for step in 0..<1500 {
            text += message(&random, &next, &expected, &submits) + "\n"
            if step % 100 == Int(random.next() % 100) {
                client.send(Array(text.utf8))
                text = ""
            }
        }
        client.send(Array(text.utf8))
        let all = expected
        let bytes = await client.received { Self.ids($0).count >= all.count }
        // A duplicate would arrive before this answer.
        client.send(Array(#"{"jsonrpc":"2.0","id":"end","method":"system.ping"}"#.utf8) + [10])
        let last = await client.received { $0.count > bytes.count && String(decoding: $0[bytes.count...], as: UTF8.self).contains(#""id":"end""#) }
        #expect(Self.ids(last).sorted() == expected)
        var ends: [String: Int] = [:]
        /// The number of submits that were answered after the receipt had ended. Each of them sends the end once more.
        var repeats: [String: Int] = [:]
        for line in last.split(separator: 10) {
            let message = try JSON(parsing: line)
            if let receipt = message["id"]?.int.flatMap({ submits[$0] }), ReceiptState(rawValue: message["result"]?["state"]?.string ?? "")?.isTerminal == true
            {
                repeats[receipt, default: 0] += 1
            }
            guard let event = message["params"], let receipt = event["receipt"]?.string else { continue }
            if ReceiptState(rawValue: event["type"]?.string ?? "")?.isTerminal == true { ends[receipt, default: 0] += 1 }
        }
        #expect(ends.filter { !(1...1 + repeats[$0.key, default: 0]).contains($0.value) }.isEmpty)
        try await harness.until { harness.coordinator.core.receipts.table.count == 0 }
        // No task is left behind. The periodic ones come and go.
        try await harness.until { harness.coordinator.core.process.scope.count == 0 }
        work.cancel()
    }

    /// Returns the numeric ids of all answers, including those in batches.
    private static func ids(_ bytes: [UInt8]) -> [Int] {
        var found: [Int] = []
        for line in bytes.split(separator: 10) {
            guard let json = try? JSON(parsing: line) else { continue }
            for one in json.array ?? [json] where one["method"] == nil { if let id = one["id"]?.int { found.append(id) } }
        }
        return found
    }
}
