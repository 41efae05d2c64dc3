import Foundation
import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeQueue
@testable import TintypeStores

/// For all bytes, each parser ends, crashes nothing and keeps its own rules. `scripts/fuzz parsers` runs longer, with the address sanitizer.
@Suite(.tags(.timed), .timeLimit(.minutes(60)), .serialized) struct ParserFuzzTests {
    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private static let urls = [
        "http://user:secret@example.org:8080/a/b?x=1&token=t#f", "https://[2001:db8::1]:443/%41?a", "http://127.0.0.1/", "data:image/png;base64,iVBORw0KGgo=",
        "file:///a/../b",
        "HTTP://EXAMPLE.org", "//host/path", "../a?b", "http://é.example/ü?ß=ö",
    ]
    private static let json = [
        #"{"jsonrpc":"2.0","id":1,"method":"image.load","params":{"url":"http://a.test/","transform":[{"op":"resize","width":320}],"n":[1.5,-2e3,true,null]}}"#,
        #"["\u00e9\ud83d\ude00\n",0,-0,1e2,{},[]]"#, "null", #"{"json":{"a":1}}"#,
    ]

    /// "hello".
    private static let gzip: [UInt8] = [31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 203, 72, 205, 201, 201, 7, 0, 134, 166, 16, 54, 5, 0, 0, 0]

    private static let targets: [FuzzTarget] = [
        FuzzTarget("json", json) { bytes in
            guard let json = try? JSON(parsing: bytes) else { return "none" }
            guard try JSON(parsing: json.bytes()).text == json.text else { throw BrokenRule("what is written reads back otherwise") }
            return "\(json.text.prefix(1))"
        },
        FuzzTarget("rpc message", json) { bytes in
            switch RPCMessage.read(bytes) {
            case .single(.request): return "request"
            case .single(.notification): return "notification"
            case .single(.invalid(_, let error)): return error.message.filter { !$0.isNumber }
            case .batch(let all): return "batch \(min(all.count, 3))"
            }
        },
        FuzzTarget(
            "image request", [#"{"url":"http://a.test/","transform":[{"op":"resize","width":3}],"renditions":[{"name":"a"}],"fetch":{"headers":{"a":"b"}}}"#]
        ) { bytes in
            guard let json = try? JSON(parsing: bytes) else { return "none" }
            do {
                let request = try ImageRequest(json)
                return "\(request.renditions.count) \(try request.renditions.map { try Rendition(canonical: $0.canonical).canonical == $0.canonical })"
            } catch let error as TintypeError { return "\(error.name) \(error.details["path"]?.string ?? "")" }
        },
        FuzzTarget("metadata in headers", ["Zo%C3%AB", "two%20words%0d%0a", "100%25"]) { bytes in
            let headers = [(name: "a", value: text(bytes)), (name: text(Array(bytes.prefix(8))), value: "x")]
            guard let json = try? ResultMetadata.json(of: headers), let metadata = try? ResultMetadata(json, at: "metadata") else { return "none" }
            guard metadata.headers.allSatisfy({ $0.1.utf8.allSatisfy { (0x21...0x7e).contains($0) } }) else { throw BrokenRule("a value ends a header") }
            return "some"
        },
        FuzzTarget("memory of a group", ["some avg10=1.5 avg60=0", "inactive_file 7\nhigh 3\nmax 9", "123\n"]) { bytes in
            GroupMemory { _ in text(bytes) } == nil ? "none" : "some"
        },
        FuzzTarget("rpc framing", json.map { $0 + "\n" } + ["Content-Length: 2\r\n\r\n{}Content-Length: 4\r\nX: y\r\n\r\nnull"]) { bytes in
            func pieces(by size: Int) -> [MessageSplitter.Piece] {
                var splitter = MessageSplitter()
                var found: [MessageSplitter.Piece] = []
                for start in stride(from: 0, to: bytes.count, by: size) {
                    splitter.append(bytes[start..<min(start + size, bytes.count)]) { found.append($0) }
                }
                return found
            }
            let whole = pieces(by: max(1, bytes.count))
            guard bytes.count > 4096 || pieces(by: 3) == whole else { throw BrokenRule("cut otherwise, other messages") }
            return "\(min(whole.count, 5)) \(whole.contains { if case .broken = $0 { true } else { false } })"
        },
        FuzzTarget(
            "http head", ["GET /a?b HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n", "PUT http://h/x HTTP/1.1\nHost: h\nTransfer-Encoding: chunked\n\n"]
        ) { bytes in
            func scan(by size: Int) -> (Int?, HTTPHead) {
                var scanner = HTTPHead.Scanner()
                for start in stride(from: 0, to: bytes.count, by: size) {
                    if let end = scanner.take(bytes[start..<min(start + size, bytes.count)]) { return (start + end, scanner.head) }
                }
                return (nil, scanner.head)
            }
            let (whole, cut) = (scan(by: max(1, bytes.count)), scan(by: 7))
            guard whole.0 == cut.0, whole.1 == cut.1 else { throw BrokenRule("cut otherwise, another head") }
            return "\(whole.0 == nil) \(whole.1.flaw ?? "") \(whole.1.length.map { $0 > 0 } ?? false) \(whole.1.method.count)"
        },
        FuzzTarget("http conversation", [HTTPConnectionTests.conversation] + HTTPServerTests.ambiguous + HTTPConnectionTests.refused.map(\.request)) { bytes in
            // A turn of the loop answers few requests, and this target has one turn.
            guard bytes.count <= 800 else { return "long" }
            return try Loop.assumeIsolated {
                let whole = try ScriptedWire.answers(to: bytes, by: max(1, bytes.count))
                for size in [1, 1 + bytes.count % 13] where try ScriptedWire.answers(to: bytes, by: size) != whole {
                    throw BrokenRule("cut otherwise, other answers")
                }
                return whole.split(separator: "HTTP/1.1 ").map { $0.prefix(3) }.prefix(4).joined(separator: " ")
            }
        },
        FuzzTarget("proxy header", ProxyHeaderTests.sound.map(\.bytes) + ProxyHeaderTests.broken) { bytes in
            let (whole, cut) = (ProxyHeaderTests.read(bytes, by: max(1, bytes.count)), ProxyHeaderTests.read(bytes, by: 3))
            guard whole == cut, whole.taken <= ProxyHeader.most else { throw BrokenRule("cut otherwise, another client") }
            switch whole.reading {
            case .more: return "more"
            case .client(let client): return client == nil ? "unknown" : "client"
            case .broken(let flaw): return flaw
            }
        },
        FuzzTarget("forwarded clients", TrustedProxiesTests.lists.compactMap(\.forwarded)) { bytes in
            let proxies = TrustedProxies([AddressRange("10.0.0.0/8"), AddressRange("2001:db8:1::/48")].compactMap { $0 })
            let client = proxies.client(of: ConnectionPeer(address: "10.0.0.1"), forwarded: text(bytes))
            guard client.network != nil else { throw BrokenRule("a client has an address") }
            return "\(proxies.contain(client))"
        },
        FuzzTarget("http chunks", ChunkScannerTests.sound.map(\.text) + ChunkScannerTests.broken) { bytes in
            let (whole, cut) = (ChunkScannerTests.scan(bytes, by: max(1, bytes.count)), ChunkScannerTests.scan(bytes, by: 3))
            guard whole.scanner.flaw == cut.scanner.flaw, whole.body == cut.body, whole.taken == cut.taken else {
                throw BrokenRule("cut otherwise, another body")
            }
            guard whole.body.count == whole.scanner.received else { throw BrokenRule("a body of another length") }
            return "\(whole.scanner.flaw ?? "") \(whole.scanner.isComplete)"
        },
        FuzzTarget(
            "response head",
            [
                "HTTP/1.1 206 Partial\r\nContent-Range: bytes 5-9/10\r\nETag: \"e\"\r\nContent-Length: 5\r\n\r\n", "HTTP/2 302\r\nLocation: ../x\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip, br\r\nCache-Control: max-age=5, stale-if-error=\"9\"\r\nAge: 3\r\nExpires: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n",
            ]
        ) { bytes in
            var block = HeaderBlock()
            for line in bytes.split(separator: 10, omittingEmptySubsequences: false) {
                guard (Array(line) + [10]).withUnsafeBytes({ block.take($0) }) else { return "too much" }
            }
            let resume = TransferRequest.Resume(offset: 5, validator: "\"e\"", total: 10)
            let ranges = [resume, TransferRequest.Resume(offset: .max - 1, validator: "\"e\"", total: nil)].map { block.delivers($0) }
            let fresh = Freshness(block.headers, requestedAt: 1e9, receivedAt: 1e9 + 1)
            return
                "\(block.status / 100) \(block.isComplete) \(block.expectedBytes ?? -1 > 0) \(block.promisedBytes ?? -1 > 0) \(ranges) \(block.encoding ?? "") \(fresh.lifetime > 0)"
        },
        FuzzTarget("url", urls) { bytes in
            let url = text(bytes)
            let shown = RedactedURL(url).description
            let (address, parts, transfer) = (try? WebAddress(url), URLParts(url), TransferURL(url))
            _ = transfer?.resolving("../\(url)")
            _ = try? SourceAddress(url)
            return "\(address?.scheme ?? "") \(parts == nil) \(transfer?.port ?? 0 > 0) \(shown.contains("\u{2026}"))"
        },
        FuzzTarget(
            "address",
            [
                "10.0.0.0/8", "2001:db8::/32", "::ffff:1.2.3.4", "127.0.0.1:80", "[::1]:80", "unix:/a", "redis://u:p@h:1/2", "unix:///a?db=1", "h\u{301}:80",
                "cluster://u:p@h:1,[::1]:2?timeout=1s", "MOVED 3999 10.0.0.1:6381", "ASK 1 ::1:7", "{a}b{c}",
            ]
        ) { bytes in
            let word = text(bytes)
            let cluster = "\((try? RedisURL(word)) == nil) \(ClusterRedirect(word) == nil) \(HashSlot.slot(of: word) >> 10)"
            return
                "\(cluster) \(AddressRange(word) == nil) \(IPAddress(word) == nil) \((try? SocketAddress(word)) == nil) \((try? RedisEndpoint(word)) == nil) \(AllowedHosts([word]).answers(to: word))"
        },
        FuzzTarget(
            "header values", ["bytes 0-9/10", "Thu, 01 Jan 1970 00:00:00 GMT", "120", "image/*;q=0.5", "text/html", "#80ff0080", "200-299", "a=1, b=\"c\""]
        ) { bytes in
            let word = text(bytes)
            return [
                ContentRange(word) == nil, HTTPDate.seconds(word) == nil, RetryAfter.seconds(word, date: word) == nil, MediaRange(word) == nil,
                Color(word) == nil,
                Acceptance.range(word) == nil, CacheControl([word]).seconds("max-age") == nil,
            ].description
        },
        FuzzTarget("event of a queue", ["1\nfetch\nsucceeded\n1.000\n\"a\":1\nr1 2\nr2 3", "2\n\nping\n1.0\n\n"]) { bytes in
            guard let event = QueueEvent(bytes) else { return "none" }
            return "\(event.isTerminal) \(event.receipts.count)"
        },
        FuzzTarget(
            "stored image",
            [StoredImageCodec.encode(StoredImage(key: "k", contentType: "image/png", info: ["a": 1], source: ["b": 2], bytes: [1, 2, 3], storedAt: 1))]
        ) { bytes in
            _ = StoredImageCodec.length(Array(bytes.prefix(64)))
            guard let image = StoredImageCodec.decode(bytes, key: "k") else { return "none" }
            return "\(image.bytes.count) \(CachedSource(image) == nil)"
        },
        FuzzTarget(
            "s3 listing",
            [
                "<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>a</Key><Size>1</Size><LastModified>2026-11-21T17:28:17.000Z</LastModified></Contents><NextContinuationToken>t</NextContinuationToken></ListBucketResult>"
            ]
        ) { bytes in
            S3Listing(bytes).map { "\(min($0.objects.count, 3)) \($0.next != nil)" } ?? "none"
        },
        FuzzTarget("redis replies", ["*2\r\n$1\r\na\r\n:5\r\n", "+OK\r\n-ERR x\r\n$-1\r\n*0\r\n", "*1\r\n*1\r\n*1\r\n:9223372036854775807\r\n", ":1\r\n"]) {
            bytes in
            Loop.assumeIsolated {
                let codec = RedisCodec()
                var replies = 0
                let trouble = bytes.withUnsafeBytes { codec.parse($0) { _ in replies += 1 } }
                return "\(min(replies, 5)) \(trouble ?? "")"
            }
        },
        FuzzTarget("content coding", [gzip, Array(gzip.dropFirst(10).dropLast(8))]) { bytes in
            guard let decoder = ContentDecoder(bytes.count % 2 == 0 ? "gzip" : "deflate") else { return "none" }
            var length = 0
            let taken = bytes.withUnsafeBytes {
                decoder.take($0) { part in
                    length += part.count; return length > 1 << 20 ? 0 : part.count
                }
            }
            return "\(taken.signum()) \(length > 0)"
        },
        FuzzTarget("format", ["<svg xmlns=\"x\">", "<!--c--><html>", "GIF89a", "RIFF....WEBPVP8 ", "....ftypavif"]) { bytes in
            ImageSniff.of(bytes).map { "\($0)" } ?? "none"
        },
        FuzzTarget(
            "rules",
            [
                #"[{"hosts":["*.example.org"],"paths":["/admin/*"],"access":"deny"},{"hosts":["a"],"headers":{"x":"y"}}]"#,
                #"{"bases":{"a":"http://b/"},"rules":[]}"#,
            ]
        ) { bytes in
            guard let rules = try? Rules(text: text(bytes), path: "rules") else { return "none" }
            return "\(rules.count)"
        },
        FuzzTarget("settings", ["redis: redis://h\n# c\nlogLevel: info\n", "a\n", "tokenone-tokenone\n"]) { bytes in
            let file = ConfigurationFile(text: text(bytes), path: "f")
            return "\((try? AccessTokens(text: text(bytes), path: "t")) == nil) \(String(describing: file).count % 2)"
        },
    ]

    @Test(arguments: targets) @Loop func `a parser survives whatever it is given`(target: FuzzTarget) { target.run() }
}
