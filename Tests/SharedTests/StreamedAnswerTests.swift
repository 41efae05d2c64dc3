import TestSupport
import Testing

@testable import TintypeTransport

/// Answers that are sent while they are made, over real sockets.
@Suite(.timeLimit(.minutes(1)), .scoped) struct StreamedAnswerTests {
    /// Hands every request to `produce` in a task of its own, and records the outcome.
    @Loop private final class Origin {
        let server: HTTPServer
        let scope = TaskScope()
        private let state = State()

        @Loop final class State {
            weak var exchange: HTTPExchange?
            var (closed, gone, finished) = (0, 0, 0)
        }

        init(pace: MinimumBodyRate = .usual, _ produce: @escaping @Loop (HTTPExchange) async throws -> Void) throws {
            server = try HTTPServer(.tcp(host: "127.0.0.1", port: 0), maxBody: 100, pace: pace) { [scope, state] exchange in
                state.exchange = exchange
                let task = scope.run("answer") {
                    do {
                        try await produce(exchange)
                        state.finished += 1
                    } catch {
                        state.gone += 1
                    }
                }
                exchange.onClosed = {
                    state.closed += 1
                    task.cancel()
                }
            }
        }

        var closed: Int { state.closed }
        var gone: Int { state.gone }
        var finished: Int { state.finished }
        var copied: Int { state.exchange?.pendingOutput ?? 0 }

        func ask(_ head: String, reads: Bool = true) throws -> RawClient {
            guard case .tcp(_, let port) = server.address else { throw TestFailure("no port") }
            let client = try RawClient(port: port, reads: reads)
            client.send(Array((head + "\r\n\r\n").utf8))
            return client
        }

        func stop() async {
            server.close()
            await scope.drain()
        }
    }

    private static let next = "\r\n\r\nGET /next HTTP/1.1\r\nHost: h\r\nConnection: close"

    /// Three pieces for the path `/`, and a whole answer for other paths.
    @Loop private static func threePieces(_ exchange: HTTPExchange, length: Int?) async throws {
        guard exchange.path == "/" else { return exchange.respond(200, body: Array("whole".utf8)) }
        exchange.begin(200, headers: [("X-Kind", "pieces")], length: length)
        for word in ["one,", "two,"] { try await exchange.send(Array(word.utf8)) }
        exchange.end(Array("three".utf8)[...])
    }

    static let versions: [(head: String, length: Int?, has: [String], lacks: [String], body: String)] = [
        (
            "GET / HTTP/1.1\r\nHost: h" + next, nil, ["Transfer-Encoding: chunked"], ["Content-Length: 13"],
            "\r\n\r\n4\r\none,\r\n4\r\ntwo,\r\n5\r\nthree\r\n0\r\n\r\n"
        ),
        ("GET / HTTP/1.1\r\nHost: h" + next, 13, ["Content-Length: 13"], ["Transfer-Encoding"], "\r\n\r\none,two,three"),
        ("HEAD / HTTP/1.1\r\nHost: h" + next, nil, ["X-Kind: pieces"], ["one", "Content-Length: 0"], "\r\n\r\n"),
        ("HEAD / HTTP/1.1\r\nHost: h" + next, 13, ["Content-Length: 13"], ["one"], "\r\n\r\n"),
        (
            "GET / HTTP/1.0\r\nConnection: keep-alive" + next, 13, ["Content-Length: 13", "Connection: keep-alive"], ["Transfer-Encoding"],
            "\r\n\r\none,two,three"
        ),
        ("GET / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive" + next, nil, ["Transfer-Encoding: chunked"], [], "5\r\nthree\r\n0\r\n\r\n"),
    ]

    @Test(arguments: versions) @Loop
    func `an answer in pieces is framed as its client understands, and the connection goes on`(
        head: String, length: Int?, has: [String], lacks: [String], body: String
    ) async throws {
        let origin = try Origin { try await Self.threePieces($0, length: length) }
        let text = String(decoding: await (try origin.ask(head)).untilClosed(), as: UTF8.self)
        let second = try #require(text.range(of: "HTTP/1.1 200 OK", after: 20), "\(text)")
        let (first, rest) = (text[..<second.lowerBound], text[second.lowerBound...])
        #expect(has.allSatisfy { first.contains($0) } && !lacks.contains { first.contains($0) } && first.hasSuffix(body), "\(text)")
        #expect(rest.hasSuffix("\r\n\r\nwhole"), "\(text)")
        #expect(origin.finished == 2 && origin.gone == 0 && origin.closed == 0 && origin.server.openExchanges == 0)
        await origin.stop()
    }

    @Test(arguments: ["", "\r\nConnection: keep-alive", "\r\nConnection: Keep-Alive\r\nConnection: keep-alive"]) @Loop
    func `under HTTP 1.0 a body of unknown length ends with the connection`(header: String) async throws {
        let origin = try Origin { try await Self.threePieces($0, length: nil) }
        let text = String(decoding: await (try origin.ask("GET / HTTP/1.0" + header)).untilClosed(), as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.0 200 OK\r\n") && text.hasSuffix("\r\n\r\none,two,three"), "\(text)")
        #expect(!text.contains("Content-Length") && !text.contains("Transfer-Encoding") && !text.lowercased().contains("keep-alive"), "\(text)")
        await origin.stop()
    }

    @Test @Loop func `a status without a body has none, whatever is sent`() async throws {
        let origin = try Origin { exchange in
            exchange.begin(exchange.path == "/" ? 304 : 204)
            try await exchange.send(Array("dropped".utf8))
            exchange.end(Array("too".utf8)[...])
        }
        let text = String(decoding: await (try origin.ask("GET / HTTP/1.1\r\nHost: h" + Self.next)).untilClosed(), as: UTF8.self)
        #expect(text.contains("304 Not Modified") && text.contains("204 No Content") && text.hasSuffix("\r\n\r\n"), "\(text)")
        #expect(!text.contains("dropped") && !text.contains("chunked"), "\(text)")
        await origin.stop()
    }

    @Test(.holdsLoop("the test makes and compares millions of bytes one by one")) @Loop
    func `no more than a piece is in memory for who does not read, and who reads gets every byte`() async throws {
        let body = (0..<(12 << 20)).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8) ^ ($0 >> 16)) }
        var most = 0
        let origin = try Origin { exchange in
            exchange.begin(200, length: body.count)
            for start in stride(from: 0, to: body.count, by: 3 << 20) {
                try await exchange.send(Array(body[start..<start + 3 << 20]))
            }
            exchange.end()
        }
        let client = try origin.ask("GET / HTTP/1.1\r\nHost: h\r\nConnection: close", reads: false)
        try await Gate.until("it is full") { origin.copied > 0 }
        for _ in 0..<20 {
            most = max(most, origin.copied)
            try await Loop.sleep(.milliseconds(5))
        }
        #expect(most <= 2 * HTTPExchange.piece && origin.finished == 0, "\(most)")
        client.startReading()
        let received = await client.untilClosed()
        let head = try #require(received.firstRange(of: Array("\r\n\r\n".utf8)))
        #expect(received[head.upperBound...] == body[...])
        try await Gate.until("it has ended") { origin.finished == 1 && origin.server.openExchanges == 0 }
        await origin.stop()
    }

    /// Makes a piece after each piece that was taken, for ever.
    @Loop private static func endless(_ exchange: HTTPExchange) async throws {
        exchange.begin(200)
        while true { try await exchange.send([UInt8](repeating: 7, count: 100_000)) }
    }

    @Test(arguments: [true, false]) @Loop func `a client that goes away ends the making of its answer`(isBusy: Bool) async throws {
        let origin = try Origin { exchange in
            if isBusy { return try await Self.endless(exchange) }
            exchange.begin(200)
            try await exchange.send(Array("first".utf8))
            // No data is being sent: only `onClosed` reports the end.
            try await Loop.sleep(.seconds(3600))
        }
        let client = try origin.ask("GET / HTTP/1.1\r\nHost: h", reads: !isBusy)
        if isBusy {
            try await Gate.until("it is full") { origin.copied > 0 }
        } else {
            _ = await client.received { String(decoding: $0, as: UTF8.self).contains("first") }
        }
        client.close()
        try await Gate.until("it has ended") { origin.gone == 1 && origin.closed == 1 && origin.server.openExchanges == 0 }
        await origin.stop()
    }

    @Test(.tags(.timed)) @Loop func `a client that reads pieces too slowly is disconnected, and one that waits for them is not`() async throws {
        let origin = try Origin(pace: MinimumBodyRate(first: .milliseconds(150), bytesPerSecond: 1 << 30)) { exchange in
            if exchange.path == "/endless" { return try await Self.endless(exchange) }
            exchange.begin(200)
            for _ in 0..<4 {
                try await exchange.send(Array("word,".utf8))
                // Longer than any time that a client has.
                try await Loop.sleep(.milliseconds(100))
            }
            exchange.end()
        }
        let slow = try origin.ask("GET /endless HTTP/1.1\r\nHost: h", reads: false)
        try await Gate.until("it is disconnected") { origin.gone == 1 && origin.closed == 1 && origin.server.openExchanges == 0 }
        slow.close()
        let patient = try origin.ask("GET /words HTTP/1.1\r\nHost: h\r\nConnection: close")
        #expect(String(decoding: await patient.untilClosed(), as: UTF8.self).hasSuffix("0\r\n\r\n"))
        #expect(origin.finished == 1)
        await origin.stop()
    }

    @Test @Loop func `an answer that is given up is incomplete for its client`() async throws {
        let origin = try Origin { exchange in
            exchange.begin(200)
            try await exchange.send(Array("half".utf8))
            exchange.cut()
            try await Loop.sleep(.seconds(3600))
        }
        // Pipelined data does not hide the end of the connection.
        let client = try origin.ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n" + String(repeating: "x", count: 200_000))
        let text = String(decoding: await client.untilClosed(), as: UTF8.self)
        #expect(text.hasSuffix("4\r\nhalf\r\n"), "\(text)")
        try await Gate.until("it has ended") { origin.gone == 1 && origin.server.openExchanges == 0 }
        await origin.stop()
    }

    @Test @Loop func `a server that closes waits for an answer in pieces, and no longer than allowed`() async throws {
        let go = OneShot<Void>()
        let origin = try Origin { exchange in
            if exchange.path == "/endless" { return try await Self.endless(exchange) }
            exchange.begin(200)
            try await exchange.send(Array("begun,".utf8))
            try await go.wait()
            exchange.end(Array("done".utf8)[...])
        }
        let client = try origin.ask("GET / HTTP/1.1\r\nHost: h")
        _ = await client.received { String(decoding: $0, as: UTF8.self).contains("begun") }
        async let closing: Void = origin.server.close(within: .seconds(50))
        try await Loop.sleep(.milliseconds(20))
        go.complete(.success(()))
        let text = String(decoding: await client.untilClosed(), as: UTF8.self)
        #expect(text.hasSuffix("begun,\r\n4\r\ndone\r\n0\r\n\r\n") && origin.closed == 0, "\(text)")
        await closing
        await origin.scope.drain()

        let other = try Origin { try await Self.endless($0) }
        let reader = try other.ask("GET /endless HTTP/1.1\r\nHost: h")
        _ = await reader.received { $0.count > 1 << 20 }
        await other.server.close(within: .milliseconds(50))
        #expect(!String(decoding: (await reader.untilClosed()).suffix(7), as: UTF8.self).hasSuffix("0\r\n\r\n"))
        await other.scope.drain()
        #expect(other.gone == 1 && other.closed == 1 && other.server.openExchanges == 0)
    }

    @Test func `only the time counts in which a client lets pieces wait`() {
        let (pace, start) = (MinimumBodyRate(first: .seconds(2), bytesPerSecond: 100), ContinuousClock.now)
        var progress = AnswerProgress()
        #expect(progress.patience(pace, pending: 0, at: start + .seconds(100)) == .seconds(2))
        progress.hand(300, at: start)
        #expect(progress.patience(pace, pending: 300, at: start + .seconds(1)) == .seconds(1))
        #expect(progress.patience(pace, pending: 100, at: start + .seconds(1)) == .seconds(3))
        progress.taken(at: start + .seconds(4))
        #expect(progress.patience(pace, pending: 0, at: start + .seconds(1000)) == .seconds(1))
        progress.hand(500, at: start + .seconds(1000))
        #expect(progress.patience(pace, pending: 500, at: start + .seconds(1001)) == .zero)
        #expect(progress.patience(pace, pending: 0, at: start + .seconds(1001)) == .seconds(5))
    }
}

extension String {
    /// The first place of `part` after a number of characters.
    fileprivate func range(of part: String, after count: Int) -> Range<Index>? {
        self[(index(startIndex, offsetBy: count, limitedBy: endIndex) ?? endIndex)...].firstRange(of: part)
    }
}
