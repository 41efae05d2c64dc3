import TintypeCore
import TintypeTransport
import TintypeQueue
import TestSupport
import Testing

/// One request at a time for a supersede key.
@Suite(.tags(.cluster), .timeLimit(.minutes(1)), .scoped)
struct SlotTests {
    @Loop private func ends(_ h: QueueHarness) async throws -> [String] {
        try await h.messages().filter { $0.channel.hasPrefix(h.queue.keys.publicEvents + ":") }.map {
            let event = try JSON(parsing: $0.payload)
            return "\(event["receipt"]?.string ?? "") \(event["type"]?.string ?? "") \(event["reason"]?.string ?? "")"
        }
    }

    @Test @Loop func `a new receipt ends the one before it, before anything is told of the new one`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", source: "a") { $0.supersedeKey = "avatar" }
        let running = try await h.claim()
        _ = try await h.messages()
        _ = try await h.submit("r2", source: "b", coordinator: "c2") { $0.supersedeKey = "avatar" }
        #expect(try await ends(h) == ["r1 cancelled superseded", "r2 queued "])
        #expect(try await h.queue.progress(running.lease, []) == .cancel)
        _ = try await h.queue.finish(running.lease, .cancelled)
        _ = try await h.submit("r3", source: "c") { $0.supersedeKey = "other" }
        #expect(try await h.queue.receipt("r2")?.state == .queued)
        // A receipt does not supersede itself, and a repeated request does not revive an ended one.
        #expect(try await h.submit("r2", source: "b", coordinator: "c2") { $0.supersedeKey = "avatar" } == .again(state: .queued, position: 0, seq: 1))
        guard case .finished(let ending) = try await h.submit("r1", source: "a", { $0.supersedeKey = "avatar" }) else { throw TestFailure("r1 lives") }
        #expect(ending.state == .cancelled)
        #expect(try await h.queue.receipt("r2")?.state == .queued)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()).isEmpty)
    }

    @Test @Loop func `a source that two requests want is downloaded once`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.supersedeKey = "avatar" }
        let fetch = try await h.claim()
        #expect(try await h.submit("r2") { $0.supersedeKey = "avatar" } == .queued(state: .running, position: nil, joined: true))
        #expect(try await h.queue.progress(fetch.lease, []) == .ok)
        try await h.succeed(fetch)
        #expect(try await h.story(of: "r2").last == "3 succeeded")
        #expect(try await h.queue.dump().names("sl:").isEmpty)
        // An answer from the index supersedes too, and takes no permit.
        _ = try await h.submit("r3", source: "b") { $0.supersedeKey = "avatar" }
        _ = try await h.messages()
        _ = try await h.submit("r4") { $0.supersedeKey = "avatar" }
        #expect(try await ends(h) == ["r3 cancelled superseded", "r4 succeeded "])
        let dump = try await h.queue.dump()
        #expect(dump.names("sl:").isEmpty && QueueInvariants.violations(in: dump).isEmpty)
    }

    @Test @Loop func `every kind of end frees the supersede key`() async throws {
        let h = try await QueueHarness()
        for (number, end) in ["success", "failure", "drop", "deadline"].enumerated() {
            _ = try await h.submit("r\(number)", source: "s\(number)") { $0.supersedeKey = "avatar" }
            #expect(try await h.queue.dump().text("sl:avatar") == "r\(number)")
            switch end {
            case "success": try await h.succeed(try await h.claim())
            case "failure": _ = try await h.queue.finish(try await h.claim().lease, .failure(QueueHarness.permanent, retryAfter: nil))
            case "drop": _ = try await h.queue.cancel(receipt: "r\(number)", reason: "requested")
            default:
                h.tick(40_000)
                _ = try await h.queue.reap()
            }
            #expect(try await h.queue.dump().names("sl:").isEmpty, "\(end)")
        }
    }

    @Test @Loop func `a refused request does not change the supersede key`() async throws {
        let h = try await QueueHarness()
        _ = try await h.queue.configure(QueueChange(maxQueued: 1))
        _ = try await h.submit("r1", source: "a") { $0.supersedeKey = "avatar" }
        #expect(try await h.submit("r2", source: "b") { $0.supersedeKey = "avatar" } == .full(retryAfterSeconds: 1))
        #expect(try await h.queue.receipt("r1")?.state == .queued)
        #expect(try await h.queue.dump().text("sl:avatar") == "r1")
    }
}
