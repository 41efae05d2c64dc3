import TintypeCore
import TintypeTransport
import TintypeQueue
import TestSupport
import Testing

/// No client has more permits than another client that waits.
@Suite(.tags(.untiered), .timeLimit(.minutes(1)), .scoped) struct ClientShareTests {
    @Loop private func harness(places: Int) async throws -> QueueHarness {
        let h = try await QueueHarness()
        var change = QueueChange()
        (change.maxConcurrent, change.maxConcurrentPerHost) = (places, places)
        _ = try await h.queue.configure(change)
        return h
    }

    @Loop private func submit(_ h: QueueHarness, _ count: Int, of client: String, priority: Int = 0, from first: Int = 0) async throws {
        for number in first..<(first + count) {
            _ = try await h.submit("\(client)\(number)", source: "\(client)\(number)", host: "\(client).test") { ($0.client, $0.priority) = (client, priority) }
        }
    }

    private func client(_ fetch: ClaimedFetch) -> String { String(fetch.host.prefix(1)) }

    @Test @Loop func `one client has all permits while no other waits, and needs no further key`() async throws {
        let h = try await harness(places: 8)
        try await submit(h, 20, of: "a")
        #expect(try await h.queue.claim(worker: "w1", count: 8).fetches.count == 8)
        let dump = try await h.queue.dump()
        #expect(["cq:", "co:", "cr:"].allSatisfy { dump.names($0).isEmpty } && dump.entries["cl"] == nil)
        #expect(QueueInvariants.violations(in: dump) == [])
    }

    @Test(arguments: [0, 10])
    @Loop func `a flood of one client, whatever its priority, leaves another one half of the places`(priority: Int) async throws {
        let h = try await harness(places: 8)
        try await submit(h, 40, of: "a", priority: priority)
        var running = try await h.queue.claim(worker: "w1", count: 8).fetches
        try await submit(h, 10, of: "b")
        for _ in 0..<12 {
            try await h.succeed(running.removeFirst())
            running += try await h.queue.claim(worker: "w1", count: 8).fetches
        }
        #expect(running.count == 8 && running.count { client($0) == "b" } == 4)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
        // When b has no fetch left, a has all permits again.
        for _ in 0..<16 {
            try await h.succeed(running.removeFirst())
            running += try await h.queue.claim(worker: "w1", count: 8).fetches
        }
        #expect(running.count == 8 && running.allSatisfy { client($0) == "a" })
    }

    @Test @Loop func `an empty queue keeps no clients`() async throws {
        let h = try await harness(places: 8)
        for name in ["a", "b"] { try await submit(h, 2, of: name) }
        for fetch in try await h.queue.claim(worker: "w1", count: 8).fetches { try await h.succeed(fetch) }
        _ = try await h.queue.reap()
        let dump = try await h.queue.dump()
        #expect(dump.hash("cfg")["client"] == nil && dump.entries["cl"] == nil && QueueInvariants.violations(in: dump) == [])
    }

    // MARK: Giving up permits

    /// Reports progress of all these runs, which also renews their leases.
    @Loop private func beat(_ h: QueueHarness, _ running: [ClaimedFetch], _ phase: Phase = .download) async throws -> Set<String> {
        let phases = Dictionary(uniqueKeysWithValues: running.map { ($0.lease, phase) })
        let answer = try await h.queue.beat(worker: "w1", info: [:], running.map(\.lease), phases: phases)
        #expect(answer.lost.isEmpty && answer.cancelled.isEmpty)
        return Set(answer.yielding)
    }

    /// Lets these runs go on for some seconds.
    @Loop private func pass(_ h: QueueHarness, _ milliseconds: Int64, _ running: [ClaimedFetch]) async throws {
        var left = milliseconds
        while left > 0 {
            h.tick(min(3_000, left))
            left -= 3_000
            _ = try await beat(h, running)
        }
    }

    /// The runs that this upkeep asks to stop for other clients.
    @Loop private func asked(_ h: QueueHarness) async throws -> [String] {
        _ = try await h.messages()
        let answer = try await h.queue.reap()
        let told = try await h.messages().filter { $0.channel == h.queue.keys.control }.compactMap { ControlMessage($0.payload) }
        #expect(told.count == answer.askedToYield)
        return told.compactMap { if case .yield(let lease) = $0 { lease.fetch } else { nil } }
    }

    @Test @Loop func `those that run longest give way to a client that waits, once each, until both have as many places`() async throws {
        let h = try await harness(places: 8)
        try await submit(h, 40, of: "a", priority: 10)
        let old = try await h.queue.claim(worker: "w1", count: 4).fetches
        try await pass(h, 1_000, old)
        var young = try await h.queue.claim(worker: "w1", count: 4).fetches
        try await submit(h, 10, of: "b")
        try await pass(h, 8_999, old + young)
        #expect(try await asked(h) == [], "no run is ten seconds old")
        try await pass(h, 1, old + young)
        #expect(try await Set(asked(h)) == Set(old.map(\.lease.fetch)))
        #expect(try await beat(h, old + young) == Set(old.map(\.lease.fetch)), "in case the messages were lost")
        try await pass(h, 5_000, old + young)
        #expect(try await asked(h) == [], "half of the difference has been asked")
        for fetch in old {
            try await h.queue.release(fetch.lease)
            #expect(try await h.queue.receipt("a" + fetch.fetch.filter(\.isNumber).suffix(1))?.attempts == 0)
            let next = try await h.claim()
            #expect(client(next) == "b", "a released fetch does not go before the fetch it made room for")
            young.append(next)
        }
        try await pass(h, 12_000, young)
        #expect(try await asked(h) == [], "each client has four")
        #expect(QueueInvariants.violations(in: try await h.queue.dump()) == [])
    }

    @Test @Loop func `no more runs are asked than clients wait for, and at most eight in a second by all reapers`() async throws {
        let h = try await harness(places: 100)
        try await submit(h, 120, of: "a")
        let running = try await h.queue.claim(worker: "w1", count: 100).fetches
        try await submit(h, 1, of: "b")
        try await pass(h, 12_000, running)
        let first = try await asked(h)
        #expect(first.count == 1)
        try await submit(h, 60, of: "c")
        var all = Set(first)
        for _ in 0..<3 {
            #expect(try await asked(h) == [], "less than a second ago")
            h.tick(1_000)
            let more = try await asked(h)
            #expect(more.count == 8 && all.isDisjoint(with: more))
            all.formUnion(more)
        }
    }

    @Test @Loop func `each waiting client counts for half of its deficit, and all together for half of the last one's`() async throws {
        let uneven = try await harness(places: 10)
        try await submit(uneven, 10, of: "a")
        var running = try await uneven.queue.claim(worker: "w1", count: 6).fetches
        try await submit(uneven, 14, of: "b")
        running += try await uneven.queue.claim(worker: "w1", count: 4).fetches
        #expect(running.count { client($0) == "b" } == 4)
        try await submit(uneven, 1, of: "c")
        try await pass(uneven, 12_000, running)
        let first = try await asked(uneven)
        #expect(first.count == 2 && running.allSatisfy { client($0) == "a" || !first.contains($0.lease.fetch) })

        let even = try await harness(places: 8)
        try await submit(even, 8, of: "a")
        running = try await even.queue.claim(worker: "w1", count: 8).fetches
        for name in ["b", "c"] { try await submit(even, 10, of: name) }
        try await pass(even, 12_000, running)
        #expect(try await asked(even).count == 4)
        even.tick(1_000)
        #expect(try await asked(even) == [])
    }

    /// Reasons that keep a run from being asked.
    enum Calm: CaseIterable { case oneClient, almostEqual, fullHost, pixels, idleWorker, paused }

    @Test(arguments: Calm.allCases)
    @Loop func `no run is asked if no client would gain`(calm: Calm) async throws {
        let h = try await harness(places: 5)
        try await submit(h, 8, of: "a")
        let count = calm == .almostEqual ? 3 : 5
        var running = try await h.queue.claim(worker: "w1", count: count).fetches
        if calm != .oneClient { try await submit(h, 8, of: "b") }
        if calm == .almostEqual { running += try await h.queue.claim(worker: "w1", count: 2).fetches }
        #expect(running.count == 5)
        var change = QueueChange()
        switch calm {
        case .fullHost: change.hostLimits = ["b.test": 0]
        case .idleWorker: change.maxConcurrent = 6
        case .paused: change.paused = true
        default: break
        }
        _ = try await h.queue.configure(change)
        try await pass(h, 12_000, running)
        if calm == .pixels { _ = try await beat(h, running, .encode) }
        // As a sleeping worker does.
        if calm == .idleWorker { _ = try await h.redis.command(["DEL", .string(h.queue.keys.marker)]) }
        #expect(try await asked(h) == [])
        // Without the reason, the runs are asked.
        switch calm {
        case .oneClient, .almostEqual: break
        case .fullHost: change.hostLimits = ["b.test": 9]
        case .paused: change.paused = false
        case .pixels: _ = try await beat(h, running)
        case .idleWorker: break  // the reaper has renewed the marker, and nobody took it
        }
        _ = try await h.queue.configure(change)
        let mayBeAsked = calm != .oneClient && calm != .almostEqual
        #expect(try await asked(h).count == (mayBeAsked ? 2 : 0))
    }

    @Test @Loop func `a run that was interrupted before is asked after the others`() async throws {
        let h = try await harness(places: 4)
        try await submit(h, 8, of: "a")
        var running = try await h.queue.claim(worker: "w1", count: 4).fetches
        try await submit(h, 1, of: "b")
        try await pass(h, 10_000, running)
        let first = try #require(try await asked(h).first)
        let place = try #require(running.firstIndex { $0.lease.fetch == first })
        try await h.queue.release(running.remove(at: place).lease)
        try await h.succeed(try await h.claim())
        let again = try await h.claim()
        #expect(again.lease.fetch == first && again.attempt == 1)
        // The other runs are younger than that run now.
        for fetch in running { try await h.succeed(fetch) }
        h.tick(1_000)
        running = [again] + (try await h.queue.claim(worker: "w1", count: 3).fetches)
        #expect(running.count == 4 && running.allSatisfy { client($0) == "a" })
        #expect(try await beat(h, running).isEmpty, "another run was asked")
        try await submit(h, 5, of: "b", from: 1)
        try await pass(h, 10_000, running)
        let asked = try await asked(h)
        #expect(asked.count == 2 && !asked.contains(first))
    }
}
