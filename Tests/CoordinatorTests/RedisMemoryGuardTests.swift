import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeSettings
import TestSupport
import Testing

@testable import Coordinator

/// The part of a real Redis that new requests may fill, and the time for which they fill it.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct RedisMemoryGuardTests {
    /// Nearly the largest userInfo that a request may have.
    private static let userInfo = #"{"n":"\#(String(repeating: "x", count: 15 << 10))"}"#

    @Loop private func used(_ harness: CoordinatorHarness) async throws -> Int {
        try #require(RedisMemory(info: try await harness.redis.command("INFO", "memory"))).used
    }

    /// Puts 4 MiB into Redis that belong to no request, to be removed again.
    @Loop private func fill(_ harness: CoordinatorHarness) async throws {
        try await harness.redis.command("SETRANGE", "filler", "\(4 << 20)", "x")
    }

    @Loop private func submit(_ client: RPCClient, _ path: String) async throws -> RPCClient.Message {
        try await client.call("image.submit", #"{"url":"http://origin.test/\#(path)","userInfo":\#(Self.userInfo)}"#)
    }

    @Test @Loop func `a full Redis refuses new requests, finishes running ones, and accepts more when there is room`() async throws {
        let harness = try await CoordinatorHarness()
        try await fill(harness)
        let most = try await used(harness) + 2 << 20
        let other = try await harness.another { $0.maxQueueBytes = most }
        let client = try harness.client(of: other)
        let first = try await submit(client, "first")
        let receipt = try #require(first.receipt, "\(first)")
        let running = try await harness.worker.claim()

        // Sent requests are counted generously until Redis is asked again, so the first refusal may come early.
        var (count, isFull) = (0, false)
        while !isFull, count < 1000 {
            let answer = try await submit(client, "\(count)")
            count += 1
            guard let error = answer.error else { continue }
            let data = error.data
            #expect(answer.error?.name == "overloaded" && data["retryAfter"]?.int == 5, "\(error)")
            #expect(error.message?.contains("--max-queue-bytes") == true, "\(error)")
            // The last eighth is for clients that have filled less than an eighth.
            isFull = try await used(harness) > most - most / 8 - 128 << 10
        }
        #expect(isFull, "\(count) requests of 15 KiB fit into 2 MiB")

        try await harness.worker.succeed(running)
        let events = await client.notifications { $0.contains { $0.receipt == receipt } }
        #expect(events.contains { $0.receipt == receipt && $0.type == "succeeded" }, "what runs still ends")

        try await harness.redis.command("DEL", "filler")
        try await harness.until { try await self.submit(client, "more").error?.name != "overloaded" }
        // This is more than was left before.
        for number in 0..<10 { #expect(try await submit(client, "more-\(number)").error == nil) }
    }

    @Test func `the last eighth of the memory is for clients that have filled less than an eighth`() {
        var shares = FairQuota()
        shares.add(101, of: "flood", at: 1000)
        #expect(shares.limit(of: "flood", in: 800, at: 1000) == 700)
        #expect(shares.limit(of: "other", in: 800, at: 1000) == 800)
        shares.add(100, of: "other", at: 1000)
        #expect(shares.limit(of: "other", in: 800, at: 1000) == 800, "an eighth is not more than an eighth")
        // Bytes are remembered for five to ten minutes.
        #expect(shares.limit(of: "flood", in: 800, at: 1299) == 700)
        #expect(shares.limit(of: "flood", in: 800, at: 1599) == 700)
        #expect(shares.limit(of: "flood", in: 800, at: 1899) == 800)
        shares.add(101, of: "flood", at: 1900)
        #expect(shares.limit(of: "flood", in: 800, at: 2600) == 800, "nothing came for longer than is remembered")
    }

    @Test func `clients beyond the limit are counted together`() {
        var shares = FairQuota()
        for number in 0..<FairQuota.most { shares.add(1, of: "\(number)", at: 1000) }
        for number in 0..<200 { shares.add(1, of: "more \(number)", at: 1000) }
        #expect(shares.limit(of: "more 1000", in: 800, at: 1000) == 700)
        #expect(shares.limit(of: "5", in: 800, at: 1000) == 800)
    }

    @Test @Loop func `ended receipts are kept ten minutes while Redis is more than half full`() async throws {
        let harness = try await CoordinatorHarness()
        try await fill(harness)
        let most = try await used(harness) / 2 * 3
        let other = try await harness.another { $0.maxQueueBytes = most }
        try await harness.until { other.core.queues.memory.isPressed() }
        #expect(!harness.coordinator.core.queues.memory.isPressed(), "its own may fill seven eighths of what there is")
        for (coordinator, kept) in [(other, 600_000), (harness.coordinator, 86_400_000)] {
            let client = try harness.client(of: coordinator)
            let made = try await submit(client, "\(kept)")
            try await harness.worker.succeed(try await harness.worker.claim())
            _ = await client.notifications { !$0.isEmpty }
            // An answer of the cache leaves a receipt too.
            let cached = try await submit(client, "\(kept)")
            #expect(cached.state == "succeeded", "\(cached)")
            for answer in [made, cached] {
                let receipt = try #require(answer.receipt, "\(answer)")
                let left = Int(try await harness.redis.command("PTTL", "tintype:{default}:r:\(receipt)")) ?? 0
                #expect(left > kept / 10 * 9 && left <= kept, "\(left) ms of \(kept)")
            }
        }
    }
}
