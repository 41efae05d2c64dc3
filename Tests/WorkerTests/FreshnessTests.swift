@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeStores
import TestSupport
import Testing

@testable import Worker

extension Freshness {
    /// A source with the freshness of its origin alone.
    fileprivate var source: CachedSource {
        CachedSource(
            info: SourceInfo(url: "u", finalURL: "u", status: 200, bytes: 1), contentType: nil, bytes: [1], freshness: self, storedAt: bornAt, version: 0)
    }
    fileprivate func allowsStaleWhileAsked(at now: Double) -> Bool { source.allowsStale(at: now, ttl: nil, said: staleWhileRevalidate, wished: nil) }
    fileprivate func allowsStaleOnError(at now: Double) -> Bool { source.allowsStale(at: now, ttl: nil, said: staleIfError, wished: nil) }
}

/// RFC 9111's arithmetic, as tables.
@Suite(.tags(.optimized)) struct FreshnessTests {
    /// Noon of a day, in epoch seconds and as HTTP writes it.
    private static let noon = 1_700_049_600.0
    private static let date = ("date", "Wed, 15 Nov 2023 12:00:00 GMT")

    private func left(_ headers: [(String, String)], after seconds: Double = 0, took: Double = 0) -> Double {
        Freshness(headers.map { (name: $0.0, value: $0.1) }, requestedAt: Self.noon - took, receivedAt: Self.noon).left(at: Self.noon + seconds)
    }

    @Test(arguments: [
        ("max-age=60", 0.0, 90.0), ("max-age=60", 300, 390), ("max-age=60, stale-if-error=500", 300, 590), ("max-age=60, must-revalidate", 300, 90),
        ("no-cache", 300, 90),
    ]) func `a source without validators is kept while a request may be given it stale`(control: String, stale: Double, seconds: Double) {
        let freshness = Freshness(
            [(name: "date", value: Self.date.1), (name: "cache-control", value: control)], requestedAt: Self.noon, receivedAt: Self.noon)
        let stored = freshness.source.stored(as: "key", ttl: 60, longest: 86_400, stale: stale)
        #expect(stored.expiresAt == freshness.source.storedAt + seconds)
    }

    @Test func `how long a response is fresh`() {
        #expect(left([Self.date]) == 3600, "an hour by default")
        #expect(left([]) == 3600)
        #expect(left([Self.date, ("cache-control", "max-age=60")], after: 20) == 40)
        #expect(left([Self.date, ("cache-control", "public, Max-Age=\"60\"")]) == 60)
        #expect(left([Self.date, ("cache-control", "max-age=60, s-maxage=5")]) == 5, "a shared cache")
        #expect(left([Self.date, ("cache-control", "max-age=60"), ("age", "50")]) == 10, "an earlier cache had it for a while")
        #expect(left([Self.date, ("cache-control", "max-age=60"), ("age", "inf")]) == 60)
        #expect(left([Self.date, ("cache-control", "max-age=60"), ("age", "50, 10")]) == 10, "the first of a list")
        #expect(left([Self.date, ("cache-control", "max-age=60"), ("age", "99999999999999999999")]) < 0, "older than the number can hold")
        #expect(left([Self.date, ("cache-control", "max-age=60"), ("age", "50")], took: 4) == 6, "and the answer was on its way")
        #expect(left([("date", "Wed, 15 Nov 2023 11:59:00 GMT"), ("cache-control", "max-age=90")]) == 30, "it was made a minute ago")
        #expect(left([("date", "Wed, 15 Nov 2023 12:59:00 GMT"), ("cache-control", "max-age=90")]) == 90, "a clock ahead of ours gains nothing")
        #expect(left([Self.date, ("expires", "Wed, 15 Nov 2023 12:05:00 GMT")]) == 300)
        #expect(left([Self.date, ("expires", "0")]) == 0)
        #expect(left([Self.date, ("expires", "Wed, 15 Nov 2023 12:05:00 GMT"), ("cache-control", "max-age=7")]) == 7, "max-age before Expires")
        #expect(left([Self.date, ("cache-control", "max-age=soon")]) == 0, "a broken header means stale")
        #expect(left([Self.date, ("cache-control", "max-age=99999999999999999999")]) == 2_147_483_648)
        #expect(left([Self.date, ("cache-control", "max-age=60, no-cache")]) < 0)
        #expect(left([Self.date, ("pragma", "no-cache")]) < 0)
        #expect(left([Self.date, ("vary", "Accept, *"), ("cache-control", "max-age=60")]) < 0)
        #expect(left([Self.date, ("vary", "Accept"), ("cache-control", "max-age=60")]) == 60, "our own headers are in the key")
    }

    @Test(arguments: [
        ("no-cache", "", false), ("max-age=5", "", true), ("no-cache", "max-age=60", true), ("max-age=60", "no-cache", false),
    ])
    func `a 304 changes the headers that it names`(before: String, after: String, isFresh: Bool) {
        let entry = CachedSource(
            info: SourceInfo(url: "http://a.test/", finalURL: "http://a.test/", status: 200, bytes: 1), contentType: nil, bytes: [1],
            freshness: Freshness(seconds: 0, from: Self.noon), storedAt: Self.noon, version: 0, fields: [(name: "cache-control", value: before)])
        let kept = CachedSource(entry.stored(as: "k", ttl: 60, longest: 60))
        let headers = after.isEmpty ? [] : [(name: "cache-control", value: after)]
        let renewed = kept?.freshened(headers, requestedAt: Self.noon + 100, receivedAt: Self.noon + 100)
        #expect(renewed.map { $0.left(at: Self.noon + 101, ttl: nil) > 0 } == isFresh)
        #expect(kept?.freshened([], requestedAt: Self.noon, receivedAt: Self.noon, unkeyed: ["cookie"]).freshness.isAlwaysAsked == (before == "no-cache"))
    }

    @Test func `which responses may be kept`() {
        func keeps(_ control: String, status: Int = 200, isOnes: Bool = false) -> Bool {
            TransferHead(status: status, headers: [(name: "cache-control", value: control)], url: "http://a.test/", expectedBytes: nil)
                .allowsKeeping(isOnes: isOnes)
        }
        #expect(keeps("max-age=1") && keeps("no-cache") && keeps(""))
        #expect(!keeps("no-store") && !keeps("max-age=5, No-Store") && !keeps("no-store", isOnes: true))
        #expect(!keeps("private") && keeps("private", isOnes: true))
        #expect(!keeps("max-age=5", status: 404) && !keeps("max-age=5", status: 206) && keeps("max-age=5", status: 203))
    }

    @Test func `when a stale source may be served`() {
        func freshness(_ control: String) -> Freshness {
            Freshness([(name: "cache-control", value: control)], requestedAt: Self.noon, receivedAt: Self.noon)
        }
        let both = freshness("max-age=10, stale-while-revalidate=20, stale-if-error=30")
        #expect(both.allowsStaleWhileAsked(at: Self.noon + 29) && !both.allowsStaleWhileAsked(at: Self.noon + 31))
        #expect(both.allowsStaleOnError(at: Self.noon + 39) && !both.allowsStaleOnError(at: Self.noon + 41))
        let strict = freshness("max-age=10, must-revalidate, stale-while-revalidate=20, stale-if-error=30")
        #expect(!strict.allowsStaleWhileAsked(at: Self.noon + 11) && !strict.allowsStaleOnError(at: Self.noon + 11))
        #expect(!freshness("max-age=10").allowsStaleOnError(at: Self.noon + 11), "nothing allowed it")
    }

    /// Both numbers of seconds for caches in front, `-` where the origin says nothing.
    @Test(arguments: [
        ("max-age=10", "- -"), ("max-age=10, must-revalidate", "0 0"), ("max-age=10, proxy-revalidate", "0 0"), ("s-maxage=10", "0 0"),
        ("max-age=10, stale-while-revalidate=0", "0 -"), ("max-age=10, stale-if-error=0", "- 0"), ("stale-if-error=30, stale-while-revalidate=5", "5 30"),
        ("must-revalidate, stale-if-error=30", "0 0"), ("max-age=10, private", "- - private"), ("no-store", "- - private unkept"),
    ]) func `the words of an origin hold for caches in front`(control: String, limits: String) throws {
        func shown(_ limits: CacheLimits) -> String {
            func text(_ seconds: Double?) -> String { seconds.map { "\(Int($0))" } ?? "-" }
            return "\(text(limits.staleWhileRevalidate)) \(text(limits.staleIfError))" + (limits.isPrivate ? " private" : "")
                + (limits.isUnkept ? " unkept" : "")
        }
        let fields = [(name: "cache-control", value: control)]
        let source = CachedSource(
            info: SourceInfo(url: "u", finalURL: "u", status: 200, bytes: 1), contentType: nil, bytes: [1],
            freshness: Freshness(fields, requestedAt: Self.noon, receivedAt: Self.noon), storedAt: Self.noon, version: 0, fields: fields)
        #expect(shown(source.limits) == limits)
        // Also after a store has kept it, and after a 304.
        let kept = try #require(CachedSource(source.stored(as: "k", ttl: 60, longest: 60)))
        #expect(shown(kept.limits) == limits && shown(kept.freshened([], requestedAt: Self.noon, receivedAt: Self.noon + 9).limits) == limits)
        // The strictest of two pictures counts.
        let both = source.limits.joined(CacheLimits(isPrivate: true, staleIfError: 20))
        #expect(
            both.isPrivate && both.staleIfError == min(20, source.limits.staleIfError ?? 20) && both.staleWhileRevalidate == source.limits.staleWhileRevalidate)
    }

    private func behind(_ hops: [(Int, String)], _ control: String) -> Freshness {
        Freshness(
            [(name: "cache-control", value: control)],
            behind: hops.map { TransferHop(status: $0.0, headers: $0.1.isEmpty ? [] : [(name: "cache-control", value: $0.1)]) },
            requestedAt: Self.noon, receivedAt: Self.noon)
    }

    /// The headers of redirects, and how long their target is fresh. The target itself allows a hundred seconds.
    @Test(
        arguments: [
            ([], 100), ([(302, "no-cache")], nil), ([(301, "no-cache")], nil), ([(302, "")], nil), ([(303, "")], nil), ([(307, "")], nil),
            ([(301, "")], 100), ([(308, "")], 100), ([(302, "max-age=10")], 10), ([(302, "max-age=1000")], 100), ([(301, "max-age=10")], 10),
            ([(302, "max-age=50"), (301, "max-age=20"), (308, "")], 20), ([(302, "max-age=0")], 0), ([(301, ""), (302, "")], nil),
            ([(302, "max-age=10, no-cache")], nil), ([(302, "max-age=60, s-maxage=5")], 5),
        ] as [([(Int, String)], Double?)])
    func `a redirect limits the freshness of its target`(hops: [(Int, String)], left: Double?) {
        #expect(behind(hops, "max-age=100").left(at: Self.noon) == left ?? -.infinity)
    }

    @Test func `a source behind a redirect is served stale as long as both allow it`() {
        let both = behind([(302, "max-age=10, stale-while-revalidate=5, stale-if-error=7")], "max-age=100, stale-while-revalidate=50, stale-if-error=50")
        #expect(both.allowsStaleWhileAsked(at: Self.noon + 14) && !both.allowsStaleWhileAsked(at: Self.noon + 16))
        #expect(both.allowsStaleOnError(at: Self.noon + 16) && !both.allowsStaleOnError(at: Self.noon + 18))
        #expect(!behind([(302, "max-age=10")], "max-age=100, stale-if-error=50").allowsStaleOnError(at: Self.noon + 11))
        #expect(behind([(301, "")], "max-age=100, stale-if-error=50").allowsStaleOnError(at: Self.noon + 149))
        let strict = behind([(302, "max-age=10, must-revalidate, stale-if-error=50")], "max-age=100, stale-if-error=50")
        #expect(!strict.allowsStaleOnError(at: Self.noon + 11))
    }

    @Test(arguments: [("no-store", false, false), ("private", false, true), ("no-cache", true, true)])
    func `a redirect's prohibition holds for its target`(control: String, isShared: Bool, isOnes: Bool) {
        let hop = TransferHop(status: 302, headers: [(name: "cache-control", value: control)])
        let head = TransferHead(status: 200, headers: [(name: "cache-control", value: "max-age=5")], url: "http://a.test/", expectedBytes: nil, hops: [hop])
        #expect(head.allowsKeeping(isOnes: false) == isShared && head.allowsKeeping(isOnes: true) == isOnes)
    }

    @Test func `freshness survives being stored`() {
        let freshness = Freshness(
            [(name: "cache-control", value: "max-age=10, must-revalidate, stale-if-error=5")], requestedAt: Self.noon, receivedAt: Self.noon + 1)
        #expect(Freshness(freshness.json) == freshness)
        #expect(Freshness(["lifetime": 5]) == nil && Freshness(nil as JSON?) == nil)
    }

    private func entry(_ control: String, version: Int = 0, etag: String? = "\"a\"") -> CachedSource {
        var info = SourceInfo(url: "u", finalURL: "u", status: 200, bytes: 1)
        info.etag = etag
        return CachedSource(
            info: info, contentType: nil, bytes: [1],
            freshness: Freshness([(name: "cache-control", value: control)], requestedAt: Self.noon, receivedAt: Self.noon), storedAt: Self.noon,
            version: version)
    }

    @Test func `the plan for a source`() {
        func plan(_ entry: CachedSource?, after seconds: Double, _ change: (inout CacheUse) -> Void = { _ in }) -> SourcePlan {
            var use = CacheUse()
            change(&use)
            return SourcePlan(entry, use, at: Self.noon + seconds)
        }
        #expect(plan(nil, after: 0) == .download)
        #expect(plan(entry("max-age=10"), after: 5) == .serve(asksAfterwards: false))
        #expect(plan(entry("max-age=10"), after: 11) == .ask)
        #expect(plan(entry("max-age=10", etag: nil), after: 11) == .download, "there is no validator")
        #expect(plan(entry("max-age=10, stale-while-revalidate=5"), after: 11) == .serve(asksAfterwards: true))
        #expect(plan(entry("max-age=10"), after: -3600) == .ask, "our clock was set back")
        #expect(plan(entry("max-age=10"), after: 5) { $0.mode = .reload } == .download)
        #expect(plan(entry("max-age=10"), after: 5) { $0.mode = .revalidate } == .ask)
        #expect(plan(entry("max-age=10"), after: 5) { $0.reads = false } == .download)
        #expect(plan(entry("max-age=10", version: 1), after: 5) == .download)
        #expect(plan(entry("max-age=10", version: 1), after: 5) { $0.version = 1 } == .serve(asksAfterwards: false))
        // The request's own TTL counts, in both directions.
        #expect(plan(entry("max-age=10"), after: 15) { $0.ttl = 20 } == .serve(asksAfterwards: false))
        #expect(plan(entry("max-age=10"), after: 5) { $0.ttl = 3 } == .ask)
        #expect(plan(entry("max-age=10, stale-while-revalidate=50"), after: 5) { $0.ttl = 3 } == .ask)
        // The request may also set how long a stale source may be served, unless the origin forbids it.
        #expect(plan(entry("max-age=10"), after: 15) { $0.staleWhileRevalidate = 6 } == .serve(asksAfterwards: true))
        #expect(plan(entry("max-age=10"), after: 17) { $0.staleWhileRevalidate = 6 } == .ask)
        #expect(plan(entry("max-age=10, stale-while-revalidate=50"), after: 11) { $0.staleWhileRevalidate = 0 } == .ask)
        #expect(plan(entry("max-age=10"), after: 5) { ($0.ttl, $0.staleWhileRevalidate) = (3, 5) } == .serve(asksAfterwards: true))
        #expect(plan(entry("max-age=10"), after: -3600) { $0.staleWhileRevalidate = 9999 } == .ask, "our clock was set back")
        for forbidding in ["max-age=10, must-revalidate", "max-age=10, no-cache", "s-maxage=10", "max-age=10, proxy-revalidate"] {
            #expect(plan(entry(forbidding), after: 15) { $0.staleWhileRevalidate = 60 } == .ask, "\(forbidding)")
        }
        #expect(plan(entry("max-age=10"), after: 11) { ($0.mode, $0.staleWhileRevalidate) = (.revalidate, 60) } == .ask)
        #expect(plan(entry("max-age=10"), after: 11) { ($0.mode, $0.staleWhileRevalidate) = (.only, 60) } == .refuse(.expired))
        // Without the network: the reason for a miss, in the order of the protocol.
        #expect(plan(nil, after: 0) { $0.mode = .only } == .refuse(.absent))
        #expect(plan(entry("max-age=10"), after: 0) { ($0.mode, $0.ttl) = (.only, -1) } == .refuse(.ttlUnset))
        #expect(plan(entry("max-age=10", version: 2), after: 11) { $0.mode = .only } == .refuse(.expired))
        #expect(plan(entry("max-age=10", version: 2), after: 5) { $0.mode = .only } == .refuse(.version))
        #expect(plan(entry("max-age=10"), after: 5) { $0.mode = .only } == .serve(asksAfterwards: false))
        #expect(plan(entry("max-age=10"), after: 5) { ($0.mode, $0.reads) = (.only, false) } == .refuse(.absent))
    }

    @Test func `which failures a stale source stands in for`() {
        let kept = entry("max-age=10, stale-if-error=50")
        func standsIn(_ error: TintypeError, _ mode: CacheUse.Mode = .normal) -> Bool {
            var use = CacheUse()
            use.mode = mode
            return SourcePlan.mayServeStale(kept, use, for: error, at: Self.noon + 20)
        }
        for name in ErrorName.allCases {
            #expect(standsIn(TintypeError(name, .download, "")) == [.dns, .connect, .connectionLost, .timeout].contains(name), "\(name)")
        }
        for (status, stands) in [(500, true), (503, true), (404, false), (401, false)] {
            #expect(standsIn(TintypeError(.httpStatus, .download, "", details: ["status": JSON(status)])) == stands, "\(status)")
        }
        #expect(!standsIn(TintypeError(.dns, .download, ""), .revalidate))
    }

    @Test func `ranges of a body`() {
        #expect(ContentRange("bytes 5-9/10").map { [$0.first, $0.last, $0.total] } == [5, 9, 10])
        #expect(ContentRange("Bytes 5-9/*").map { $0.total == nil } == true)
        for text in ["", "bytes */10", "bytes 9-5/10", "bytes 5-10/10", "bytes -5/10", "items 0-1/2", "bytes 0-1", "bytes 0-1/x", "bytes a-b/3"] {
            #expect(ContentRange(text) == nil, "\(text)")
        }
    }
}
