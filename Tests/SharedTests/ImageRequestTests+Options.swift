import TintypeCore
import TintypeImages
import TestSupport
import Testing

extension ImageRequestTests {
    @Test(arguments: [
        ("http://h/a", "http://h/a?x=%26&y="), ("http://h/a?", "http://h/a?x=%26&y="), ("http://h/a?b=1#f", "http://h/a?b=1&x=%26&y=#f"),
        ("data:,a", "data:,a"),
    ])
    func `Parameters follow those of the URL`(url: String, whole: String) throws {
        #expect(try ImageRequest(["url": .string(url), "fetch": ["params": ["x": "&", "y": ""]]]).source.url == whole)
    }

    @Test(arguments: [
        (#"{"body":"a"}"#, "fetch.method"), (#"{"method":"HEAD","body":{}}"#, "fetch.method"),
        (#"{"method":"POST","body":{"base64":"%"}}"#, "fetch.body.base64"),
        (#"{"method":"TRACE"}"#, "fetch.method"), (#"{"acceptableTypes":["image"]}"#, "fetch.acceptableTypes[0]"),
        (#"{"tls":{"pinnedPublicKeys":["sha256//AA=="]}}"#, "fetch.tls.pinnedPublicKeys[0]"), (#"{"jsonShape":"string"}"#, "fetch.jsonShape"),
        (#"{"params":{"a":{}}}"#, "fetch.params.a"), (#"{"auth":{"digest":["u"]}}"#, "fetch.auth.digest"),
    ])
    func `Options that make no sense are refused at their place`(fetch: String, path: String) throws {
        let options = try JSON(parsing: fetch)
        do throws(TintypeError) {
            _ = try ImageRequest(["url": "http://h/", "fetch": options])
            Issue.record("accepted")
        } catch {
            #expect(error.details["path"] == .string(path), "\(error)")
        }
    }

    @Test(arguments: [
        ("http://Example.ORG:8080/x", "example.org"), ("https://u:p@h/", "h"), ("http://[2001:DB8::1]:80/", "2001:db8::1"),
        ("data:image/png;base64,AA==", "data:"), ("http://data/x", "data"), ("file:///a%20b", "file:"), ("FILE:/a", "file:"),
        ("HTTP://h", "h"), ("s3://my.bucket-1/a%20b", "s3:my.bucket-1"), ("S3://bucket/k", "s3:bucket"),
    ])
    func `The host of a source is lower-case and without port`(url: String, host: String) throws {
        #expect(try ImageRequest(["url": .string(url)]).source.host == host)
    }

    @Test(arguments: [
        (#"{"method":"DELETE"}"#, "fetch.method"), (#"{"method":"PUT","body":"x"}"#, "fetch.method"), (#"{"auth":{"bearer":"t"}}"#, "fetch.auth"),
        (#"{"headers":{"X-Amz-Copy-Source":"/b/k"}}"#, "fetch.headers.X-Amz-Copy-Source"),
        (#"{"headers":{"authorization":"x"}}"#, "fetch.headers.authorization"),
        (#"{"cookies":"jar"}"#, "fetch.cookies"),
    ]) func `an object is read with the operator's credentials, and nothing else is done with them`(fetch: String, path: String) throws {
        for urls in [["s3://bucket/k"], ["http://h/k", "s3://bucket/k"]] {
            let request: JSON = ["urls": .array(urls.map { .string($0) }), "fetch": try JSON(parsing: fetch)]
            let error = try #require(throws: TintypeError.self) { try ImageRequest(request) }
            #expect(error.name == .invalidParams && error.details["path"]?.string == path, "\(error)")
        }
    }

    @Test func `two spellings of an object are one source`() throws {
        func digest(_ url: String) throws -> String { try ImageRequest(["url": .string(url)]).source.digest }
        #expect(try digest("s3://bucket/a%20b/%7ec") == digest("S3://bucket/a%20b/~c") && digest("s3://bucket/a") != digest("s3://bucket/A"))
        #expect(try ImageRequest(["url": "s3://bucket/a"]).source.mayBeKept)
    }

    @Test(arguments: [
        (#"[{"hosts":["bucket"],"access":"deny"}]"#, false, false), (#"[{"access":"deny"},{"hosts":["bucket"],"access":"allow"}]"#, true, false),
        (#"[{"hosts":["bucket"],"paths":["/in/"],"access":"deny"}]"#, true, false),
        (#"[{"hosts":["bucket"],"access":"cached","headers":{"X":"1"}}]"#, true, true),
        (#"[{"access":"deny"}]"#, false, false),
    ]) func `rules say of a bucket whether it may be read`(rules: String, isAllowed: Bool, isKept: Bool) throws {
        let rules = try Rules(text: #"{"rules":\#(rules)}"#, path: "r")
        do throws(TintypeError) {
            let request = try ImageRequest(["url": "s3://bucket/out/a"], rules: rules)
            #expect(isAllowed && (request.cachePolicy == .only) == isKept && request.source.fetch.headers.isEmpty)
        } catch {
            #expect(!isAllowed && error.name == .denied)
        }
    }

    @Test(arguments: [
        ("", ErrorName.invalidURL), ("photo.jpg", .invalidURL), ("/photo.jpg", .invalidURL), ("//h/photo.jpg", .invalidURL), ("http:/h/", .invalidURL),
        ("http://", .invalidURL), ("http:///x", .invalidURL), ("http://h:x/", .invalidURL), ("http://h:70000/", .invalidURL), ("http://h:+80/", .invalidURL),
        ("http://h/a b", .invalidURL), ("http://h/\n", .invalidURL), ("http://[data:]/", .invalidURL),
        ("http://[::1/", .invalidURL),
        ("http://good\\@evil/", .invalidURL),
        ("http://user:secret@:80/", .invalidURL),
        ("ftp://h/x", .denied), ("file://host/x", .invalidURL), ("file:x", .invalidURL), ("file:///%zz", .invalidURL), ("javascript:alert(1)", .denied),
        ("gopher://h/", .denied), ("blob:x", .denied), ("s3:bucket/k", .invalidURL), ("s3://bucket", .invalidURL), ("s3://bucket/", .invalidURL),
        ("s3://Bucket/k", .invalidURL), ("s3://b:80/k", .invalidURL), ("s3://user:secret@bucket/k", .invalidURL), ("s3://bucket/k?versionId=1", .invalidURL),
        ("s3://bucket/k#f", .invalidURL), ("s3://bucket/../k", .invalidURL), ("s3://bucket/a/%2e%2e/k", .invalidURL), ("s3://bucket/a%2f..%2fk", .invalidURL),
        ("s3://bucket/./k", .invalidURL), ("s3://bucket/%00", .invalidURL), ("s3://bucket/%zz", .invalidURL), ("s3://bucket/%ff", .invalidURL),
    ])
    func `An address that cannot be fetched is refused by its kind`(url: String, name: ErrorName) throws {
        do throws(TintypeError) {
            _ = try ImageRequest(["url": .string(url)])
            Issue.record("accepted \(url)")
        } catch {
            #expect(error.name == name && error.phase == .admission)
            #expect(!error.json.text.contains("secret"))
        }
    }

    @Test func `A request is completed with the defaults of the protocol`() throws {
        let request = try ImageRequest(["url": "http://h/"])
        #expect(request.queue == "default" && request.priority == 0 && request.deadline == 30 && request.delivery == .reference)
        #expect(request.order == nil && request.progress == nil && !request.isDetached && request.cachePolicy == .default)
        #expect(request.renditions.map(\.name) == ["default"] && request.renditions[0].isUpright)
        #expect(request.renditions[0].acceptance.maxBytes == 67_108_864 && request.source.fetch.maxRedirects == 5 && request.source.fetch.attempts == 3)
        #expect(try ImageRequest(["url": "http://h/", "priority": "low"]).priority == -4)
        #expect(try ImageRequest(["url": "http://h/", "progress": true]).progress?.interval == 0.25)
        #expect(try ImageRequest(["url": "http://h/", "progress": false]).progress == nil)
    }

    @Test func `Mirrors are one source together, in their order`() throws {
        func source(_ urls: JSON...) throws -> Source { try ImageRequest(["urls": .array(urls)]).source }
        let both = try source("http://A/x", "http://b:80/x")
        #expect(try both.digest == source("http://a/x", "http://b/x").digest && both.host == "a")
        #expect(try both.digest != source("http://b/x", "http://a/x").digest && both.digest != source("http://a/x").digest)
        #expect(try source("http://a/x").digest == ImageRequest(["url": "http://a/x"]).source.digest)
        #expect(try Source(canonical: JSON(parsing: both.canonical.bytes())) == both)
        for wrong: JSON in [["urls": []], ["urls": ["http://a/"], "url": "http://a/"], [:], ["url": nil], ["urls": [1]]] {
            #expect(throws: TintypeError.self) { try ImageRequest(wrong) }
        }
        #expect(throws: TintypeError.self) { try source("http://a/x", "ftp://b/x") }
    }

    @Test func `Operations are at most 32`() throws {
        func request(_ count: Int) throws -> ImageRequest {
            try ImageRequest(["url": "http://h/", "transform": .array(Array(repeating: ["op": "invert"], count: count))])
        }
        #expect(try request(32).renditions[0].operations.count == 32)
        let error = #expect(throws: TintypeError.self) { try request(33) }
        #expect(error?.name == .invalidParams && error?.details["path"] == "transform")
        #expect(error?.details["expected"]?.string?.hasPrefix("an array of 0 to 32") == true)
    }

    @Test func `A probe takes no renditions`() {
        #expect(throws: TintypeError.self) { try ImageRequest(["url": "http://h/", "output": [:]], isProbe: true) }
        #expect(throws: TintypeError.self) { try ImageRequest([1]) }
    }

    @Test(arguments: [
        ("red", "#ff0000ff"), ("#ABC", "#aabbccff"), ("#01020304", "#01020304"), ("RebeccaPurple", "#663399ff"), ("transparent", "#00000000"),
        ("#010203", "#010203ff"),
    ])
    func `A color has one spelling`(text: String, canonical: String) { #expect(Color(text)?.canonical == canonical) }

    @Test(arguments: ["", "#", "#12", "#1234", "#12345", "#gggggg", "#+12345", "reddish", "rgb(1,2,3)", " red", "123456"])
    func `A text that is no color is refused`(text: String) { #expect(Color(text) == nil) }

    @Test func `a client's own key differs for each scope`() throws {
        func key(_ scope: String) throws -> String? {
            try ImageRequest(JSON(parsing: #"{"url":"http://a.test/1","cache":{"key":"avatar"\#(scope)}}"#)).key
        }
        #expect(try key("") == "avatar")
        let (ann, ben) = (try key(#","scope":"ann""#), try key(#","scope":"ben""#))
        #expect(ann != ben && ann != "avatar")
        #expect(CacheTier.isKey(ann ?? "") && !ImageRequest.isOwnKey(ann ?? ""))
        #expect(try key(#","scope":"ann""#) == ann)
    }

    @Test func `query parameters are few, each value of an array counted`() throws {
        func read(_ params: JSONObject) throws { _ = try ImageRequest(["url": "http://a.test/x", "fetch": ["params": .object(params)]]) }
        let values = JSON.array((0..<128).map { JSON($0) })
        try read(["a": values, "b": values])
        let many = try #require(throws: TintypeError.self) { try read(["a": values, "b": values, "c": 1]) }
        #expect(many.name == .invalidParams && many.details["path"] == "fetch.params", "\(many)")
        let names = JSONObject((0..<257).map { ("k\($0)", JSON.null) })
        #expect(try #require(throws: TintypeError.self) { try read(names) }.details["path"] == "fetch.params")
    }

    @Test(arguments: ["http", "HTTPS"]) func `a URL has at most 16 KiB with its parameters, one that holds the picture more`(scheme: String) throws {
        func read(_ url: String, _ params: JSON = [:]) throws { _ = try ImageRequest(["url": .string(url), "fetch": ["params": params]]) }
        let start = scheme + "://a.test/?"
        let longest = start + String(repeating: "a", count: WebAddress.mostBytes - start.utf8.count)
        try read(longest)
        #expect(try #require(throws: TintypeError.self) { try read(longest + "a") }.name == .invalidURL)
        // As many bytes, but each becomes three when escaped.
        let escaped = try #require(throws: TintypeError.self) { try read(start, ["p": .string(String(repeating: "ä", count: 3000))]) }
        #expect(escaped.name == .invalidURL && escaped.details["allowed"] == 16384, "\(escaped)")
        try read("data:image/png;base64," + String(repeating: "AAAA", count: 50_000), ["p": .string(String(repeating: "a", count: 60_000))])
    }

    @Test(arguments: RedisSpace.allCases.map { $0.rawValue })
    func `no queue has a name that other Redis keys use`(name: String) throws {
        let error = try #require(throws: TintypeError.self) { try ImageRequest(["url": "http://a.test/", "queue": .string(name)]) }
        #expect(error.name == .invalidParams && error.details["path"] == "queue" && error.message.contains("not \(RedisSpace.names)"))
        #expect(throws: SettingError.self) { try SettingType<[String]>.queueNames.parse("bulk,\(name)") }
        #expect(throws: Never.self) { try ImageRequest(["url": "http://a.test/", "queue": .string(name + "2")]) }
    }

    @Test(arguments: [(16_384, true), (16_385, false)])
    func `userInfo has at most 16 KiB`(bytes: Int, isTaken: Bool) throws {
        // {"a":"…"} has eight more bytes.
        let request: JSON = ["url": "http://a.test/", "userInfo": ["a": .string(String(repeating: "x", count: bytes - 8))]]
        if isTaken {
            #expect(throws: Never.self) { try ImageRequest(request) }
        } else {
            let error = try #require(throws: TintypeError.self) { try ImageRequest(request) }
            #expect(error.name == .invalidParams && error.details["path"] == "userInfo")
        }
    }
}
