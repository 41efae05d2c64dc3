import TintypeCore
import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeQueue

/// The limits of a body before the handler gets the request.
@Suite(.timeLimit(.minutes(1)), .scoped) struct HTTPBodyTests {
    /// Accepts 1,000 bytes of requests with `Authorization: yes`, 10 bytes of others.
    @Loop private final class TestBodyLimiter: BodyLimiter {
        let known = BodyBudget(1500)
        let strangers = BodyBudget(100)
        private(set) var heads: [HTTPHead] = []

        func allowance(for head: HTTPHead, from peer: ConnectionPeer) -> (limit: Int, budget: BodyBudget) {
            heads.append(head)
            return head.authorization == "yes" ? (1000, known) : (10, strangers)
        }

        func refusal(of head: HTTPHead, from peer: ConnectionPeer, because reason: BodyRefusal) -> HTTPRefusal {
            switch reason {
            case .badHead(let flaw): HTTPRefusal(status: 400, headers: [], body: Array(flaw.utf8))
            case .tooLong(let limit): HTTPRefusal(status: 413, headers: [], body: Array("limit \(limit)".utf8))
            case .noRoom: HTTPRefusal(status: 503, headers: [("Retry-After", "1")], body: [])
            case .badBody(let flaw): HTTPRefusal(status: 400, headers: [], body: Array(flaw.utf8))
            case .tooSlow: HTTPRefusal(status: 408, headers: [], body: [])
            case .tooManyConnections: HTTPRefusal(status: 503, headers: [], body: [])
            }
        }
    }

    /// A server that answers with the length of the body, at once or on command.
    @Loop private final class Echo {
        let bodyLimiter = TestBodyLimiter()
        private(set) var server: HTTPServer?
        private(set) var waiting: [HTTPExchange] = []
        let arrivals = LoopCounter()
        var answersAtOnce = true
        /// The bytes that are sent before an answer.
        var ballast = 0
        private(set) var maxHeld = 0

        init(pace: MinimumBodyRate = .usual) throws {
            server = try HTTPServer(.tcp(host: "127.0.0.1", port: 0), maxBody: 2000, bodyLimiter: bodyLimiter, pace: pace) { [unowned self] exchange in
                waiting.append(exchange)
                arrivals.note()
                maxHeld = max(maxHeld, server?.mostHeldInput ?? 0)
                if answersAtOnce { answerAll() }
            }
        }

        func answerAll() {
            for exchange in waiting { exchange.respond(200, body: [UInt8](repeating: 46, count: ballast) + Array("[\(exchange.body.count)]".utf8)) }
            waiting = []
        }

        func client() throws -> RawClient {
            guard case .tcp(_, let port) = server?.address else { throw TestFailure("no port") }
            return try RawClient(port: port)
        }
    }

    private func head(_ length: Int?, known: Bool = false, _ more: String = "") -> [UInt8] {
        let size = length.map { "Content-Length: \($0)" } ?? "Transfer-Encoding: chunked"
        return Array("PUT /x?y HTTP/1.1\r\nHost: h\r\n\(known ? "Authorization: yes\r\n" : "")\(size)\r\n\(more)\r\n".utf8)
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test(arguments: ["", "Expect: 100-continue\r\n"]) @Loop
    func `a body that is not let in is refused by its head alone`(more: String) async throws {
        let echo = try Echo()
        for known in [false, true] {
            let client = try echo.client()
            client.send(head(1001, known: known, more))
            let answer = text(await client.untilClosed())
            #expect(answer.hasPrefix("HTTP/1.1 413 Content Too Large\r\n") && answer.hasSuffix("\r\n\r\nlimit \(known ? 1000 : 10)"), "\(answer)")
        }
        let client = try echo.client()
        client.send(head(1000, known: true, more))
        if !more.isEmpty { _ = await client.received { String(decoding: $0, as: UTF8.self).contains("100 Continue") } }
        client.send([UInt8](repeating: 1, count: 1000))
        #expect(text(await client.received { $0.last == UInt8(ascii: "]") }).hasSuffix("[1000]"))
        #expect(echo.arrivals.count == 1 && echo.bodyLimiter.known.used == 0 && echo.bodyLimiter.strangers.used == 0)
        echo.server?.close()
    }

    @Test @Loop func `a chunked body is refused when it exceeds the limit`() async throws {
        let echo = try Echo()
        let client = try echo.client()
        client.send(head(nil))
        let chunk = Array("1000\r\n".utf8) + [UInt8](repeating: 1, count: 4096) + Array("\r\n".utf8)
        // Not on the loop, which has to read the body.
        await Task.detached { for _ in 0..<64 { client.send(chunk) } }.value
        let answer = text(await client.untilClosed())
        #expect(answer.hasPrefix("HTTP/1.1 413") || answer.hasPrefix("HTTP/1.1 503"), "\(answer)")
        #expect(echo.arrivals.count == 0)
        let small = try echo.client()
        small.send(head(nil) + Array("5\r\n12345\r\n0\r\n\r\n".utf8))
        #expect(text(await small.received { $0.last == UInt8(ascii: "]") }).hasSuffix("[5]"))
        echo.server?.close()
    }

    @Test @Loop func `an announced body takes its bytes from the budget until the answer or the disconnect`() async throws {
        let echo = try Echo()
        echo.answersAtOnce = false
        let first = try echo.client()
        first.send(head(1000, known: true))
        try await Gate.until("announced") { echo.bodyLimiter.known.used == 1000 }
        let second = try echo.client()
        second.send(head(501, known: true))
        let refused = text(await second.untilClosed())
        #expect(refused.hasPrefix("HTTP/1.1 503 Service Unavailable") && refused.contains("\r\nRetry-After: 1\r\n"), "\(refused)")
        // An unauthenticated client does not affect authenticated ones, and the other way round.
        let stranger = try echo.client()
        stranger.send(head(10) + [UInt8](repeating: 1, count: 10))
        try await echo.arrivals.reaches(1)
        echo.answerAll()
        #expect(text(await stranger.received { $0.last == UInt8(ascii: "]") }).hasSuffix("[10]"))
        // The handler keeps it.
        first.send([UInt8](repeating: 1, count: 1000))
        try await echo.arrivals.reaches(2)
        #expect(echo.bodyLimiter.known.used == 1000)
        echo.answerAll()
        #expect(echo.bodyLimiter.known.used == 0)
        let third = try echo.client()
        third.send(head(1000, known: true))
        try await Gate.until("announced") { echo.bodyLimiter.known.used == 1000 }
        third.close()
        try await Gate.until("given back") { echo.bodyLimiter.known.used == 0 }
        echo.server?.close()
    }

    @Test @Loop func `a client that leaves while its request is checked keeps no budget`() async throws {
        let echo = try Echo()
        echo.answersAtOnce = false
        let client = try echo.client()
        client.send(head(1000, known: true) + [UInt8](repeating: 1, count: 1000))
        try await echo.arrivals.reaches(1)
        #expect(echo.bodyLimiter.known.used == 1000 && echo.waiting.first?.body.count == 1000)
        client.close()
        // The handler has not answered, and may take long.
        try await Gate.until("given back") { echo.bodyLimiter.known.used == 0 }
        #expect(echo.waiting.count == 1 && echo.waiting.first?.body.isEmpty == true)
        echo.answerAll()
        echo.server?.close()
    }

    @Test(arguments: [1000, nil]) @Loop func `a body that trickles in gives its room back and is answered 408`(length: Int?) async throws {
        let echo = try Echo(pace: MinimumBodyRate(first: .milliseconds(300), bytesPerSecond: 100_000))
        // A complete request is not timed, however long its answer takes.
        echo.answersAtOnce = false
        let other = try echo.client()
        other.send(head(3) + Array("abc".utf8))
        try await echo.arrivals.reaches(1)
        let client = try echo.client()
        client.send(head(length, known: true))
        // Single bytes with pauses, until the server closes the connection.
        let piece: [UInt8] = length == nil ? Array("1\r\nx\r\n".utf8) : [1]
        let trickle = Task.detached {
            while !Task.isCancelled, client.send(piece) { try? await Task.sleep(for: .milliseconds(50)) }
        }
        let answer = text(await client.untilClosed())
        trickle.cancel()
        #expect(answer.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"), "\(answer)")
        try await Gate.until("given back") { echo.bodyLimiter.known.used == 0 && echo.server?.connectionCount == 1 }
        #expect(echo.arrivals.count == 1)
        echo.answerAll()
        #expect(text(await other.received { $0.last == UInt8(ascii: "]") }).hasSuffix("[3]"))
        echo.server?.close()
    }

    @Test func `a body has a first timeout, more time for received bytes, and five minutes for the whole`() {
        let pace = MinimumBodyRate(first: .seconds(20), bytesPerSecond: 4096)
        #expect(pace == .usual)
        let cases: [(count: Int, total: Int, seconds: Int)] = [
            (0, 0, 20), (0, 100, 20), (40_960, 40_960, 30), (40_960, 1 << 20, 30), (1 << 20, 1 << 20, 276),
            // From here on the rate grows with the length.
            (2 << 20, 2 << 20, 300), (1 << 20, 2 << 20, 160), (32 << 20, 32 << 20, 300), (8 << 20, 32 << 20, 90), (64 << 20, 64 << 20, 300),
        ]
        for (count, total, seconds) in cases { #expect(pace.limit(after: count, of: total) == .seconds(seconds), "\(count) of \(total)") }
    }

    @Test @Loop func `each request of a connection is checked, however it is split, and earlier ones are answered`() async throws {
        let echo = try Echo()
        let client = try echo.client()
        let requests =
            head(3) + Array("abc".utf8) + head(7, known: true) + Array("1234567".utf8) + Array("GET / HTTP/1.1\nHost: h\n\n".utf8) + head(11)
            + Array("not taken..".utf8)
        for byte in requests { client.send([byte]) }
        let answer = text(await client.untilClosed())
        #expect(answer.contains("[3]") && answer.contains("[7]") && answer.contains("[0]") && answer.hasSuffix("limit 10"), "\(answer)")
        let whole = try echo.client()
        whole.send(requests)
        let same = text(await whole.untilClosed())
        #expect(same.contains("[3]") && same.contains("[7]") && same.contains("[0]") && same.hasSuffix("limit 10"), "\(same)")
        #expect(echo.bodyLimiter.heads.map(\.length) == [3, 7, 0, 11, 3, 7, 0, 11] && echo.bodyLimiter.heads.allSatisfy { $0.path == "/x" || $0.path == "/" })
        try await Gate.until("both forgotten") { echo.server?.connectionCount == 0 }
        echo.server?.close()
    }

    /// Some programs take such a line for the end of the head. The server may not read for ever.
    @Test(arguments: ["\0\r\n", ""]) @Loop func `a head with an unusual end is refused`(end: String) async throws {
        let echo = try Echo()
        let client = try echo.client()
        let start = head(1001, known: true).dropLast(2) + Array(end.utf8)
        // Half a megabyte without an empty line.
        _ = await Task.detached { client.send(start + [UInt8](repeating: UInt8(ascii: "x"), count: 512 << 10)) }.value
        let answer = text(await client.untilClosed())
        #expect(answer.hasPrefix("HTTP/1.1 4") && echo.arrivals.count == 0, "\(answer)")
        #expect(echo.bodyLimiter.known.used == 0)
        echo.server?.close()
    }

    @Test @Loop func `while an answer is unsent, little is read ahead`() async throws {
        let echo = try Echo()
        echo.ballast = 16 << 20
        guard case .tcp(_, let port) = echo.server?.address else { throw TestFailure("no port") }
        let client = try RawClient(port: port, reads: false)
        client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        try await echo.arrivals.reaches(1)
        echo.ballast = 0
        let rest = Array(String(repeating: "GET / HTTP/1.1\r\nHost: h\r\n\r\n", count: 10_000).utf8)
        let sending = Task.detached { client.send(rest) }
        try await Gate.until("the buffers are full") { (echo.server?.mostHeldInput ?? 0) > 32 << 10 }
        client.startReading()
        try await echo.arrivals.reaches(10_001)
        #expect(await sending.value)
        #expect(echo.maxHeld <= 128 << 10, "\(echo.maxHeld)")
        client.close()
        echo.server?.close()
    }

    @Test @Loop func `silent connections and disconnects at any moment leave nothing behind`() async throws {
        let echo = try Echo()
        for count in 0..<80 {
            let client = try echo.client()
            client.send((head(1000, known: true) + [1, 2, 3]).prefix(count))
            client.close()
        }
        try await Gate.until("all forgotten") { echo.bodyLimiter.heads.count == 8 && echo.server?.connectionCount == 0 }
        #expect(echo.bodyLimiter.known.used == 0)
        // Connections in every state when the server closes.
        let clients = try (0..<4).map { _ in try echo.client() }
        clients[1].send(head(5).dropLast(3))
        clients[2].send(head(1000, known: true) + [1])
        try await Gate.until("all there") { echo.server?.connectionCount == 4 && echo.bodyLimiter.known.used == 1000 }
        clients[3].send(head(11))
        _ = await clients[3].received { !$0.isEmpty }
        echo.server?.close()
        for client in clients { _ = await client.untilClosed() }
        #expect(echo.bodyLimiter.known.used == 0)
    }

    static let heads: [(text: String, method: String, path: String, authorization: String?, length: Int?)] = [
        ("GET / HTTP/1.1\r\n\r\n", "GET", "/", nil, 0), ("PUT /images/a?tier=disk HTTP/1.1\nCONTENT-LENGTH:  12 \n\n", "PUT", "/images/a", nil, 12),
        ("POST /rpc HTTP/1.1\r\nauthorization:Bearer a\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\n", "POST", "/rpc", "Bearer a", 7),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\nContent-Length: 5\r\n\r\n", "POST", "/", nil, nil),
        ("PUT http://h:80/images/a?x HTTP/1.1\r\n\r\n", "PUT", "/images/a", nil, 0), ("GET http://h HTTP/1.1\r\n\r\n", "GET", "/", nil, 0),
        ("PUT /a HTTP/1.1\r\nContent-Length: 9\r\n\0", "PUT", "/a", nil, 9),
        ("POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n", "POST", "/", nil, 0), ("\r\n", "", "", nil, 0), ("x\r\n:\r\nno colon\r\n\r\n", "x", "", nil, 0),
    ]

    @Test(arguments: heads)
    func `the head decides the framing of the body`(text: String, method: String, path: String, authorization: String?, length: Int?) {
        for size in [1, 2, 7, 1000] {
            var scanner = HTTPHead.Scanner()
            let bytes = Array(text.utf8)
            var end: Int?
            for start in stride(from: 0, to: bytes.count, by: size) {
                #expect(end == nil)
                let piece = bytes[start..<min(start + size, bytes.count)]
                end = scanner.take(piece).map { $0 + start }
            }
            #expect(end == bytes.count, "\(text)")
            let head = scanner.head
            #expect(head.method == method && head.path == path && head.authorization == authorization && head.length == length, "\(head)")
        }
    }
}
