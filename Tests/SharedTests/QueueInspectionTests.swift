import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

/// A check page by page of a live queue finds the same faults as a check of the whole queue at once.
@Suite(.tags(.cluster), .timeLimit(.minutes(4)), .scoped) struct QueueInspectionTests {
    /// A queue with an entry of every kind.
    @Loop private func fill(_ h: QueueHarness) async throws {
        _ = try await h.redis.command(["FLUSHALL"])
        _ = try await h.queue.configure(QueueChange(maxConcurrent: 4, maxConcurrentPerHost: 2))
        try await h.queue.greet(coordinator: "c1")
        // Some running fetches, one of them joined, and one that waits for its next run on a throttled host.
        for id in ["run0", "run1", "later"] { _ = try await h.submit(id, source: id, host: "\(id).test") }
        _ = try await h.submit("joined", source: "run0", renditions: ["small", "large"], host: "run0.test") { ($0.priority, $0.supersedeKey) = (4, "side") }
        var fetches = try await h.queue.claim(worker: "w1", count: 3).fetches
        _ = try await h.queue.beat(worker: "w1", info: [:], fetches.map(\.lease))
        let later = try #require(fetches.firstIndex { $0.host == "later.test" })
        let busy = TintypeError(.httpStatus, .download, "503", retryable: true)
        _ = try await h.queue.finish(fetches.remove(at: later).lease, .failure(busy, retryAfter: 30), busyHost: "later.test")
        _ = try await h.submit("held", source: "held", host: "later.test")
        // An end with a due callback, a dead letter, and a blacklisted source.
        _ = try await h.submit("done", source: "done", host: "done.test") { $0.callback = CallbackTarget(url: "http://hook.test/", secret: nil) }
        try await h.succeed(try await h.claim())
        _ = try await h.submit("bad", source: "bad", host: "bad.test")
        let listing = BlacklistRules().listing(of: TintypeError(.badImageData, .decode, "no"), url: "http://bad.test/")
        _ = try await h.queue.finish(try await h.claim().lease, .failure(QueueHarness.permanent, retryAfter: nil), listing: listing)
        for number in 0..<6 { _ = try await h.submit("w\(number)", source: "w\(number)", host: "wait.test") { $0.order = number < 3 ? nil : .lifo } }
        var group = GroupRecord(id: "g-1", kind: .batch)
        group.concurrency = 2
        let token = try await h.queue.start(group: group, coordinator: "c1", requests: ["{}", "{}", "{}"])
        let held = GroupLease(group: "g-1", token: try #require(token))
        _ = try await h.queue.begin(held, index: 0, GroupRecord.Begun(queue: "default", receipt: "w0"))
        _ = try await h.queue.settle(held, index: 1, outcome: ["state": "succeeded"], failure: nil)
    }

    /// Damage from outside, in Lua: `P` is the prefix, `fid` finds a fetch by its source.
    static let hands = [
        "call('ZADD', P .. 'run', 1, 'nobody')", "call('ZREM', P .. 'run', fid('run0'))", "call('ZADD', P .. 'delay', 1, fid('w1'))",
        "call('ZADD', P .. 'aq', 1, 'nobody')", "call('ZREM', P .. 'aq', fid('w1'))", "call('ZADD', P .. 'aq', 'XX', 7, fid('w1'))",
        "call('ZADD', P .. 'hq:wait.test', 'XX', 7, fid('w1'))", "call('ZREM', P .. 'ho:wait.test', fid('w4'))", "call('ZADD', P .. 'ao', 3, 'ghost')",
        "call('SREM', P .. 'hr:run0.test', fid('run0'))", "call('SADD', P .. 'hr:wait.test', 'nobody')", "call('ZREM', P .. 'ready', 'wait.test')",
        "call('ZADD', P .. 'ready', 5, 'wait.test')", "call('ZADD', P .. 'ready', 5, 'nobody.test')", "call('HDEL', P .. 'cfg', 'throttles')",
        "call('ZREM', P .. 'held', 'later.test')", "call('DEL', P .. 'mark')", "call('DEL', P .. 'f:' .. fid('w2'))",
        "call('HSET', P .. 'f:' .. fid('w2'), 'priority', 9)", "call('HSET', P .. 'f:' .. fid('w2'), 'token', 9)",
        "call('HSET', P .. 'f:' .. fid('run1'), 'withdrawn', 'unserved')",
        "call('HSET', P .. 'f:' .. fid('run0'), 'deadline', 9)", "call('HSET', P .. 'f:' .. fid('run0'), 'firstDeadline', '9999999999999')",
        "call('EXPIRE', P .. 'f:' .. fid('run0'), 1000)", "call('DEL', P .. 'n:' .. fid('run0'))", "call('HDEL', P .. 'n:' .. fid('run0'), 'run0-small')",
        "call('HSET', P .. 'n:x', 'a', 1)", "call('HSET', P .. 'fr:x', 'a', '0 c1')", "call('DEL', P .. 'fr:' .. fid('run1'))",
        "call('HDEL', P .. 'fr:' .. fid('run0'), 'joined')", "call('HSET', P .. 'fr:' .. fid('run0'), 'ghost', '0 c1')", "call('DEL', P .. 's:w3')",
        "call('HDEL', P .. 's:run0', '')",
        "call('HSET', P .. 's:none', 'x', 'nobody')", "call('HSET', P .. 's:w3', '', fid('w2'))", "call('SET', P .. 's:text', 'nobody')",
        "call('SET', P .. 'x:eternal', 'a')",
        "call('SET', P .. 'b:eternal', 'a')",
        "call('DEL', P .. 'r:w3')", "call('EXPIRE', P .. 'r:w3', 1000)", "call('HDEL', P .. 'r:w3', 'digests')", "call('PERSIST', P .. 'r:done')",
        "call('HSET', P .. 'r:w3', 'coordinator', 'c9')", "call('HSET', P .. 'r:w3', 'followers', 'c2 c2')", "call('ZREM', P .. 'dl', 'w3')",
        "call('ZADD', P .. 'dl', 1, 'nobody')", "call('DEL', P .. 'sl:side')",
        "call('SET', P .. 'sl:side', 'w1')", "call('SET', P .. 'sl:other', 'w1')", "call('DEL', P .. 'cb:done')", "call('DEL', P .. 'cbh:hook.test')",
        "call('ZREM', P .. 'cbs', 'hook.test')", "call('ZADD', P .. 'cbs', 1, 'nobody.test')",
        "call('HSET', P .. 'cb:w1', 'receiver', '{\"url\":\"http://hook.test/\"}')",
        "call('HDEL', P .. 'gq:g-1', '2')", "call('HSET', P .. 'gb:g-1', '1', 'default x')", "call('ZREM', P .. 'gl', 'g-1')",
        "call('HSET', P .. 'gq:g-9', 0, '{}')",
        "call('DEL', P .. 'g:g-1')", "call('HSET', P .. 'cseq', 'c9', 1)", "call('SADD', P .. 'quiet', 'w9')", "call('SET', P .. 'strange', 1)",
        "call('SET', P .. 'id:x', 'bulk t')",
        "call('XADD', P .. 'workers2', '*', 'a', 1)", "call('ZADD', P .. 'run', 'XX', 1, fid('run0'))",
    ]

    @Test @Loop func `a check by pages finds what a check of the whole finds`() async throws {
        let h = try await QueueHarness()
        let head = "local P, call = ARGV[1], redis.call local function fid(d) return call('HGET', P .. 's:' .. string.sub(d, 1, 4), string.sub(d, 5)) end "
        for hand in [""] + Self.hands {
            try await fill(h)
            _ = try await h.redis.command(["EVAL", .string(head + hand), "0", .string(h.queue.keys.prefix)])
            let dump = try await h.queue.dump(isWhole: false)
            let whole = Set(QueueInvariants.violations(in: dump) + OverdueWork.violations(in: dump))
            let paged = Set(try await QueueInspection.violations(of: h.queue))
            #expect(paged == whole, "\(hand)")
            #expect(whole.isEmpty == hand.isEmpty, "\(hand)")
        }
    }

    @Test @Loop func `a large queue is checked without foreign keys, and one broken fetch is named`() async throws {
        let h = try await QueueHarness(options: ["--enable-debug-command", "yes"])
        _ = try await h.redis.command(["DEBUG", "POPULATE", "700000", "foreign"], timeout: .seconds(60))
        for number in 0..<3000 { _ = try await h.submit("r\(number)", source: "s\(number)", host: "h\(number % 40).test") }
        let violations = try await QueueInspection.violations(of: h.queue)
        #expect(violations.isEmpty)
        let fetch = try #require(try await h.redis.command(["HGET", .string(h.queue.keys.prefix + "s:s177"), "7"]).string)
        _ = try await h.redis.command(["HSET", .string(h.queue.keys.prefix + "f:" + fetch), "state", "delayed"])
        let broken = try await QueueInspection.violations(of: h.queue)
        #expect(!broken.isEmpty && broken.allSatisfy { $0.contains(fetch) }, "\(broken)")
    }
}
