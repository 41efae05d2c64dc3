import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

/// The order of fetches, and the number of running ones.
@Suite(.tags(.cluster), .timeLimit(.minutes(1)), .scoped) struct QueueOrderTests {
    /// Submits in the given order, then claims one by one with one permit.
    @Loop private func sequence(_ h: QueueHarness, _ entries: [(name: String, priority: Int, order: QueueOrder?)]) async throws -> [String] {
        for entry in entries {
            _ = try await h.submit(entry.name, source: entry.name) {
                $0.priority = entry.priority
                $0.order = entry.order
            }
        }
        return try await drained(h)
    }

    @Loop private func drained(_ h: QueueHarness) async throws -> [String] {
        var names: [String] = []
        while let fetch = try await h.queue.claim(worker: "w1", count: 1).fetches.first {
            names.append(String(fetch.renditions[0].digest.prefix { $0 != "-" }))
            try await h.succeed(fetch)
        }
        return names
    }

    @Test @Loop func `first in, first out by default`() async throws {
        let h = try await QueueHarness()
        #expect(try await sequence(h, ["a", "b", "c", "d"].map { ($0, 0, nil) }) == ["a", "b", "c", "d"])
    }

    @Test @Loop func `last in, first out if the queue says so`() async throws {
        let h = try await QueueHarness()
        _ = try await h.queue.configure(QueueChange(order: .lifo))
        #expect(try await sequence(h, ["a", "b", "c", "d"].map { ($0, 0, nil) }) == ["d", "c", "b", "a"])
    }

    /// The rank of a host is that of its best fetch after each claim, whichever queues its first and second fetch are in.
    @Test @Loop func `a host is ranked by the best of its remaining fetches`() async throws {
        let h = try await QueueHarness()
        let orders: [QueueOrder?] = [nil, .fifo, .lifo]
        var priorities = [3, 1, 2, 5, 4, 0, 7, 6, 9, 8]
        for first in orders {
            for second in orders {
                priorities.append(priorities.removeFirst())
                for (index, priority) in priorities.enumerated() {
                    _ = try await h.submit("r\(h.queue.clock ?? 0)-\(index)", source: "p\(priority)") {
                        $0.priority = priority
                        $0.order = index.isMultiple(of: 3) ? first : second
                    }
                }
                h.tick(1)
                for priority in priorities.sorted(by: >) {
                    let fetch = try await h.claim()
                    #expect(fetch.renditions[0].digest.hasPrefix("p\(priority)-"))
                    #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
                    _ = try await h.queue.finish(fetch.lease, .failure(QueueHarness.permanent, retryAfter: nil))
                }
            }
        }
    }

    @Test @Loop func `priority first, then LIFO before FIFO`() async throws {
        let h = try await QueueHarness()
        let entries: [(String, Int, QueueOrder?)] = [
            ("low", -4, .lifo), ("f1", 0, .fifo), ("l1", 0, .lifo), ("f2", 0, nil), ("l2", 0, .lifo), ("high", 4, .fifo), ("top", 10, nil),
        ]
        #expect(try await sequence(h, entries) == ["top", "high", "l2", "l1", "f1", "f2", "low"])
    }

    @Test @Loop func `a new order holds for waiting fetches, except those with an order of their own`() async throws {
        let h = try await QueueHarness()
        for (name, order) in [("a", nil), ("b", nil), ("own", QueueOrder.fifo), ("c", nil)] {
            _ = try await h.submit(name, source: name) { $0.order = order }
        }
        #expect(try await h.queue.receipt("c")?.position == 3)
        #expect(try await h.queue.configure(QueueChange(order: .lifo))?.order == .lifo)
        #expect(try await h.queue.receipt("c")?.position == 0)
        #expect(try await h.queue.receipt("own")?.position == 3)
        #expect(try await drained(h) == ["c", "b", "a", "own"])
    }

    @Test @Loop func `positions count from 0 over all hosts`() async throws {
        let h = try await QueueHarness()
        for (number, host) in ["a", "b", "a", "c"].enumerated() {
            let answer = try await h.submit("r\(number)", source: "s\(number)", host: host)
            #expect(answer == .queued(state: .queued, position: number, joined: false))
        }
        #expect(try await h.submit("first", source: "first", host: "d") { $0.priority = 1 } == .queued(state: .queued, position: 0, joined: false))
    }

    @Test @Loop func `an urgent receipt raises the priority of its fetch until the receipt leaves`() async throws {
        let h = try await QueueHarness()
        for name in ["a", "b", "c"] { _ = try await h.submit(name, source: name) }
        #expect(try await h.submit("urgent", source: "c") { $0.priority = 4 } == .queued(state: .queued, position: 0, joined: true))
        _ = try await h.queue.cancel(receipt: "urgent", reason: "requested")
        #expect(try await h.queue.receipt("c")?.position == 2)
        #expect(try await h.queue.setPriority(receipt: "b", 7) == 7)
        #expect(try await h.queue.receipt("b")?.position == 0)
        #expect(try await h.queue.setPriority(receipt: "b", -10) == -10)
        #expect(try await drained(h) == ["a", "c", "b"])
        #expect(try await h.queue.setPriority(receipt: "b", 1) == nil)
    }

    @Test @Loop func `the maximum and the limits per host hold, and a full host delays no other`() async throws {
        let h = try await QueueHarness()
        _ = try await h.queue.configure(QueueChange(maxConcurrent: 4, maxConcurrentPerHost: 2, hostLimits: ["slow": 1]))
        for number in 0..<4 { _ = try await h.submit("s\(number)", source: "s\(number)", host: "slow") }
        for number in 0..<4 { _ = try await h.submit("a\(number)", source: "a\(number)", host: "a") }
        for number in 0..<4 { _ = try await h.submit("b\(number)", source: "b\(number)", host: "b") }
        let first = try await h.queue.claim(worker: "w1", count: 10).fetches
        #expect(first.map(\.host) == ["slow", "a", "a", "b"])
        try await h.succeed(first[0])
        let second = try await h.queue.claim(worker: "w1", count: 10).fetches
        #expect(second.map(\.host) == ["slow"])
        _ = try await h.queue.configure(QueueChange(maxConcurrent: 6, hostLimits: ["slow": 2]))
        #expect(try await h.queue.claim(worker: "w1", count: 10).fetches.map(\.host) == ["slow", "b"])
        _ = try await h.queue.configure(QueueChange(hostLimits: ["a": 0]))
        for fetch in first.dropFirst() + second { try await h.succeed(fetch) }
        #expect(try await h.queue.claim(worker: "w1", count: 10).fetches.map(\.host).contains("a") == false)
    }

    @Test @Loop func `data URLs have no limit per host`() async throws {
        let h = try await QueueHarness()
        for number in 0..<20 { _ = try await h.submit("r\(number)", source: "s\(number)", host: "data:") }
        #expect(try await h.queue.claim(worker: "w1", count: 64).fetches.count == 20)
    }

    @Test @Loop func `a paused queue hands out nothing and accepts everything`() async throws {
        let h = try await QueueHarness()
        #expect(try await h.queue.pause()?.paused == true)
        _ = try await h.submit("r1")
        #expect(try await h.queue.claim(worker: "w1", count: 1).fetches.isEmpty)
        #expect(try await h.queue.dump().entries["mark"] == nil)
        #expect(try await h.queue.resume()?.paused == false)
        #expect(try await h.queue.dump().entries["mark"] != nil)
        #expect(try await h.queue.claim(worker: "w1", count: 1).fetches.count == 1)
    }

    /// No reaper wakes a worker, and a worker whose sleep is over has found no marker.
    @Test @Loop func `the end of a pause wakes a worker that sleeps`() async throws {
        let h = try await QueueHarness()
        let waits = try await h.waits()
        _ = try await h.queue.pause()
        _ = try await h.submit("r1")
        async let sleeping = QueueHarness.sleep(on: waits, [h.queue], for: .seconds(50))
        try await h.untilBlocked()
        _ = try await h.queue.resume()
        let slept = try await sleeping
        #expect(slept.woken == ["default"] && slept.fetches == ["default": 1])
    }

    @Test @Loop func `a full queue refuses new work, not joins and results`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("done", source: "done")
        try await h.succeed(try await h.claim())
        _ = try await h.queue.configure(QueueChange(maxQueued: 2))
        _ = try await h.submit("a", source: "a")
        _ = try await h.submit("b", source: "b")
        #expect(try await h.submit("c", source: "c") == .full(retryAfterSeconds: 1))
        #expect(try await h.submit("a2", source: "a") == .queued(state: .queued, position: 0, joined: true))
        guard case .finished = try await h.submit("done2", source: "done") else { throw TestFailure("a result was refused") }
        #expect(try await h.queue.receipt("c") == nil)
    }

    @Test @Loop func `queues are made by configuring them, and keep to themselves`() async throws {
        let h = try await QueueHarness()
        let bulk = Queue(name: "bulk", redis: h.nodes)
        #expect(try await bulk.info() == nil)
        #expect(try await bulk.pause() == nil)
        #expect(try await bulk.submit(QueueHarness.submission("r1")) == .unknownQueue)
        let info = try #require(try await bulk.configure(QueueChange(order: .lifo, maxConcurrent: 3, hostLimits: ["a.test": 2])))
        #expect(
            info.json["limits"] == [
                "maxConcurrent": 3, "maxConcurrentPerHost": 6, "hostLimits": ["a.test": 2], "ruleLimits": [:], "rulePaces": [:], "maxQueued": 100_000,
            ])
        #expect(try await Queue.names(h.nodes) == ["default", "bulk"])
        #expect(try await bulk.submit(QueueHarness.submission("r1")) == .queued(state: .queued, position: 0, joined: false))
        #expect(try await h.queue.claim(worker: "w1", count: 1).fetches.isEmpty)
        let seen = try #require(try await bulk.info())
        #expect(seen.queued == 1 && seen.oldestQueuedSeconds != nil && seen.json["name"] == "bulk")
    }

    @Test @Loop func `the limit of a host is the queue's own, then the last rule's, then the default`() async throws {
        let h = try await QueueHarness()
        let hosts = ["a.test", "x.a.test", "y.x.a.test", "b.test", "data:", "fe80::1"]
        for host in hosts {
            for number in 0..<8 { _ = try await h.submit("\(host)-\(number)", source: "\(host)-\(number)", host: host) }
        }
        func running() async throws -> [Int] {
            _ = try await h.queue.claim(worker: "w1", count: 100)
            #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
            let dump = try await h.queue.dump()
            return hosts.map { dump.set("hr:" + $0).count }
        }
        func rules(_ text: String) async throws {
            try await h.queue.setDefaults(maxQueued: 100_000, hostLimits: try Rules(text: #"{"rules":[\#(text)]}"#, path: "r").hostLimits)
        }
        try await rules(#"{"maxConcurrentPerHost":1},{"hosts":["*.a.test"],"maxConcurrentPerHost":2},{"hosts":["y.x.a.test"],"maxConcurrentPerHost":3}"#)
        #expect(try await running() == [1, 2, 3, 1, 8, 1])
        _ = try await h.queue.configure(QueueChange(hostLimits: ["b.test": 4]))
        #expect(try await running() == [1, 2, 3, 4, 8, 1])
        #expect(try await h.queue.info()?.limits.ruleLimits == ["*": 1, "*.a.test": 2, "y.x.a.test": 3])
        try await rules(#"{"hosts":["y.x.a.test","b.test"],"maxConcurrentPerHost":7},{"hosts":["*.a.test"],"maxConcurrentPerHost":5}"#)
        #expect(try await running() == [6, 5, 5, 4, 8, 6])
        try await rules("")
        #expect(try await h.queue.info()?.limits.ruleLimits == [:])
        #expect(try await running() == [6, 6, 6, 4, 8, 6])
    }

    @Test @Loop func `a change without effect on ranks ranks no hosts again`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", source: "a", host: "a.test")
        _ = try await h.submit("r2", source: "b", host: "data:")
        let ready = h.queue.keys.prefix + "ready"
        /// Ranks that only a new ranking corrects.
        func mark() async throws {
            for host in ["a.test", "data:"] { _ = try await h.redis.command(["ZADD", .string(ready), "7", .string(host)]) }
        }
        func marked() async throws -> [String] {
            let scores = try await h.queue.dump().scores("ready")
            defer { #expect(scores.count == 2) }
            return scores.filter { $0.value == 7 }.keys.sorted()
        }
        func rules(_ text: String) async throws {
            try await h.queue.setDefaults(maxQueued: 100_000, hostLimits: try Rules(text: #"{"rules":[\#(text)]}"#, path: "r").hostLimits)
        }
        try await rules(#"{"maxConcurrentPerHost":3}"#)
        try await mark()
        _ = try await h.queue.pause()
        _ = try await h.queue.resume()
        _ = try await h.queue.configure(QueueChange(order: .fifo, maxQueued: 9))
        try await rules(#"{"maxConcurrentPerHost":3}"#)
        #expect(try await marked() == ["a.test", "data:"])
        _ = try await h.queue.configure(QueueChange(maxConcurrent: 9))
        #expect(try await marked() == ["a.test"], "the limit of the queue is that of data: URLs")
        for change in [
            QueueChange(order: .lifo), QueueChange(maxConcurrentPerHost: 2), QueueChange(hostLimits: ["a.test": 1]), QueueChange(hostLimits: [:]),
        ] {
            try await mark()
            _ = try await h.queue.configure(change)
            #expect(try await marked() == [], "\(change)")
        }
        for text in [#"{"maxConcurrentPerHost":4}"#, #"{"maxConcurrentPerHost":4},{"hosts":["a.test"],"maxConcurrentPerHost":1}"#, ""] {
            try await mark()
            try await rules(text)
            #expect(try await marked() == [], "\(text)")
        }
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }

    @Test @Loop func `claims stay cheap in a long queue`() async throws {
        let h = try await QueueHarness()
        for number in 0..<2000 { _ = try await h.submit("r\(number)", source: "s\(number)", host: "h\(number % 50)") }
        let info = try #require(try await h.queue.info())
        #expect(info.queued == 2000)
        let names = try await h.queue.claim(worker: "w1", count: 64).fetches.map { $0.renditions[0].digest }
        #expect(names == (0..<64).map { "s\($0)-small" })
    }

    @Test @Loop func `a worker claims the fetches of hosts that it prefers before others of the same priority`() async throws {
        let h = try await QueueHarness()
        for (number, host) in ["a.test", "near.test", "b.test", "near.test", "other.test", "near.test"].enumerated() {
            _ = try await h.submit("r\(number)", source: "s\(number)", host: host)
        }
        _ = try await h.submit("high", source: "high", host: "c.test") { $0.priority = 5 }
        h.queue.preferredHosts = ["unknown.test", "near.test", "other.test"]
        let first = try await h.queue.claim(worker: "near", count: 5).fetches.map(\.host)
        #expect(first == ["c.test", "near.test", "near.test", "other.test", "near.test"])
        h.queue.preferredHosts = []
        #expect(try await h.queue.claim(worker: "far", count: 9).fetches.map(\.host) == ["a.test", "b.test"])
        #expect(QueueInvariants.violations(in: try await h.queue.dump()).isEmpty)
        // A host at its limit is no better than none.
        h.queue.preferredHosts = ["near.test"]
        _ = try await h.queue.configure(QueueChange(hostLimits: ["near.test": 3]))
        for (number, host) in ["a.test", "near.test"].enumerated() { _ = try await h.submit("l\(number)", source: "l\(number)", host: host) }
        #expect(try await h.queue.claim(worker: "near", count: 2).fetches.map(\.host) == ["a.test"])
        #expect(QueueInvariants.violations(in: try await h.queue.dump()).isEmpty)
    }
}
