import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

/// Nobody has more places than another who waits.
@Suite(.timeLimit(.minutes(1))) struct ClientShareTests {
    @Loop private func harness(places: Int) async throws -> QueueHarness {
        let h = try await QueueHarness()
        var change = QueueChange()
        (change.maxConcurrent, change.maxConcurrentPerHost) = (places, places)
        _ = try await h.queue.configure(change)
        return h
    }

    @Loop private func submit(_ h: QueueHarness, _ count: Int, of client: String, priority: Int = 0) async throws {
        for number in 0..<count {
            _ = try await h.submit("\(client)\(number)", source: "\(client)\(number)", host: "\(client).test") { ($0.client, $0.priority) = (client, priority) }
        }
    }

    private func client(_ fetch: ClaimedFetch) -> String { String(fetch.host.prefix(1)) }

    @Test @Loop func `one client has all places as long as nobody else waits, and costs no key more`() async throws {
        let h = try await harness(places: 8)
        try await submit(h, 20, of: "a")
        #expect(try await h.queue.claim(worker: "w1", count: 8).fetches.count == 8)
        let dump = try await h.queue.dump()
        #expect(["cq:", "co:", "cr:"].allSatisfy { dump.names($0).isEmpty } && dump.entries["cl"] == nil)
        #expect(QueueInvariants.violations(in: dump) == [])
        h.stop()
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
        // When b has none left a has all again.
        for _ in 0..<16 {
            try await h.succeed(running.removeFirst())
            running += try await h.queue.claim(worker: "w1", count: 8).fetches
        }
        #expect(running.count == 8 && running.allSatisfy { client($0) == "a" })
        h.stop()
    }

    @Test @Loop func `a queue that has run empty knows nobody any more`() async throws {
        let h = try await harness(places: 8)
        for name in ["a", "b"] { try await submit(h, 2, of: name) }
        for fetch in try await h.queue.claim(worker: "w1", count: 8).fetches { try await h.succeed(fetch) }
        _ = try await h.queue.reap()
        let dump = try await h.queue.dump()
        #expect(dump.hash("cfg")["who"] == nil && dump.entries["cl"] == nil && QueueInvariants.violations(in: dump) == [])
        h.stop()
    }
}
