import TestSupport
import Testing

@testable import TintypeTransport

/// The limit of open connections of a listener, and the options of its sockets.
@Suite(.timeLimit(.minutes(1)), .scoped) struct ConnectionLimiterTests {
    @Test @Loop func `a room has places for so many in all, so many from one address, and gets them back`() {
        var refused: [ConnectionLimiter.Limit] = []
        let limiter = ConnectionLimiter(ConnectionLimits(total: 4, perAddress: 2)) { refused.append($0) }
        var permits = [limiter.admit("10.0.0.1"), limiter.admit("10.0.0.1")]
        #expect(limiter.admit("10.0.0.1") == nil && limiter.admit("::ffff:10.0.0.1") == nil && refused == [.address, .address])
        permits.append(limiter.admit("2001:db8::1"))
        permits.append(limiter.admit("2001:db8::ffff"))
        #expect(limiter.count == 4 && permits.allSatisfy { $0 != nil })
        #expect(limiter.admit("10.0.0.2") == nil && refused.last == .total)
        permits.removeFirst()
        #expect(limiter.count == 3 && limiter.admit("2001:db8:0:0:1::1") == nil && refused.last == .address)
        #expect(limiter.admit("10.0.0.1") != nil)
        permits = []
        #expect(limiter.count == 0)
        // Clients of a Unix socket have no address.
        let local = (0..<4).map { _ in limiter.admit("") }
        #expect(local.allSatisfy { $0 != nil } && limiter.count == 4)
    }

    @Test @Loop func `HTTP answers 503 to a connection above the limit, and serves the next after one has closed`() async throws {
        var refused = 0
        let limiter = ConnectionLimiter(ConnectionLimits(total: 10, perAddress: 2)) { _ in refused += 1 }
        let server = try HTTPServer(.tcp(host: "127.0.0.1", port: 0), maxBody: 100, connectionLimiter: limiter) { $0.respond(200, body: Array("[well]".utf8)) }
        guard case .tcp(_, let port) = server.address else { throw TestFailure("no port") }
        let request = Array("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        let clients = try [RawClient(port: port), RawClient(port: port)]
        for client in clients {
            client.send(request)
            #expect(String(decoding: await client.received { $0.last == UInt8(ascii: "]") }, as: UTF8.self).hasSuffix("[well]"))
        }
        let third = try RawClient(port: port)
        let answer = String(decoding: await third.untilClosed(), as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains("Retry-After: 1\r\n") && refused == 1, "\(answer)")
        // A client that sends first is refused too, though it may not see the reason.
        for _ in 0..<20 {
            let eager = try RawClient(port: port)
            eager.send(request)
            #expect(!String(decoding: await eager.untilClosed(), as: UTF8.self).contains("well"))
        }
        #expect(refused == 21)
        clients[0].close()
        try await Gate.until("the connection is free") { limiter.count == 1 }
        let next = try RawClient(port: port)
        next.send(request)
        #expect(String(decoding: await next.received { $0.last == UInt8(ascii: "]") }, as: UTF8.self).hasSuffix("[well]"))
        server.close()
        try await Gate.until("all connections are free") { limiter.count == 0 }
    }

    @Test @Loop func `a listener closes a connection above the limit with the reason, and accepts the next after one has closed`() async throws {
        let limiter = ConnectionLimiter(ConnectionLimits(total: 1, perAddress: 10))
        var streams: [ByteStream] = []
        let listener = try Listener(.tcp(host: "127.0.0.1", port: 0), connectionLimiter: limiter, refusal: Array("full\n".utf8)) { streams.append($0) }
        guard case .tcp(_, let port) = listener.address else { throw TestFailure("no port") }
        let first = try RawClient(port: port)
        try await Gate.until("accepted") { streams.count == 1 }
        #expect(await (try RawClient(port: port)).untilClosed() == Array("full\n".utf8))
        streams[0].close()
        _ = await first.untilClosed()
        let next = try RawClient(port: port)
        try await Gate.until("accepted") { streams.count == 2 }
        next.close()
        listener.close()
        for stream in streams { stream.close() }
        #expect(limiter.count == 0)
    }

    @Test @Loop func `a head that trickles in is answered 408, and a connection that rests between requests is not`() async throws {
        let pace = MinimumBodyRate(first: .milliseconds(300), bytesPerSecond: 100_000)
        let server = try HTTPServer(.tcp(host: "127.0.0.1", port: 0), maxBody: 100, pace: pace) { $0.respond(200, body: Array("[well]".utf8)) }
        guard case .tcp(_, let port) = server.address else { throw TestFailure("no port") }
        let request = Array("GET / HTTP/1.1\r\nHost: h\r\nX: y\r\n\r\n".utf8)
        let resting = try RawClient(port: port)
        resting.send(request)
        _ = await resting.received { $0.last == UInt8(ascii: "]") }
        let silent = try RawClient(port: port)
        // The second request of a connection, as well as the first.
        for ahead in [[], request] {
            let client = try RawClient(port: port)
            client.send(ahead + request.prefix(20))
            let trickle = Task.detached {
                while !Task.isCancelled, client.send([UInt8(ascii: "x")]) { try? await Task.sleep(for: .milliseconds(50)) }
            }
            let answers = String(decoding: await client.untilClosed(), as: UTF8.self).split(separator: "HTTP/1.1 ").map { $0.prefix(3) }
            trickle.cancel()
            #expect(answers == (ahead.isEmpty ? ["408"] : ["200", "408"]))
        }
        // More than the time for a head has passed since: between two requests, and before the first.
        for client in [resting, silent] {
            client.send(request)
            #expect(String(decoding: await client.received { $0.last == UInt8(ascii: "]") }, as: UTF8.self).hasSuffix("[well]"))
        }
        server.close()
    }

    /// Nagle's algorithm would delay the last piece of an answer by 40 ms on each kept connection.
    @Test @Loop func `every socket that is accepted or connected here sends at once`() async throws {
        let asked = OneShot<Int32>()
        let server = try HTTPServer(.tcp(host: "127.0.0.1", port: 0), maxBody: 100) { exchange in
            asked.complete(.success(exchange.descriptor))
            exchange.respond(200)
        }
        guard case .tcp(_, let port) = server.address else { throw TestFailure("no port") }
        let client = try RawClient(port: port)
        client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(TCPOption.promptSending.isSet(on: try await asked.wait()))
        let accepted = OneShot<ByteStream>()
        let listener = try Listener(.tcp(host: "127.0.0.1", port: 0)) { accepted.complete(.success($0)) }
        let connected = try await ByteStream.connect(listener.address, timeout: .seconds(10))
        #expect(TCPOption.promptSending.isSet(on: connected.descriptor))
        #expect(TCPOption.promptSending.isSet(on: try await accepted.wait().descriptor))
        listener.close()
        server.close()
    }
}

extension ConnectionLimiter {
    fileprivate func admit(_ host: String) -> ConnectionPermit? { admit(ConnectionPeer(address: host)) }
}
