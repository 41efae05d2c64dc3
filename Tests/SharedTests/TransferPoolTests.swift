import Foundation
import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeQueue

/// A pool that may connect to loopback, and the two ways to use it.
@Loop
struct LoopbackTransfers {
    let pool = TransferPool(policy: AddressPolicy(allowing: [AddressRange("127.0.0.0/8")!]))

    /// The body of one transfer and its outcome.
    func get(_ request: TransferRequest) async throws(TintypeError) -> (body: [UInt8], summary: TransferSummary) {
        var body: [UInt8] = []
        let summary = try await pool.run(request, onHead: { _ in }) { bytes, _, _ in
            body += bytes
            return .proceed
        }
        return (body, summary)
    }

    /// The failure of a transfer that must fail.
    func failure(_ request: TransferRequest) async -> TintypeError? {
        do throws(TintypeError) {
            _ = try await get(request)
            return nil
        } catch {
            return error
        }
    }
}

/// A receiver that takes nothing until it is opened.
@Loop
final class GatedReceiver {
    var isOpen = false
    var body: [UInt8] = []
}

@Suite(.timeLimit(.minutes(1)), .scoped)
struct TransferPoolTests {
    @Test @Loop func `a body arrives whole, after its head and before its timings`() async throws {
        let transfers = LoopbackTransfers()
        let server = try CannedServer(["/a": "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"x\"\r\nX-Two:  spaced \r\n\r\nhello"])
        var heads: [TransferHead] = []
        var calls: [(Int64, Int64?)] = []
        let summary = try await transfers.pool.run(TransferRequest(url: server.base + "/a#part"), onHead: { heads.append($0) }) {
            calls.append(($1, $2))
            #expect(heads.count == 1)
            return .proceed
        }
        #expect(heads.first?.status == 200)
        #expect(heads.first?.header("etag") == "\"x\"")
        #expect(heads.first?.header("x-two") == "spaced")
        #expect(calls.last?.0 == 5)
        #expect(calls.last?.1 == 5)
        #expect(summary.isWhole && summary.receivedBytes == 5 && summary.redirects == 0)
        #expect(summary.head.url == server.base + "/a")
        #expect(summary.remoteAddress == "127.0.0.1")
        #expect(summary.timings.total >= summary.timings.firstByte && summary.timings.firstByte > 0)
        #expect(server.requests.first?.contains("User-Agent: Tintype/\(TintypeVersion.current)\r\n") == true)
        #expect(transfers.pool.count == 0)
        server.close()
    }

    @Test @Loop func `a chunked body has no expected length`() async throws {
        let transfers = LoopbackTransfers()
        let server = try CannedServer(["/c": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n"])
        let (body, summary) = try await transfers.get(TransferRequest(url: server.base + "/c"))
        #expect(body == Array("abcde".utf8))
        #expect(summary.head.expectedBytes == nil)
        #expect(summary.head.header("x-trailer") == nil)
        server.close()
    }

    /// 100,000 zeros in 133 bytes of gzip.
    static let zeros = [UInt8](Data(base64Encoded: zerosText)!)

    @Test @Loop func `a compressed body is counted as it is after inflation`() async throws {
        let transfers = LoopbackTransfers()
        let server = try CannedServer { _, stream in
            stream.write(Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(Self.zeros.count)\r\n\r\n".utf8) + Self.zeros)
            return .keep
        }
        let (body, summary) = try await transfers.get(TransferRequest(url: server.base))
        #expect(body == [UInt8](repeating: 0, count: 100_000))
        #expect(summary.head.expectedBytes == nil)
        var small = TransferRequest(url: server.base)
        small.maxBytes = 50_000
        let error = await transfers.failure(small)
        #expect(error?.name == .limitExceeded)
        #expect(error?.details["limit"] == "maxBytes")
        server.close()
    }

    static let plain = Data("one two three, one two three".utf8).base64EncodedString()

    struct Encoded: Sendable {
        var name = "gzip"
        var base64 = "H4sIAAAAAAACA8vPS1UoKc9XKMkoSk3VUchH5gIAy2zHrxwAAAA="
        var cut = 0
        var times = 1
        /// Whether the length is declared. Without a length, the end of the connection is the end of the body.
        var isFramed = true
        var error: ErrorName?
    }

    @Test(
        arguments: [
            Encoded(), Encoded(isFramed: false), Encoded(times: 2), Encoded(name: "x-gzip"), Encoded(cut: 46), Encoded(name: "identity, gzip"),
            Encoded(name: "deflate", base64: "y89LVSgpz1coyShKTdVRyEfmAgA="),
            Encoded(name: "deflate", base64: "eJzLz0tVKCnPVyjJKEpN1VHIR+YCAJN8CjU="),
            // Broken off in the middle, in the checksum, and in the bytes after it.
            Encoded(cut: 20, error: .connectionLost), Encoded(cut: 20, isFramed: false, error: .connectionLost),
            Encoded(cut: 1, error: .connectionLost), Encoded(cut: 1, times: 2, error: .connectionLost),
            Encoded(name: "deflate", base64: "eJzLz0tVKCnPVyjJKEpN1VHIR+YCAJN8CjU=", cut: 1, error: .connectionLost),
            Encoded(name: "gzip", base64: "bm90aGluZyBvZiB0aGUgc29ydA==", error: .connectionLost),
            Encoded(name: "br", error: .contentType), Encoded(name: "gzip, gzip", error: .contentType), Encoded(name: "zstd", error: .contentType),
            Encoded(name: "compress", error: .contentType), Encoded(name: "gzip, base64, br", error: .contentType),
            // Names that are no coding stand for none, as browsers read them.
            Encoded(name: "aws-chunked,gzip"), Encoded(name: "gzip, AWS-Chunked"), Encoded(name: "base64, gzip"),
        ] + ["base64", "utf-8", "undefined", "aws-chunked", "binary", "none", "identity", ","].map { Encoded(name: $0, base64: plain) })
    @Loop func `a compressed body is whole where its stream ends`(one: Encoded) async throws {
        let transfers = LoopbackTransfers()
        let packed = Array(repeating: [UInt8](Data(base64Encoded: one.base64)!), count: one.times).flatMap { $0 }.dropLast(one.cut)
        let server = try CannedServer { _, stream in
            let length = one.isFramed ? "Content-Length: \(packed.count)\r\n" : "Connection: close\r\n"
            stream.write(Array("HTTP/1.1 200 OK\r\nContent-Encoding: \(one.name)\r\n\(length)\r\n".utf8) + packed)
            return one.isFramed ? .keep : .close
        }
        let request = TransferRequest(url: server.base)
        if let error = one.error {
            let failure = await transfers.failure(request)
            #expect(failure?.name == error && failure?.isRetryable == (error == .connectionLost))
        } else {
            let text = packed.isEmpty ? "" : String(repeating: "one two three, one two three", count: one.times)
            #expect(String(decoding: try await transfers.get(request).body, as: UTF8.self) == text)
        }
        server.close()
    }

    @Test @Loop func `a compressed body loses nothing by pauses`() async throws {
        let transfers = LoopbackTransfers()
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(Self.zeros.count)\r\n\r\n"
        let server = try CannedServer { _, stream in
            stream.write(Array(head.utf8) + Self.zeros)
            return .keep
        }
        let (gate, scope) = (TransferGate(), TaskScope())
        var (offers, body) = (0, [UInt8]())
        let summary = try await transfers.pool.run(TransferRequest(url: server.base), gate: gate, onHead: { _ in }) { bytes, _, _ in
            offers += 1
            guard offers % 3 == 0 else {
                scope.run("open") { gate.open() }
                return .pause
            }
            body += bytes
            return .proceed
        }
        #expect(body == [UInt8](repeating: 0, count: 100_000) && summary.isWhole && offers > 9)
        await scope.drain()
        server.close()
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\nhello world\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\nhello world",
    ])
    @Loop func `a body over the limit is refused, declared or not`(answer: String) async throws {
        let transfers = LoopbackTransfers()
        let server = try CannedServer(["/": answer], then: .close)
        var request = TransferRequest(url: server.base + "/")
        request.maxBytes = 11
        let exact = try await transfers.get(request)
        #expect(exact.body.count == 11)
        request.maxBytes = 10
        let error = await transfers.failure(request)
        #expect(error?.name == .limitExceeded)
        #expect(error?.details["value"] == 11)
        #expect(error?.details["allowed"] == 10)
        server.close()
    }

    @Test(arguments: [(1000, 80), (1, 300), (150_000, 1)])
    @Loop func `a head without end is refused`(length: Int, lines: Int) async throws {
        let headers = String(repeating: "X: \(String(repeating: "y", count: length))\r\n", count: lines)
        let transfers = LoopbackTransfers()
        let server = try CannedServer(["/": "HTTP/1.1 200 OK\r\n\(headers)\r\n"])
        let error = await transfers.failure(TransferRequest(url: server.base + "/"))
        #expect(error?.name == .limitExceeded && error?.isRetryable == false)
        #expect(error?.details["limit"] == "headers")
        server.close()
    }

    @Test @Loop func `a request that is too long is not blamed on the response`() async throws {
        let transfers = LoopbackTransfers()
        let server = try CannedServer(["/": "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"])
        let error = await transfers.failure(TransferRequest(url: server.base + "/?" + String(repeating: "a", count: 1_100_000)))
        #expect(error?.name == .limitExceeded && error?.details["limit"] == "requestHead" && error?.isRetryable == false)
        #expect(server.requests.isEmpty)
        server.close()
    }

    @Test @Loop func `unused connections are closed`() async throws {
        let pool = TransferPool(policy: AddressPolicy(allowing: [AddressRange("127.0.0.0/8")!]), idleTime: .milliseconds(1))
        let server = try CannedServer(["/": "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"])
        for _ in 0..<2 {
            let summary = try await pool.run(TransferRequest(url: server.base), onHead: { _ in }) { _, _, _ in .proceed }
            #expect(summary.isWhole)
            try await server.clientLeft.wait()
        }
        #expect(server.requests.count == 2)
        server.close()
    }

    @Test(arguments: ["Content-Length: 3\r\nContent-Length: 5", "Content-Length: 5, 3", "Content-Length: 99999999999999999999999"])
    @Loop func `a response with impossible lengths fails`(lengths: String) async throws {
        let transfers = LoopbackTransfers()
        let server = try CannedServer([
            "/": "HTTP/1.1 200 OK\r\n\(lengths)\r\n\r\nhello", "/same": "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
        ])
        #expect(await transfers.failure(TransferRequest(url: server.base + "/"))?.name == .connectionLost)
        #expect(try await transfers.get(TransferRequest(url: server.base + "/same")).body == Array("hello".utf8))
        server.close()
    }

    /// The server announces more bytes, and waits until the client is gone.
    @Test(
        arguments: [
            ("302 Found\r\nLocation: /end", nil), ("404 Not Found", .httpStatus),
            ("401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\"", .limitExceeded),
            ("103 Early\r\n\r\nHTTP/1.1 302 Found\r\nLocation: /end", nil),
        ] as [(String, ErrorName?)])
    @Loop func `a body without a reader is not read to its end`(head: String, name: ErrorName?) async throws {
        let transfers = LoopbackTransfers()
        let server = try CannedServer([
            "/": "HTTP/1.1 \(head)\r\nContent-Length: 100000000\r\n\r\n" + String(repeating: "words ", count: 40_000),
            "/end": "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend",
        ])
        var request = TransferRequest(url: server.base + "/")
        request.credentials = .digest(user: "ann", password: "secret")
        request.timeouts = TransferTimeouts(connect: .seconds(10), idle: .seconds(10), total: .seconds(10))
        do throws(TintypeError) {
            let (body, _) = try await transfers.get(request)
            #expect(body == Array("end".utf8) && name == nil)
        } catch {
            #expect(error.name == name, "\(error)")
        }
        try await server.clientLeft.wait()
        server.close()
    }

    @Test(arguments: [(404, false), (429, true), (503, true), (403, false), (408, true)])
    @Loop func `another status is an error with its headers and the beginning of its body`(status: Int, retryable: Bool) async throws {
        let transfers = LoopbackTransfers()
        let body = String(repeating: "0123456789", count: 500)
        let server = try CannedServer([
            "/s?key=hidden": "HTTP/1.1 \(status) X\r\nContent-Length: 5000\r\nRetry-After: 7\r\nSet-Cookie: secret\r\nContent-Type: text/plain\r\n\r\n\(body)"
        ])
        let error = try #require(await transfers.failure(TransferRequest(url: server.base + "/s?key=hidden")))
        #expect(error.name == .httpStatus)
        #expect(error.isRetryable == retryable)
        #expect(error.details["status"] == JSON(status))
        #expect(error.details["body"]?.string == String(body.prefix(1024)))
        #expect(error.details["retryAfter"] == ([429, 503].contains(status) ? 7 : nil))
        #expect(error.details["headers"]?["content-type"] == "text/plain")
        #expect(!error.json.text.contains("secret") && !error.json.text.contains("hidden"))
        server.close()
    }

    @Test @Loop func `a loopback address is refused unless allowed, as a name, after a redirect and in disguise`() async throws {
        let server = try CannedServer([:])
        let strict = TransferPool(policy: AddressPolicy())
        for host in ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"] {
            do {
                _ = try await strict.run(TransferRequest(url: "http://\(host):\(server.port)/"), onHead: { _ in }) { _, _, _ in .proceed }
                Issue.record("\(host) was connected to")
            } catch {
                #expect(error.name == .denied, "\(host): \(error)")
                #expect(error.details["which"] == "address")
            }
        }
        // The redirecting server is allowed, the address of the redirect is not.
        let narrow = TransferPool(policy: AddressPolicy(allowing: [AddressRange("127.0.0.1")!]))
        let away = try CannedServer(["/": "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.2:\(server.port)/x\r\nContent-Length: 0\r\n\r\n"])
        do {
            _ = try await narrow.run(TransferRequest(url: away.base + "/"), onHead: { _ in }) { _, _, _ in .proceed }
            Issue.record("the redirect was followed")
        } catch {
            #expect(error.name == .denied)
            #expect(error.logged == "address 127.0.0.2 is loopback" && error.description.contains("127.0.0.2"))
            #expect(
                !error.json.text.contains("127.0.0.2") && !error.json.text.contains("loopback"), "clients learn nothing of what is inside: \(error.json.text)")
        }
        #expect(server.requests.isEmpty)
        for one in [server, away] { one.close() }
    }

    @Test(arguments: [
        ("ftp://127.0.0.1/a", ErrorName.denied), ("file:///etc/passwd", .denied), ("gopher://x/", .denied), ("/a.png", .invalidURL),
        ("http://", .invalidURL), ("", .invalidURL), ("http://a b/", .invalidURL), ("http://nope.invalid/", .dns),
    ])
    @Loop func `a failed transfer has the reason`(url: String, name: ErrorName) async {
        let transfers = LoopbackTransfers()
        #expect(await transfers.failure(TransferRequest(url: url))?.name == name)
    }

    @Test @Loop func `the environment's proxy is not asked`() async throws {
        let transfers = LoopbackTransfers()
        setenv("http_proxy", "http://127.0.0.1:1", 1)
        defer { unsetenv("http_proxy") }
        let server = try CannedServer(["/": "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"])
        #expect(try await transfers.get(TransferRequest(url: server.base + "/")).body.count == 2)
        server.close()
    }

    @Test @Loop func `an unrequested partial response is refused, unless it is the whole`() async throws {
        let transfers = LoopbackTransfers()
        let server = try CannedServer([
            "/part": "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-3/10\r\nContent-Length: 4\r\n\r\nabcd",
            "/whole": "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-3/4\r\nContent-Length: 4\r\n\r\nabcd",
        ])
        #expect(await transfers.failure(TransferRequest(url: server.base + "/part"))?.name == .httpStatus)
        #expect(try await transfers.get(TransferRequest(url: server.base + "/whole")).body.count == 4)
        server.close()
    }

    @Test @Loop func `a resumed download counts as the whole, with its first headers`() async throws {
        let transfers = LoopbackTransfers()
        let rest = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 4-9/10\r\n"
        let server = try CannedServer([
            "/bare": rest + "Content-Length: 6\r\n\r\nefghij", "/chunked": rest + "Transfer-Encoding: chunked\r\n\r\n6\r\nefghij\r\n0\r\n\r\n",
            "/short": rest + "Transfer-Encoding: chunked\r\n\r\n4\r\nefgh\r\n0\r\n\r\n",
            "/long": rest + "Transfer-Encoding: chunked\r\n\r\n8\r\nefghijkl\r\n0\r\n\r\n",
            "/none": "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */4\r\nContent-Length: 2\r\n\r\nno",
            "/unasked": "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-9/10\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n",
        ])
        func request(_ path: String, _ status: [ClosedRange<Int>]) -> TransferRequest {
            var request = TransferRequest(url: server.base + path)
            request.acceptableStatus = status
            request.resume = TransferRequest.Resume(
                offset: 4, validator: "\"a\"", total: 10, headers: [("content-type", "image/png"), ("etag", "\"a\"")])
            return request
        }
        for path in ["/bare", "/chunked"] {
            let (body, summary) = try await transfers.get(request(path, [200...200]))
            #expect(body == Array("efghij".utf8) && summary.head.status == 200 && summary.head.resumedFrom == 4 && summary.receivedBytes == 10)
            #expect(summary.head.expectedBytes == 10 && summary.head.header("content-type") == "image/png" && summary.head.header("etag") == "\"a\"")
        }
        #expect(await transfers.failure(request("/short", [200...299]))?.name == .connectionLost)
        #expect(await transfers.failure(request("/long", [200...299]))?.details["status"] == 206)
        #expect(await transfers.failure(request("/none", [200...499]))?.details["status"] == 416)
        #expect(await transfers.failure(TransferRequest(url: server.base + "/unasked"))?.name == .connectionLost)
        server.close()
    }

    @Test @Loop func `a connection is kept for the next transfer`() async throws {
        let transfers = LoopbackTransfers()
        let server = try CannedServer(["/": "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"])
        let first = try await transfers.get(TransferRequest(url: server.base + "/"))
        let second = try await transfers.get(TransferRequest(url: server.base + "/"))
        #expect(first.summary.timings.connect > 0)
        #expect(second.summary.timings.connect == 0)
        server.close()
    }
}

private let zerosText =
    "H4sIAAAAAAACA+3BMQEAAADCoPVPbQ0PoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIBXA32VEdSghgEA"
