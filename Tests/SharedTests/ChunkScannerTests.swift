import TestSupport
import Testing

@testable import TintypeTransport

/// The framing of chunked bodies.
@Suite(.timeLimit(.minutes(1)), .scoped) struct ChunkScannerTests {
    static let sound: [(text: String, body: String)] = [
        ("0\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"),
        ("A\r\n0123456789\r\n00a\r\n0123456789\r\n000\r\n\r\n", "01234567890123456789"),
        ("2;ext\r\nab\r\n0;a=\"b c\";d\r\n\r\n", "ab"), ("2;\r\nab\r\n0\r\n\r\n", "ab"),
        ("2\r\n\r\n\r\n0\r\nHost: evil\r\nX: y\r\n\r\n", "\r\n"),
    ]

    /// Reads a text in pieces of `size` bytes.
    /// - Returns: the scanner, the body, and the number of bytes that were taken.
    static func scan(_ bytes: [UInt8], by size: Int) -> (scanner: ChunkScanner, body: [UInt8], taken: Int) {
        var (scanner, body, taken) = (ChunkScanner(), [UInt8](), 0)
        for start in stride(from: 0, to: bytes.count, by: size) {
            taken += bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { scanner.take($0, into: &body) }
        }
        return (scanner, body, taken)
    }

    /// The whole body, and the body split at every position.
    private func scan(_ text: String, by size: Int) -> (scanner: ChunkScanner, body: String, taken: Int) {
        let end = Self.scan(Array(text.utf8), by: size)
        return (end.scanner, String(decoding: end.body, as: UTF8.self), end.taken)
    }

    @Test(arguments: sound) func `valid chunks lose their framing, extensions and trailers`(text: String, body: String) {
        for size in 1...text.utf8.count {
            let end = scan(text, by: size)
            #expect(end.scanner.isComplete && end.scanner.flaw == nil && end.body == body && end.scanner.received == body.utf8.count, "\(size): \(end)")
            // The bytes that follow belong to the next request.
            let ahead = scan(text + "2 x\n", by: size)
            #expect(ahead.body == body && ahead.taken == text.utf8.count && ahead.scanner.flaw == nil)
        }
    }

    static let broken = [
        " 2\r\nab\r\n0\r\n\r\n", "+2\r\nab\r\n0\r\n\r\n", "-2\r\nab\r\n0\r\n\r\n", "0x2\r\nab\r\n0\r\n\r\n", "2 junk\r\nab\r\n0\r\n\r\n",
        "2 \r\nab\r\n0\r\n\r\n",
        "2 ;x\r\nab\r\n0\r\n\r\n", "2\t\r\nab\r\n0\r\n\r\n", "2\nab\r\n0\r\n\r\n", "2\r\nab\n0\r\n\r\n", "2\r\nab\r\n0\n\r\n", "2\r\nab\r\n0\r\n\n",
        "2\r\nabc\r\n0\r\n\r\n",
        "2\r\nab0\r\n\r\n", "\r\n2\r\nab\r\n0\r\n\r\n", ";x\r\n0\r\n\r\n", "g\r\n", "2\rx\nab\r\n0\r\n\r\n", "2;a\nb\r\nab\r\n0\r\n\r\n",
        "2;a\u{0}\r\nab\r\n0\r\n\r\n",
        "0\r\nX: y\nZ: w\r\n\r\n", "fffffffffffffffff\r\n", "0000000000000002\r\nab\r\n0\r\n\r\n", "2\u{301}\r\nab\r\n0\r\n\r\n",
    ]

    @Test(arguments: broken) func `invalid chunks are refused`(text: String) {
        for size in 1...text.utf8.count { #expect(scan(text, by: size).scanner.flaw != nil, "\(size)") }
    }

    @Test func `extensions and trailers have a limit, and an announced size counts before its bytes come`() {
        var scanner = ChunkScanner()
        var body: [UInt8] = []
        _ = Array("7fffffff\r\nab".utf8).withUnsafeBytes { scanner.take($0, into: &body) }
        #expect(scanner.announced == 0x7fff_ffff && scanner.received == 2 && scanner.flaw == nil)
        for text in ["0;", "0\r\n"] {
            let most = String(repeating: "x", count: ChunkScanner.mostIgnored - 1)
            #expect(scan(text + most, by: 4096).scanner.flaw == nil && scan(text + most + "xx", by: 4096).scanner.flaw != nil)
        }
    }

    /// The server around the scanner: a refused body ends its connection, and no later byte counts as a request.
    @Test(arguments: broken) @Loop func `a request with chunks beside the grammar is refused, and the connection ends`(body: String) async throws {
        let calls = LoopCounter()
        let server = try HTTPServer(.tcp(host: "127.0.0.1", port: 0), maxBody: 1000) { exchange in
            calls.note()
            exchange.respond(200)
        }
        guard case .tcp(_, let port) = server.address else { throw TestFailure("no port") }
        let first = "POST /first HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2;e\r\nab\r\n0\r\nX: y\r\n\r\n"
        let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        let client = try RawClient(port: port)
        client.send(Array((first + head + body + "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n").utf8))
        let answers = String(decoding: await client.untilClosed(), as: UTF8.self).split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
        // A size beyond all limits is too long before it is invalid.
        #expect(answers == ["200", "400"], "\(answers)")
        #expect(calls.count == 1)
        server.close()
    }

    @Test(arguments: [1, 3, 1000]) @Loop func `what a handler gets of chunks has neither extensions nor trailers`(size: Int) async throws {
        let server = try HTTPServer(.tcp(host: "127.0.0.1", port: 0), maxBody: 1000) { exchange in
            let trailer = exchange.header("X-Trailer") ?? "none"
            exchange.respond(200, body: Array("[\(String(decoding: exchange.body, as: UTF8.self)) \(trailer) \(exchange.path)]".utf8))
        }
        guard case .tcp(_, let port) = server.address else { throw TestFailure("no port") }
        let client = try RawClient(port: port)
        let request =
            "PUT /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n6\r\n\nworld\r\n0;z\r\nX-Trailer: t\r\nHost: evil\r\n\r\n"
        let bytes = Array((request + request + "GET /last HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").utf8)
        for start in stride(from: 0, to: bytes.count, by: size) { client.send(bytes[start..<min(start + size, bytes.count)]) }
        let text = String(decoding: await client.untilClosed(), as: UTF8.self)
        #expect(text.split(separator: "[hello\nworld none /x]", omittingEmptySubsequences: false).count == 3 && text.hasSuffix("[ none /last]"), "\(text)")
        server.close()
    }
}
