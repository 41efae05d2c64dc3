import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

/// Which failures blacklist a source, and for how long.
@Suite(.tags(.cluster), .timeLimit(.minutes(1)), .scoped)
struct BlacklistTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let error: TintypeError
        let seconds: Double?
        var testDescription: String { "\(error.name) \((error.details["status"] ?? error.details["which"])?.text ?? "") in \(error.phase)" }

        init(_ name: ErrorName, _ phase: Phase = .download, status: Int? = nil, which: String? = nil, lasts seconds: Double?) {
            var details: JSONObject = [:]
            details["status"] = status.map { JSON($0) }
            details["which"] = which.map { .string($0) }
            error = TintypeError(name, phase, "no", details: details)
            self.seconds = seconds
        }
    }

    static let cases: [Case] =
        [
            Case(.badImageData, .decode, lasts: 900), Case(.unsupportedFormat, .decode, lasts: 900), Case(.tooManyRedirects, lasts: 900),
            Case(.tls, which: "certificate", lasts: 900), Case(.tls, which: "handshake", lasts: nil), Case(.tls, which: "local", lasts: nil),
            Case(.httpStatus, status: 404, lasts: 60), Case(.httpStatus, status: 410, lasts: 60), Case(.unsupportedFormat, .encode, lasts: nil),
        ] + [400, 401, 403, 405, 406, 408, 409, 411, 425, 429, 451, 500, 502, 503, 504].map { Case(.httpStatus, status: $0, lasts: nil) }
        + ErrorName.allCases.filter { ![.badImageData, .unsupportedFormat, .tooManyRedirects].contains($0) }.map { Case($0, .decode, lasts: nil) }

    @Test(arguments: cases) func `each cause has its time on the blacklist, or none`(item: Case) {
        #expect(BlacklistRules().seconds(for: item.error) == item.seconds)
        #expect((BlacklistRules().listing(of: item.error, url: "http://h/") == nil) == (item.seconds == nil))
        // A time below the scripts' unit counts as nothing.
        for seconds in [0, 0.0004] { #expect(BlacklistRules(broken: seconds, missing: seconds).seconds(for: item.error) == nil) }
    }

    @Loop private func list(_ h: QueueHarness, _ receipt: String, _ error: TintypeError, _ change: (inout Submission) -> Void = { _ in }) async throws {
        _ = try await h.submit(receipt) { change(&$0) }
        let fetch = try await h.claim()
        let listing = BlacklistRules().listing(of: error, url: "http://user:geheim@a.test/x?key=geheim")
        _ = try await h.queue.finish(fetch.lease, .failure(error, retryAfter: nil), listing: listing)
    }

    private static let missing = TintypeError(.httpStatus, .download, "the server answered 404", details: ["status": 404])
    private static let broken = TintypeError(.badImageData, .decode, "no picture")

    @Loop private func refusal(_ answer: SubmitAnswer) throws -> TintypeError? {
        guard case .finished(let ending) = answer else { return nil }
        return try JSON(parsing: "{\(ending.body)}")["error"].map { TintypeError(json: $0) }
    }

    @Test @Loop func `a listed source is refused with cause and times until its time is over`() async throws {
        let h = try await QueueHarness()
        let since = Double(h.queue.clock ?? 0) / 1000
        try await list(h, "r1", Self.missing)
        _ = try await h.messages()
        let error = try #require(try refusal(await h.submit("r2")))
        #expect(error.name == .blacklisted && error.phase == .admission && !error.isRetryable)
        #expect(error.details["cause"] == "httpStatus" && error.details["status"] == 404)
        #expect(error.details["since"]?.double == since && error.details["until"]?.double == since + 60)
        #expect(!error.json.text.contains("geheim"))
        // It ends like every receipt, and a repeated request gets the same answer.
        #expect(try await h.story(of: "r2") == ["1 failed"])
        #expect(try await h.queue.receipt("r2")?.state == .failed)
        h.tick(59_999)
        #expect(try refusal(await h.submit("r3"))?.name == .blacklisted)
        #expect(try await h.queue.info()?.blacklisted == 1)
        h.tick(1)
        #expect(try await h.queue.info()?.blacklisted == 0)
        #expect(try await h.submit("r4") == .queued(state: .queued, position: 0, joined: false))
        #expect(try refusal(await h.submit("r2")) == error)
        // A receipt that ended before the source was blacklisted keeps its end.
        #expect(try refusal(await h.submit("r1"))?.name == .httpStatus)
        #expect(QueueInvariants.violations(in: try await h.queue.dump()).isEmpty)
    }

    @Test @Loop func `the cache and a running download answer before the blacklist does`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        try await h.succeed(try await h.claim())
        try await list(h, "r2", Self.missing) { $0.readResults = false }
        guard case .finished(let ending) = try await h.submit("r3") else { throw TestFailure("not answered from the index") }
        #expect(ending.state == .succeeded)
        _ = try await h.submit("r4", renditions: ["big"]) { $0.blacklist = .off }
        #expect(try await h.submit("r5", renditions: ["big"]) == .queued(state: .queued, position: 0, joined: true))
        // A reload never joins a started fetch, and always asks the origin.
        _ = try await h.claim()
        let reload = try await h.submit("r6", renditions: ["big"]) { ($0.readResults, $0.joining) = (false, .reload) }
        #expect(try refusal(reload)?.name == .blacklisted)
    }

    @Test @Loop func `a submit that asks about the blacklist gets the refusal, and may then run from a cached source alone`() async throws {
        let h = try await QueueHarness()
        try await list(h, "r0", Self.broken) { $0.source = "other" }
        try await list(h, "r1", Self.missing) { $0.source = "source@ttl60" }
        _ = try await h.messages()
        guard case .listed(let told) = try await h.submit("r2", { $0.asksIfListed = true }) else { throw TestFailure("not told") }
        #expect(TintypeError(json: told).name == .blacklisted && told["data"]?["until"]?.double ?? 0 > 1_700_000_000, "\(told.text)")
        #expect(try await h.messages().isEmpty)
        #expect(try await h.queue.receipt("r2") == nil, "nothing was written")
        var alone = QueueHarness.submission("r2").keptAlone(orElse: told)
        #expect(alone.source == "source@kept" && alone.sourceKey == "source" && alone.host == "data:")
        let held = try #require(CacheUse(canonical: try JSON(parsing: alone.fetch)["cache"]).refusal)
        #expect(TintypeError(json: held).name == .blacklisted && held["data"]?["until"]?.double == told["data"]?["until"]?.double)
        #expect(try await h.queue.submit(alone) == .queued(state: .queued, position: 0, joined: false))
        alone.receipt = "r3"
        #expect(try await h.queue.submit(alone) == .queued(state: .queued, position: 0, joined: true), "both submissions share a fetch")
        #expect(try refusal(await h.submit("r4"))?.name == .blacklisted, "no other request joins it")
        // A source that is no picture is refused, even from a cache.
        #expect(try refusal(await h.submit("r6", source: "other") { $0.asksIfListed = true })?.details["cause"] == "badImageData")
        #expect(QueueInvariants.violations(in: try await h.queue.dump()).isEmpty)
    }

    @Test @Loop func `a request that accepts the status of a blacklisted source is not refused, and changes nothing for others`() async throws {
        let h = try await QueueHarness()
        let tolerant: (inout Submission) -> Void = { ($0.takes, $0.readResults) = ([200...200, 404...404], false) }
        try await list(h, "r1", Self.missing)
        #expect(try refusal(await h.submit("r2"))?.name == .blacklisted)
        #expect(try refusal(await h.submit("r3") { $0.takes = [200...299, 410...410] })?.name == .blacklisted)
        #expect(try await h.submit("r4", tolerant) == .queued(state: .queued, position: 0, joined: false))
        try await h.succeed(try await h.claim())
        #expect(try refusal(await h.submit("r5", renditions: ["big"]))?.name == .blacklisted, "for others it is still missing")
        // A source that is no picture has no status that a request could accept.
        try await list(h, "r6", Self.broken) { ($0.source, $0.readResults) = ("other", false) }
        #expect(try refusal(await h.submit("r7", source: "other", tolerant))?.name == .blacklisted)
    }

    @Test @Loop func `a refresh of a blacklisted source gets the cached result, then the refusal`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        try await h.succeed(try await h.claim())
        try await list(h, "r2", Self.missing) { $0.readResults = false }
        _ = try await h.messages()
        let refresh: (inout Submission) -> Void = { ($0.showsCached, $0.joining, $0.asksIfListed) = (true, .asking, true) }
        guard case .finished(let ending) = try await h.submit("r3", { refresh(&$0) }) else { throw TestFailure("not refused") }
        #expect(ending.state == .failed && ending.seq == 2 && ending.body.contains("blacklisted"))
        #expect(try JSON(parsing: "{\(ending.shown ?? "")}")["result"]?["from"] == "results", "\(ending.shown ?? "")")
        #expect(try await h.story(of: "r3") == ["1 cached", "2 failed"])
        // A result of another rendition cannot be shown. The rendition may be made from a cached source, as by default.
        guard case .listed = try await h.submit("r4", renditions: ["big"], { refresh(&$0) }) else { throw TestFailure("not asked") }
        #expect(QueueInvariants.violations(in: try await h.queue.dump()).isEmpty)
    }

    @Test @Loop func `a source that is no picture is available as bytes, and a missing file is not`() async throws {
        let h = try await QueueHarness()
        try await list(h, "r1", Self.broken)
        #expect(try refusal(await h.submit("r2"))?.details["cause"] == "badImageData")
        guard case .queued = try await h.submit("r3", renditions: ["bytes"], { $0.blacklist = .on(decodes: false) }) else {
            throw TestFailure("bytes were refused")
        }
        let fetch = try await h.claim()
        let listing = BlacklistRules().listing(of: Self.missing, url: "http://a.test/")
        _ = try await h.queue.finish(fetch.lease, .failure(Self.missing, retryAfter: nil), listing: listing)
        let again = try await h.submit("r4", renditions: ["bytes"]) { $0.blacklist = .on(decodes: false) }
        #expect(try refusal(again)?.details["cause"] == "httpStatus")
    }

    @Test @Loop func `off neither asks nor adds, retry asks and a success clears`() async throws {
        let h = try await QueueHarness()
        try await list(h, "r1", Self.missing) { $0.blacklist = .off }
        #expect(try await h.queue.blacklist(limit: 10).items.count == 0)
        try await list(h, "r2", Self.missing)
        try await list(h, "r3", Self.missing) { $0.blacklist = .off }
        #expect(try refusal(await h.submit("r4"))?.name == .blacklisted)
        try await list(h, "r5", Self.missing) { $0.blacklist = .retry }
        #expect(try refusal(await h.submit("r6"))?.name == .blacklisted)
        _ = try await h.submit("r7") { $0.blacklist = .retry }
        try await h.succeed(try await h.claim())
        #expect(try await h.queue.blacklist(limit: 10).items.count == 0)
        #expect(try await h.submit("r8", renditions: ["big"]) == .queued(state: .queued, position: 0, joined: false))
        #expect(QueueInvariants.violations(in: try await h.queue.dump()).isEmpty)
    }

    @Test @Loop func `one receipt that uses the blacklist is enough to blacklist a shared source`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.blacklist = .off }
        _ = try await h.submit("r2")
        let listing = BlacklistRules().listing(of: Self.missing, url: "http://a.test/")
        _ = try await h.queue.finish(try await h.claim().lease, .failure(Self.missing, retryAfter: nil), listing: listing)
        #expect(try await h.queue.blacklist(limit: 10).items.count == 1)
    }

    @Test @Loop func `removing the entries of each page reaches the end of the list`() async throws {
        let h = try await QueueHarness()
        for number in 0..<11 {
            try await list(h, "r\(number)", Self.missing) { $0.source = "source-\(number)" }
            // Some entries end at the same moment.
            if number % 4 == 3 { h.tick(5) }
        }
        let whole = try await h.queue.blacklist(limit: 100).items.map(\.id)
        var (seen, cursor): ([String], ListCursor?) = ([], nil)
        repeat {
            let page = try await h.queue.blacklist(limit: 3, after: cursor)
            seen += page.items.map(\.id)
            _ = try await h.queue.unlist(page.items.map(\.id))
            cursor = page.next
        } while cursor != nil
        #expect(whole.count == 11 && seen == whole)
        #expect(try await h.queue.blacklist(limit: 0).isMore == false)
    }

    @Test @Loop func `the blacklist shows and removes entries, and has at most ten thousand`() async throws {
        let h = try await QueueHarness()
        for number in 0..<3 {
            try await list(h, "r\(number)", number == 1 ? Self.broken : Self.missing) { $0.source = "source-\(number)" }
        }
        let first = try await h.queue.blacklist(limit: 1)
        #expect(first.isMore && first.items.map(\.id) == ["source-1"])
        #expect(first.items.first?.json["cause"] == "badImageData" && first.items.first?.json["url"] == "http://a.test/x?key=***")
        let rest = try await h.queue.blacklist(limit: 10, after: first.next)
        #expect(rest.items.count == 2 && rest.next == nil)
        #expect(try await h.queue.unlist(["source-0", "source-0", "nobody"]) == 1)
        #expect(try await h.queue.clearBlacklist() == 2)
        for key in ["bl", "b:source-1"] { #expect(try await h.redis.command(["EXISTS", .string(h.queue.keys.prefix + key)]).int == 0) }
        let soon = (h.queue.clock ?? 0) + 1
        let fill = """
            for i = 1, 10000 do
              redis.call('ZADD', KEYS[1] .. 'bl', ARGV[1], i)
              redis.call('SET', KEYS[1] .. 'b:' .. i, '1 ' .. ARGV[1] .. ' n {}', 'EX', 99)
            end
            """
        _ = try await h.redis.command(["EVAL", .string(fill), "1", .string(h.queue.keys.prefix), .int(soon)])
        try await list(h, "last", Self.missing) { $0.source = "source-9" }
        let dump = try await h.queue.dump()
        #expect(dump.scores("bl").count == 10_000 && dump.names("b:").count == 10_000 && dump.text("b:source-9") != nil)
        #expect(QueueInvariants.violations(in: dump).isEmpty)
        h.tick(2)
        _ = try await h.queue.reap()
        #expect(try await h.queue.dump().scores("bl").count == 9_900, "the reaper takes 100 at a time")
    }
}
