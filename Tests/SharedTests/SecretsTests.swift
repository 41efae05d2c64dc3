import Testing

@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeQueue

/// The removal of secrets from texts that are shown.
@Suite(.timeLimit(.minutes(1))) struct SecretsTests {
    @Test(arguments: [
        ("X-Amz-Signature", true), ("sig", true), ("access_token", true), ("api_key", true), ("apikey", true), ("Key-Pair-Id", true), ("set-cookie", true),
        ("authorization", true), ("x-auth-token", true), ("__token__", true), ("key", false), ("design", false), ("signal", false), ("id", false),
        ("expires", false), ("content-type", false), ("etag", false), ("x-cache-key", false), ("tokens", false), ("accessToken", true), ("apiKey", true),
        ("AWSAccessKeyId", true), ("clientSecret", true), ("idtoken", true),
        ("XAmzSignature", true), ("keyPairId", true), ("assignment", false), ("authorName", false), ("maxTokens", false),
    ])
    func `names of secrets are known`(name: String, isSecret: Bool) {
        #expect(SecretNames.holds(name) == isSecret)
    }

    @Test(arguments: [
        (#"{"url":"http://a.test/x?q=1"}"#, ""), (#"{"url":"http://a.test/x","cookies":"jar","headers":{"Accept":"image/webp"}}"#, ""),
        (#"{"url":"http://a.test/x?\#(String(repeating: "a", count: 60_000))"}"#, ""),
        (#"{"url":"http://u:p@a.test/x?q=1#f"}"#, #"{"bare":true,"url":"http://a.test/x?q=1"}"#),
        (#"{"url":"http://a.test/x?X-Amz-Signature=1&q=1"}"#, #"{"bare":true,"url":"http://a.test/x?X-Amz-Signature=***&q=1"}"#),
        (#"{"url":"http://a.test/x","urls":["http://a.test/x","http://b.test/x?sig=1"]}"#, #"{"bare":true,"url":"http://a.test/x"}"#),
        (#"{"url":"http://a.test/x","headers":{"X-Key":"k"}}"#, #"{"bare":true,"url":"http://a.test/x"}"#),
        (#"{"url":"http://a.test/x","auth":{"bearer":"k"}}"#, #"{"bare":true,"url":"http://a.test/x"}"#),
    ])
    func `a dead letter of a fetch with credentials keeps its URL without them`(fetch: String, kept: String) throws {
        #expect(CredentialStripper.text(of: try JSON(parsing: fetch), renditions: []) == kept)
    }

    @Test func `a dead letter of a long fetch keeps only its URL`() throws {
        let fetch = try JSON(parsing: #"{"url":"http://a.test/x"}"#)
        #expect(CredentialStripper.text(of: fetch, renditions: [], bytes: CredentialStripper.longest) == "")
        #expect(CredentialStripper.text(of: fetch, renditions: [], bytes: CredentialStripper.longest + 1) == #"{"bare":true,"url":"http://a.test/x"}"#)
    }

    @Test(arguments: [
        ("https://u:p@a.test/x?id=1&X-Amz-Signature=abc&b=2#f", "https://a.test/x?id=1&X-Amz-Signature=***&b=2"),
        ("http://a.test/x?%73ig=abc", "http://a.test/x?%73ig=***"),
        ("http://a.test", "http://a.test"), ("http://a.test/x?token&y", "http://a.test/x?token&y"), ("data:image/png;base64,AAAA", "data:image/png,***"),
    ])
    func `results show the URL of a source without its signature`(url: String, shown: String) {
        #expect(UnsignedURL(url).description == shown)
    }

    @Test func `no secret in a response's headers is shown`() {
        let head = TransferHead(
            status: 200,
            headers: [
                ("set-cookie", "a=hush"), ("content-type", "image/png"), ("location", "https://u:hush@b.test/x?sig=hush&y=hush"), ("x-auth-token", "hush"),
                ("www-authenticate", "Digest realm=\"r\", nonce=\"hush\""), ("link", "<https://b.test/?sig=hush>; rel=next"),
                ("content-location", "/y?token=hush"),
                ("authentication-info", "hush"), ("long", String(repeating: "x", count: 5000)),
            ] + (0..<100).map { ("x-\($0)", "1") }, url: "http://a.test/", expectedBytes: nil)
        let shown = head.shownHeaders
        #expect(!"\(shown)".contains("hush") && shown.count == 64 && shown.allSatisfy { $0.value.utf8.count <= 1024 })
        let values = Dictionary(uniqueKeysWithValues: shown.map { ($0.name, $0.value) })
        #expect(values["content-type"] == "image/png" && values["location"] == "https://b.test/x?sig=***&y=***" && values["www-authenticate"] == "Digest")
    }

    @Test func `an error tells the origin's headers but cookies and challenges, in 8 KiB`() {
        let own = [
            ("set-cookie", "a=hush"), ("www-authenticate", "Basic realm=hush"), ("proxy-authenticate", "Basic"), ("authentication-info", "hush"),
            ("x-request-id", "r-1"), ("via", "1.1 cdn"),
        ]
        func told(_ more: [(String, String)]) -> [String: String] {
            let error = TransferFailure.status(
                TransferHead(status: 503, headers: own + more, url: "http://a.test/", expectedBytes: nil), excerpt: [], credentials: false, retryAfter: nil)
            return Dictionary(uniqueKeysWithValues: (error.details["headers"]?.object?.members ?? []).map { ($0.key, $0.value.string ?? "") })
        }
        #expect(told([]) == ["x-request-id": "r-1", "via": "1.1 cdn"])
        let many = told((0..<30).map { ("x-\($0)", String(repeating: "y", count: 900)) })
        #expect(many.count > 8 && many.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } <= 8192)
    }

    @Test func `credentials that a server repeats are hidden`() throws {
        let request = try ImageRequest([
            "urls": ["http://u:pass%2Fword@a.test/x?X-Amz-Signature=0123abcd&id=12345", "http://b.test/"],
            "fetch": ["auth": ["basic": ["ann", "hushhush"]], "headers": ["X-Key": "keykeykey", "Authorization": "Custom abcdef", "Accept": "image/png"]],
        ])
        let words = SecretScrubber(of: request.source)
        let text = "hushhush YW5uOmh1c2hodXNo keykeykey abcdef pass/word pass%2Fword 0123abcd 12345 image/png"
        #expect(words.hide(in: text) == "*** *** *** *** *** *** *** 12345 image/png")
        let error = TransferFailure.status(
            TransferHead(status: 403, headers: [("server", "keykeykey")], url: "http://a.test/", expectedBytes: nil), excerpt: Array(text.utf8),
            credentials: true, retryAfter: nil)
        let hidden = words.hide(in: error)
        #expect(!hidden.json.text.contains("hushhush") && !hidden.json.text.contains("keykeykey") && hidden.details["status"] == 403)
    }
}
