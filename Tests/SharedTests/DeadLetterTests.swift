import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

/// Dead letters can be listed, retried and removed.
@Suite(.tags(.cluster), .timeLimit(.minutes(1)), .scoped)
struct DeadLetterTests {
    /// Repeats the admission of a submission.
    private static func withhold(_ submission: inout Submission) {
        let texts = [submission.fetch] + submission.renditions.map(\.json)
        let parts = texts.compactMap { try? JSON(parsing: $0) }
        submission.bare = CredentialStripper.text(of: parts[0], renditions: Array(parts.dropFirst()))
    }

    @Loop private func harness(dead count: Int) async throws -> QueueHarness {
        let h = try await QueueHarness()
        for number in 0..<count {
            _ = try await h.submit("r\(number)") {
                $0.maxAttempts = 1
                $0.source = "source-\(number)"
                $0.priority = number
            }
            _ = try await h.queue.finish(try await h.claim().lease, .failure(QueueHarness.transient, retryAfter: nil))
            h.tick(1_000)
        }
        return h
    }

    @Test @Loop func `dead letters are listed newest first, page by page`() async throws {
        let h = try await harness(dead: 3)
        let first = try await h.queue.deadLetters(limit: 2)
        #expect(first.items.map(\.submission.priority) == [2, 1])
        #expect(first.items.allSatisfy { $0.attempts == 1 && $0.error["data"]?["name"] == "dns" })
        let rest = try await h.queue.deadLetters(limit: 2, after: first.next)
        #expect(rest.items.map(\.submission.priority) == [0] && rest.next == nil)
    }

    @Test @Loop func `removing the letters of each page reaches the end of the list`() async throws {
        let h = try await harness(dead: 7)
        // Letters of one moment, and more than a page of them.
        for number in 10..<15 {
            _ = try await h.submit("r\(number)") { ($0.maxAttempts, $0.source) = (1, "source-\(number)") }
            _ = try await h.queue.finish(try await h.claim().lease, .failure(QueueHarness.transient, retryAfter: nil))
        }
        let whole = try await h.queue.deadLetters(limit: 100).items.map(\.id)
        var (seen, cursor): ([String], ListCursor?) = ([], nil)
        repeat {
            let page = try await h.queue.deadLetters(limit: 2, after: cursor)
            seen += page.items.map(\.id)
            #expect(try await h.queue.discard(dead: page.items.map(\.id)) == page.items.count)
            cursor = page.next
        } while cursor != nil
        #expect(whole.count == 12 && seen == whole)
    }

    @Test @Loop func `the thousand newest dead letters are kept, and nothing of older ones`() async throws {
        let h = try await harness(dead: 1007)
        let info = try await h.queue.info()
        #expect(info?.dead == 1000 && info?.deadLetters == 1007)
        let all = try await h.queue.deadLetters(limit: 2000).items
        // Fetches are numbered from 1.
        #expect(all.count == 1000 && all.first?.id.hasPrefix("1007-") ?? false && all.last?.id.hasPrefix("8-") ?? false)
        let dump = try await h.queue.dump()
        #expect(dump.names("n:").count == 1000)
        #expect(QueueInvariants.violations(in: dump) == [])
    }

    @Test @Loop func `a dead letter stays if another request has its receipt's id`() async throws {
        let h = try await harness(dead: 1)
        let letter = try #require(try await h.queue.deadLetters(limit: 1).items.first)
        _ = try await h.submit("retry-\(letter.id)", source: "other")
        #expect(try await h.queue.retry(dead: [letter.id]) == 0)
        #expect(try await h.queue.info()?.dead == 1)
    }

    @Test @Loop func `a dead letter stays if another queue has its receipt's id`() async throws {
        let h = try await harness(dead: 1)
        let letter = try #require(try await h.queue.deadLetters(limit: 1).items.first)
        let bulk = Queue(name: "bulk", redis: h.nodes)
        #expect(try await bulk.reserve(letter.submission, token: "t"))
        #expect(try await h.queue.retry(dead: [letter.id]) == 0)
        try await bulk.giveBack(letter.submission, token: "t")
        #expect(try await h.queue.retry(dead: [letter.id]) == 1)
    }

    @Test @Loop func `a retry repeats the same work, and happens once`() async throws {
        let h = try await harness(dead: 2)
        let ids = try await h.queue.deadLetters(limit: 10).items.map(\.id)
        #expect(try await h.queue.retry(dead: ids + ["nobody"]) == 2)
        #expect(try await h.queue.retry(dead: ids) == 0)
        #expect(try await h.queue.info()?.dead == 0)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()).isEmpty)
        // By the priority of the request.
        let fetch = try await h.claim()
        #expect(fetch.attempt == 1 && fetch.renditions.count == 1)
        try await h.succeed(fetch)
        #expect(try await h.queue.receipt("retry-\(ids[0])")?.state == .succeeded)
        #expect(try await h.queue.receipt("retry-\(ids[1])")?.state == .queued)
    }

    @Test(arguments: [
        (##""auth":{"basic":["u","geheim"]}"##, false), (##""headers":{"X-Key":"geheim"}"##, false), (##""method":"POST","body":"geheim""##, false),
        (##""headers":{"Accept":"image/webp"}"##, true), (##""cookies":"jar""##, true),
    ])
    @Loop func `a dead letter keeps no credentials, and is not retried without them`(options: String, isWhole: Bool) async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") {
            $0.maxAttempts = 1
            $0.fetch = #"{\#(options),"url":"http://\#(isWhole ? "" : "u:geheim@")a.test/x/y?q=1#f"}"#
            Self.withhold(&$0)
        }
        _ = try await h.queue.finish(try await h.claim().lease, .failure(QueueHarness.transient, retryAfter: nil))
        let letter = try #require(try await h.queue.deadLetters(limit: 1).items.first)
        #expect(letter.isWhole == isWhole && letter.json["retryable"] == .bool(isWhole))
        #expect(letter.json["url"]?.string?.hasPrefix("http://a.test/x/y") == true)
        for key in try await h.server.command("KEYS", "*").split(separator: "\n") where try await h.server.command("TYPE", String(key)) == "hash" {
            #expect(try await !h.server.command("HGETALL", String(key)).contains("geheim"), "\(key)")
        }
        #expect(try await h.queue.retry(dead: [letter.id]) == (isWhole ? 1 : 0))
        #expect(try await h.queue.info()?.dead == (isWhole ? 0 : 1))
    }

    @Test(arguments: [
        (#""http://a.test/w.png?X-Amz-Signature=geheim""#, false), (#""http://u:geheim@a.test/w.png""#, false),
        (#"{"url":"http://a.test/w.png","headers":{"X-Key":"geheim"}}"#, false), (#""http://a.test/w.png?size=2""#, true),
        (#"{"url":"http://a.test/w.png","headers":{"Accept":"image/webp"}}"#, true),
    ])
    @Loop func `a dead letter keeps no credentials of other pictures`(layer: String, isWhole: Bool) async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", renditions: ["small", "big"]) {
            $0.maxAttempts = 1
            $0.fetch = #"{"url":"http://a.test/x"}"#
            $0.renditions[1].json = #"{"ops":[{"op":"resize","width":3},{"op":"composite","url":\#(layer)}]}"#
            Self.withhold(&$0)
        }
        _ = try await h.queue.finish(try await h.claim().lease, .failure(QueueHarness.transient, retryAfter: nil))
        let letter = try #require(try await h.queue.deadLetters(limit: 1).items.first)
        #expect(letter.isWhole == isWhole && letter.json["url"] == "http://a.test/x" && letter.submission.renditions.count == (isWhole ? 2 : 0))
        for key in try await h.server.command("KEYS", "*").split(separator: "\n") where try await h.server.command("TYPE", String(key)) == "hash" {
            #expect(try await !h.server.command("HGETALL", String(key)).contains("geheim"), "\(key)")
        }
        #expect(try await h.queue.retry(dead: [letter.id]) == (isWhole ? 1 : 0))
        #expect(QueueInvariants.violations(in: try await h.queue.dump()).isEmpty)
    }

    @Test @Loop func `credentials of a joined receipt are not kept in the dead letter`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { ($0.maxAttempts, $0.fetch) = (1, #"{"url":"http://a.test/x"}"#) }
        _ = try await h.submit("r2", renditions: ["big"]) {
            ($0.maxAttempts, $0.fetch) = (1, #"{"url":"http://a.test/x"}"#)
            $0.renditions[0].json = #"{"ops":[{"op":"composite","url":"http://u:geheim@a.test/w"}]}"#
            Self.withhold(&$0)
        }
        _ = try await h.queue.finish(try await h.claim().lease, .failure(QueueHarness.transient, retryAfter: nil))
        let letter = try #require(try await h.queue.deadLetters(limit: 1).items.first)
        #expect(!letter.isWhole && letter.json["url"] == "http://a.test/x" && letter.submission.renditions.isEmpty)
    }

    @Test @Loop func `a thousand letters of any length take no more than 64 MiB, for long ones keep no more than a URL`() async throws {
        let h = try await QueueHarness()
        for length in [60_000, 70_000] {
            _ = try await h.submit("r\(length)") {
                ($0.maxAttempts, $0.source) = (1, "s\(length)")
                $0.renditions[0].json = JSON.object(["text": .string(String(repeating: "x", count: length))]).text
            }
            _ = try await h.queue.finish(try await h.claim().lease, .failure(QueueHarness.transient, retryAfter: nil))
        }
        let dump = try await h.queue.dump()
        let kept = dump.names("n:").map { id in dump.hash("n:" + id).reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }
        #expect(kept.count == 2 && kept.allSatisfy { $0 <= 65_536 } && kept.contains { $0 > 60_000 } && kept.contains { $0 < 100 })
        #expect(try await h.queue.deadLetters(limit: 2).items.map(\.isWhole).sorted { !$0 && $1 } == [false, true])
        #expect(QueueInvariants.violations(in: dump) == [])
    }

    @Test @Loop func `dead letters are removed`() async throws {
        let h = try await harness(dead: 2)
        let ids = try await h.queue.deadLetters(limit: 1).items.map(\.id)
        #expect(try await h.queue.discard(dead: ids) == 1)
        #expect(try await h.queue.discard(dead: ids) == 0)
        #expect(try await h.queue.info()?.dead == 1)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()).isEmpty)
    }

    @Test @Loop func `cancelling a whole queue ends every receipt once and stops what runs`() async throws {
        let h = try await QueueHarness()
        for number in 0..<450 { _ = try await h.submit("r\(number)") { $0.source = "source-\(number / 2)" } }
        let fetch = try await h.claim()
        #expect(try await h.queue.cancelAll(reason: "queue cancelled") == 450)
        #expect(try await h.queue.progress(fetch.lease, []) == .cancel)
        #expect(try await h.queue.finish(fetch.lease, .cancelled) == .done)
        let info = try await h.queue.info()
        #expect(info?.queued == 0 && info?.running == 0)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()).isEmpty)
        #expect(try await h.queue.cancelAll(reason: "again") == 0)
    }

    @Test @Loop func `cancelling a whole queue ends while new requests come, and spares those`() async throws {
        let h = try await QueueHarness()
        for number in 0..<1000 { _ = try await h.submit("r\(number)") { $0.source = "source-\(number)" } }
        let later = Queue(name: h.queue.name, redis: h.nodes)
        later.clock = h.queue.clock.map { $0 + 1 }
        var isOver = false
        let withdrawal = Task { @Loop in
            defer { isOver = true }
            return try await h.queue.cancelAll(reason: "queue cancelled")
        }
        var made = 0
        while !isOver {
            _ = try await later.submit(QueueHarness.submission("late-\(made)", source: "late-\(made)"))
            made += 1
        }
        #expect(try await withdrawal.value == 1000)
        let dump = try await h.queue.dump()
        #expect(dump.scores("dl").count == made && dump.scores("dl").keys.allSatisfy { $0.hasPrefix("late-") })
        #expect(QueueInvariants.violations(in: dump) == [])
    }
}
