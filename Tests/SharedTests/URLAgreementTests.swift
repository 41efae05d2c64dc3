import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages

/// The URL checks of this service agree with the host that curl connects to.
@Suite(.timeLimit(.minutes(2)))
struct URLAgreementTests {
    /// A letter that combines with the one before it into one Character.
    private static let joining = ["\u{301}", "\u{200d}", "\u{20e3}", "\u{fe0f}", "\u{1f3fb}"]
    private static let pieces = [
        "http", "https", "HTTP", "ftp", ":", "/", "//", "///", "?", "#", "@", "[", "]", "\\", ".", "..", "%", "%2f", "%40", "%cc%81", "%00", "&", "=", ";", ",",
        "+", "-", "_", "~", "*", "'", "\"", "<", ">", "{", "}", "|", "^", "`", "a.test", "b.test", "127.0.0.1", "0x7f.1", "2130706433", "[::1]",
        "[::ffff:1.2.3.4]", "user", "hunter2pass", "80", "81", "65536", "x", "ü", "é", "\u{ff0f}", "\u{2044}",
    ]

    private static func url(_ dice: inout Dice) -> String {
        var url = dice.of(["http://", "https://", "HTTP://", "http:/", "http:", ""])
        for _ in 0..<Int.random(in: 1...9, using: &dice) {
            url += dice.of(pieces)
            if dice.chance(0.25) { url += dice.of(joining) }
        }
        return url
    }

    @Test func `whatever is let in has the host, port, path and user that curl sees`() throws {
        var dice = Dice(4)
        var taken = 0
        for _ in 0..<60_000 {
            let text = Self.url(&dice)
            guard let address = try? WebAddress(text), ["http", "https"].contains(address.scheme) else { continue }
            #expect(text.utf8.allSatisfy { $0 < 0x80 }, "\(text)")
            let parts = try #require(URLParts(text), "\(text)")
            guard let curl = TransferURL(text) else { continue }
            taken += 1
            #expect(curl.scheme == address.scheme && curl.queuedHost == address.host, "\(text): \(curl.host) and \(address.host)")
            // curl accepts no user with %00.
            #expect((curl.user != nil) == address.hasUserInfo || text.contains("%00"), "\(text)")
            // The URL put together again leads to the same place.
            #expect(TransferURL(parts.text)?.text == curl.text, "\(text)")
            #expect(TransferURL(address.normalized)?.text.lowercased() == curl.text.lowercased(), "\(text)")
            #expect(curl.text.utf8.allSatisfy { $0 < 0x80 }, "\(text)")
            let again = try #require(URLParts(curl.text), "\(text)")
            #expect(again.userInfo.isEmpty && (try? WebAddress(curl.text))?.host == address.host, "\(text)")
            // The shown URL names the requested host, and no password.
            let shown = RedactedURL(text).description
            #expect(!shown.contains("hunter2pass@") && !shown.contains(":hunter2pass"), "\(text) is shown as \(shown)")
        }
        #expect(taken > 1000, "\(taken) of them can be asked for")
    }

    @Test func `a redirect is checked by its target`() throws {
        var dice = Dice(5)
        let base = try #require(TransferURL("http://here.test/a/b?c"))
        for _ in 0..<30_000 {
            guard let next = base.resolving(PercentText.ascii(Self.url(&dice).utf8)), next.isHTTP else { continue }
            // A host that no name server knows, such as one with a bar in it, leads nowhere.
            guard let address = try? WebAddress(next.text) else { continue }
            #expect(address.host == next.queuedHost && !address.hasUserInfo, "\(next.text)")
            #expect(TransferURL(next.text)?.text == next.text, "\(next.text)")
        }
    }

    @Test func `no combining letter after a delimiter hides a password or a path`() throws {
        for mark in Self.joining {
            for delimiter in ["://", "@", ":", "/", "?"] {
                let url = "http://user:hunter2pass@127.0.0.1:9/p?q=hunter2pass".replacing(delimiter, with: delimiter + mark, maxReplacements: 1)
                #expect(!RedactedURL(url).description.contains("hunter2pass"), "\(url)")
                #expect(!RedactedText("could not load \(url), it said").description.contains("hunter2pass"), "\(url)")
                #expect(throws: (any Error).self) { try SourceAddress(url) }
            }
            let rules = PathPattern("/admin/")
            for path in ["/admin/x", "/admin/%CC%81x", "/admin/%cc%81x", "/%61dmin/x", "/admin/\(mark)x"] {
                let seen = try #require(TransferURL("http://a.test\(path)").flatMap { URLParts($0.text)?.plainPath })
                #expect(rules.matches(seen), "\(path) is seen as \(seen)")
            }
        }
        #expect(PathPattern("/caf\u{e9}/").matches(try #require(URLParts("http://a.test/caf%c3%a9/x")).plainPath))
        #expect(PathPattern("/*/drafts/*").matches(try #require(TransferURL("http://a.test/a/drafts/\u{301}y").flatMap { URLParts($0.text)?.plainPath })))
    }

    @Test func `the throttled host is the one that answered, whatever its URL shows`() throws {
        let plan = try RedirectPlan(TransferRequest(url: "http://[::1]:81/\u{301}@victim.example/x"))
        var block = HeaderBlock()
        for line in ["HTTP/1.1 429 Wait", "Retry-After: 600", ""] { _ = Array((line + "\r\n").utf8).withUnsafeBytes { block.take($0) } }
        let error = TransferFailure.status(block.head(at: plan, goingOnWith: nil), excerpt: [], credentials: false, retryAfter: 600)
        #expect(error.details["host"] == "::1", "\(error.json.text)")
    }

    @Test func `a redirect to a URL above the length limit is refused`() throws {
        var plan = try RedirectPlan(TransferRequest(url: "http://a.test/"))
        let long = "/" + String(repeating: "a", count: WebAddress.mostBytes)
        let error = try #require(throws: TintypeError.self) { try plan.follow(TransferHop(status: 302), location: long) }
        #expect(error.name == .invalidURL && error.details["allowed"] == 16384, "\(error)")
    }
}
