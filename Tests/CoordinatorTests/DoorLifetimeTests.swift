import Testing
import TintypeImages

@testable import Coordinator
@testable import TintypePictureDoor

/// How long caches may keep an answer of the picture door, and the names under which browsers save pictures.
@Suite struct DoorLifetimeTests {
    struct Row: Sendable {
        var limits = CacheLimits()
        /// Seconds from now.
        var end: Double? = nil
        var expires: Int? = nil
        var isFallback = false
        var most: Double? = nil
        var control: String
    }

    static let rows = [
        Row(control: "public, max-age=3600, stale-while-revalidate=3600, stale-if-error=86400"),
        Row(end: 100.9, control: "public, max-age=100, stale-while-revalidate=3600, stale-if-error=86400"),
        Row(end: 1e12, control: "public, max-age=86400, stale-while-revalidate=3600, stale-if-error=86400"),
        Row(limits: CacheLimits(isPrivate: true), end: 60, control: "private, max-age=60, stale-while-revalidate=3600, stale-if-error=86400"),
        Row(end: 0, control: "public, no-cache"), Row(end: -5, control: "public, no-cache"), Row(end: 0.5, control: "public, no-cache"),
        Row(expires: 600, control: "public, max-age=600"),
        Row(end: 100, expires: 600, control: "public, max-age=100, stale-while-revalidate=500, stale-if-error=500"),
        Row(end: 100, expires: 10_000, control: "public, max-age=100, stale-while-revalidate=3600, stale-if-error=9900"),
        Row(expires: -1, control: "public, no-cache"), Row(isFallback: true, control: "public, max-age=60"),
        Row(end: 10, isFallback: true, control: "public, max-age=10"), Row(expires: 5, isFallback: true, control: "public, max-age=5"),
        Row(most: 10, control: "public, max-age=10, stale-if-error=86400"), Row(end: 5, most: 10, control: "public, max-age=5, stale-if-error=86400"),
        Row(expires: 30, most: 10, control: "public, max-age=10, stale-if-error=20"),
        Row(limits: CacheLimits(isPrivate: true), most: 90, control: "private, max-age=90, stale-if-error=86400"),
        Row(expires: .max, control: "public, max-age=3600, stale-while-revalidate=3600, stale-if-error=86400"),
        Row(limits: CacheLimits(staleWhileRevalidate: 0, staleIfError: 0), end: 60, control: "public, max-age=60"),
        Row(limits: CacheLimits(staleWhileRevalidate: 0), end: 60, control: "public, max-age=60, stale-if-error=86400"),
        Row(limits: CacheLimits(staleIfError: 0), end: 60, control: "public, max-age=60, stale-while-revalidate=3600"),
        Row(
            limits: CacheLimits(staleWhileRevalidate: 30, staleIfError: 1e9), end: 60,
            control: "public, max-age=60, stale-while-revalidate=30, stale-if-error=86400"),
        Row(limits: CacheLimits(staleIfError: 50), end: 60, expires: 90, control: "public, max-age=60, stale-while-revalidate=30, stale-if-error=30"),
        Row(limits: CacheLimits(isPrivate: true, isUnkept: true), end: 60, control: "no-store"),
    ]

    @Test(arguments: rows) func `no cache shows a picture for longer than it is fresh, or than its URL is good`(row: Row) {
        let now = 1_000_000.0
        let expires = row.expires.map { $0 == .max ? .max : Int(now) + $0 }
        let lifetime = DoorLifetime(
            row.limits, end: row.end.map { now + $0 }, expires: expires, isFallback: row.isFallback, most: row.most, now: now)
        #expect(lifetime.control == row.control)
    }

    static let names: [(asked: String?, source: String, type: String, shown: String)] = [
        (nil, "http://h/a/cat.png?x=/y.gif", "image/webp", #"inline; filename="cat.webp""#),
        (nil, "http://h/cat.jpeg", "image/jpeg", #"inline; filename="cat.jpeg""#),
        (nil, "http://h/cat", "image/jpeg", #"inline; filename="cat.jpg""#), (nil, "http://h/a.b.png", "image/png", #"inline; filename="a.b.png""#),
        (nil, "http://h/", "image/png", #"inline; filename="image.png""#), (nil, "http://h", "image/png", #"inline; filename="image.png""#),
        (nil, "http://h/.png", "image/webp", #"inline; filename=".png.webp""#), (nil, "http://h/a.PNG#f", "image/png", #"inline; filename="a.PNG""#),
        (nil, "http://h/%2E%2E%2Fa%00%0D%0Ab.png", "image/png", #"inline; filename="..ab.png""#),
        (nil, "http://h/report", "text/html", #"inline; filename="report""#), (nil, "s3://b/k/x.gif", "image/gif", #"inline; filename="x.gif""#),
        ("my.cat", "http://h/a.png", "image/webp", #"inline; filename="my.cat.webp""#),
        ("cat.webp", "http://h/a.png", "image/webp", #"inline; filename="cat.webp""#),
        (#"a"b\c"#, "http://h/a", "image/png", #"inline; filename="a_b_c.png"; filename*=UTF-8''a%22b%5Cc.png"#),
        ("Kätzchen", "http://h/a", "image/png", "inline; filename=\"K_tzchen.png\"; filename*=UTF-8''K%C3%A4tzchen.png"),
        ("50%", "http://h/a", "image/png", #"inline; filename="50_.png"; filename*=UTF-8''50%25.png"#),
    ]

    @Test(arguments: names) func `a browser saves a picture under its name, with the extension of its format`(
        asked: String?, source: String, type: String, shown: String
    ) {
        let name = DoorFileName(asked: asked, source: source, contentType: type)
        #expect(name.disposition(isAttachment: false) == shown)
        #expect(name.disposition(isAttachment: true) == "attachment" + shown.dropFirst("inline".count))
    }
}
