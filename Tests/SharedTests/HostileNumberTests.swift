import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeImages
@testable import TintypeQueue
@testable import TintypeTransport

/// Numbers in Redis that no program of ours has written, as a worker that was taken over may write them. A program that reads them goes on.
@Suite(.tags(.untiered), .timeLimit(.minutes(1)), .serialized, .scoped) struct HostileNumberTests {
    static let numbers = ["1e300", "-1e300", "inf", "-inf", "9223372036854775807", "-9223372036854775808", "1.5"]

    @Test(arguments: numbers) @Loop func `scores of any size stop no reader of sorted sets`(number: String) async throws {
        let h = try await QueueHarness()
        for (list, member) in [("tg:red", "x:source-small"), ("dl", "nobody"), ("run", "1-0"), ("delay", "2-0"), ("gl", "g"), ("wseen", "w")] {
            _ = try await h.redis.command(["ZADD", .string("tintype:{default}:" + list), .string(number), .string(member)])
        }
        _ = try await h.queue.tagged("red", limit: 10, after: nil)
        _ = try await h.queue.workers()
        _ = try await h.queue.info()
        #expect(try await !QueueInspection.violations(of: h.queue).isEmpty)
    }

    @Test(arguments: numbers + ["x", "", "1:2:3", ":"]) @Loop func `settings of any size stop no reader`(number: String) async throws {
        let h = try await QueueHarness()
        // The limits of a host are read only beside its fetches.
        for receipt in ["running", "queued"] { _ = try await h.submit(receipt, source: receipt) }
        _ = try await h.claim()
        let fields: [(key: String, field: String, value: String)] = [
            ("cfg", "maxConcurrent", number), ("cfg", "maxConcurrentPerHost", number), ("hlim", "a.test", number), ("hlim0", "a.test", number + ":" + number),
            ("hlim0", "*.test", "0:1"), ("hlim0", ".test", number), ("cfg", "hasHostLimits", "1"), ("cfg", "hasHostRules", "1"),
            ("sh:many", "shards", "2"), ("sh:many", "maxConcurrent", number), ("sh:many", "lent", number + " " + number),
            ("g:g", "kind", "batch"), ("g:g", "state", "running"), ("g:g", "total", number), ("g:g", "concurrency", number), ("g:g", "seq", number),
        ]
        for (key, field, value) in fields {
            _ = try await h.redis.command(["HSET", .string("tintype:{default}:" + key), .string(field), .string(value)])
        }
        _ = try? await h.queue.info()
        _ = try? await h.queue.group("g", .results(from: 0, limit: 10))
        // Both shards may have taken what was kept for them.
        let lender = ShareLease(coordinator: "c1", epoch: 1)
        let many = Queue(name: "many", redis: h.nodes)
        if let kept = try await many.lent(lender, count: 2), let sharded = ShardedQueue(name: "many", stored: ["shards": "2", "maxConcurrent": number]) {
            var lent = LentShares(sharded, kept: kept)
            _ = await lent.lend(sharded.maxConcurrent ?? 0) { $0.map { _ in nil } }
        }
        _ = try? await QueueInspection.violations(of: h.queue)
    }

    @Test func `a group of more items than any has is not read`() {
        var words: [RedisReply] = ["batch", "running", "0"].map { .bulk(Array($0.utf8)) } + Array(repeating: .integer(1), count: 16)
        for index in [10, 11, 12] { words[index] = .array([]) }
        #expect(GroupRecord(id: "g", words)?.total == 1)
        for total in [-1, 10_001, WireNumber.most] {
            words[4] = .integer(total)
            #expect(GroupRecord(id: "g", words) == nil)
        }
    }

    @Test func `sizes of renditions that no picture has are not added up`() throws {
        let rendition = ImageResult.Rendition(json: ["bytes": JSON(Int.max)])
        #expect(rendition.bytes == nil && ImageResult.Rendition(json: ["bytes": -1]).bytes == nil)
        #expect(ImageResult.Rendition(json: ["bytes": 7]).bytes == 7)
    }
}
