import TestSupport
import Testing

@testable import TintypeTransport

/// One connection, byte by byte: how its input is split and how much the kernel takes must not matter.
@Suite(.timeLimit(.minutes(1)), .scoped) struct HTTPConnectionTests {
    /// Answers with the method, the path and the body. The date is fixed, so that answers can be compared.
    @Loop private static func echo(_ exchange: HTTPExchange) {
        let body = Array("<\(exchange.method) \(exchange.path) \(String(decoding: exchange.body, as: UTF8.self))>".utf8)
        exchange.respond(exchange.path == "/none" ? 404 : 200, headers: [("Date", "now")], body: body)
    }

    nonisolated static let conversation =
        "GET /a HTTP/1.1\r\nHost: h\r\n\r\nPOST /b%20c HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"
        + "PUT /none HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n2\r\nde\r\n0\r\nT: r\r\n\r\nHEAD /d HTTP/1.1\r\nHost: h\r\n\r\n"
        + "GET /e?f HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /last HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"

    @Loop private static func answers(to pieces: [ArraySlice<UInt8>], grants: [Int] = [.max]) throws -> String {
        let wire = ScriptedWire(grants: grants)
        let service = try wire.serve { echo($0) }
        for piece in pieces {
            wire.receive(piece)
            wire.drain()
        }
        #expect(service.busy == 0 && wire.isClosed && service.connections.isEmpty)
        return wire.text
    }

    @Test @Loop func `a conversation has the same answers wherever it is split, down to single bytes`() throws {
        let bytes = Array(Self.conversation.utf8)
        let whole = try Self.answers(to: [bytes[...]])
        for answer in ["<GET /a >", "<POST /b c hello>", "404 Not Found", "<PUT /none abcde>", "Content-Length: 9", "HTTP/1.0 200 OK", "<GET /last >"] {
            #expect(whole.contains(answer), "\(answer) in \(whole)")
        }
        #expect(whole.hasSuffix("<GET /last >") && !whole.contains("<HEAD"))
        for split in 1..<bytes.count {
            #expect(try Self.answers(to: [bytes[..<split], bytes[split...]]) == whole, "at \(split)")
        }
        #expect(try Self.answers(to: bytes.indices.map { bytes[$0...$0] }) == whole)
    }

    /// `EAGAIN` may come before the head, within it, between head and body, and within the body.
    @Test(arguments: [[1], [1, 0], [0, 3], [7, 0, 0, 2], [0, 100], [40, 0, 1]]) @Loop
    func `answers are the same however few bytes the kernel takes at a time`(grants: [Int]) throws {
        let bytes = Array(Self.conversation.utf8)
        #expect(try Self.answers(to: [bytes[...]], grants: grants) == Self.answers(to: [bytes[...]]))
    }

    @Test(.holdsLoop("the test makes and compares millions of bytes one by one"), arguments: [[Int.max], [100_000, 0], [1 << 20, 0, 4097]]) @Loop
    func `a long body arrives whole and in order, and nothing of it is left over`(grants: [Int]) throws {
        let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8) ^ ($0 >> 16)) }
        let wire = ScriptedWire(grants: grants)
        let service = try wire.serve { $0.respond(200, body: body[1_000...]) }
        wire.receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        wire.drain()
        let end = try #require(wire.written.firstRange(of: Array("\r\n\r\n".utf8))).upperBound
        #expect(wire.written[end...] == body[1_000...] && service.busy == 0)
        wire.end()
        #expect(wire.isClosed)
    }

    @Test @Loop func `pieces are framed the same however few bytes the kernel takes`() async throws {
        for grants in [[Int.max], [1], [0, 2], [5, 0]] {
            let wire = ScriptedWire(grants: grants)
            let done = OneShot<Void>()
            let service = try wire.serve { exchange in
                exchange.begin(200, headers: [("Date", "now")])
                exchange.send(Array("one,".utf8)[...]) { _ in
                    exchange.send(Array("two,".utf8)[...]) { _ in
                        exchange.end(Array("three".utf8)[...])
                        done.complete(.success(()))
                    }
                }
            }
            wire.receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
            while !done.isComplete {
                wire.drain()
                try await Loop.sleep(.zero)
            }
            wire.drain()
            #expect(wire.text.hasSuffix("chunked\r\n\r\n4\r\none,\r\n4\r\ntwo,\r\n5\r\nthree\r\n0\r\n\r\n") && service.busy == 0, "\(wire.text)")
            wire.end()
        }
    }

    @Test(arguments: [true, false]) @Loop func `a thousand requests in one packet are answered in order`(isLate: Bool) async throws {
        let scope = TaskScope()
        let server = try HTTPServer(.tcp(host: "127.0.0.1", port: 0), maxBody: 100) { exchange in
            let answer = { @Loop in exchange.respond(200, body: Array("<\(exchange.path)>".utf8)) }
            if isLate { scope.run("late") { answer() } } else { answer() }
        }
        let client = try RawClient(server.address)
        client.send((1...1000).map { "GET /\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
        await client.received { String(decoding: $0.suffix(8), as: UTF8.self).hasSuffix("</1000>") }
        let order = client.text.split(separator: "</").dropFirst().compactMap { Int($0.prefix { $0 != ">" }) }
        #expect(order == Array(1...1000) && server.openExchanges == 0)
        client.close()
        await scope.drain()
        server.close()
    }

    @Test(arguments: [100, 6 << 20]) @Loop func `a client that closes its sending side gets the whole answer`(size: Int) async throws {
        let server = try HTTPServer(.tcp(host: "127.0.0.1", port: 0), maxBody: 100) { $0.respond(200, body: [UInt8](repeating: 7, count: size)) }
        let client = try RawClient(server.address)
        client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n")
        client.finishSending()
        let received = await client.untilClosed()
        #expect((2 * size..<2 * size + 400).contains(received.count) && received.suffix(100).allSatisfy { $0 == 7 }, "\(received.count)")
        try await Gate.until("the connection is closed") { server.connectionCount == 0 }
        server.close()
    }

    @Test @Loop func `a client that half-closes before its answer is begun counts as gone`() async throws {
        let gone = OneShot<Void>()
        let server = try HTTPServer(.tcp(host: "127.0.0.1", port: 0), maxBody: 100) { exchange in
            exchange.onClosed = { gone.complete(.success(())) }
        }
        let client = try RawClient(server.address)
        client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        client.finishSending()
        try await gone.wait()
        #expect(server.openExchanges == 0)
        server.close()
    }

    static let refused: [(request: String, status: String)] = [
        ("GET /\r\n\r\n", "400"), ("GET  / HTTP/1.1\r\nHost: h\r\n\r\n", "400"), ("GET / x HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        ("GET / HTTP/2.0\r\nHost: h\r\n\r\n", "400"), ("GET / HTTP/1.1x\r\nHost: h\r\n\r\n", "400"), ("\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "400"),
        ("TRACE / HTTP/1.1\r\nHost: h\r\n\r\n", "501"), ("get / HTTP/1.1\r\nHost: h\r\n\r\n", "501"),
        ("PUT / HTTP/1.1\r\nHost: h\r\nExpect: more\r\nContent-Length: 3\r\n\r\n", "417"),
        ("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n\r\n", "413"),
        ("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 999999999999999999\r\n\r\n", "413"),
    ]

    @Test(arguments: refused) @Loop func `a request that is not served ends its connection after the reason`(request: String, status: String) throws {
        let wire = ScriptedWire()
        let service = try wire.serve { Self.echo($0) }
        wire.receive((request + "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n").utf8)
        #expect(wire.text.hasPrefix("HTTP/1.1 \(status) ") && !wire.text.contains("smuggled") && wire.hasEndedSending, "\(wire.text)")
        wire.receive("GET /later HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        #expect(!wire.text.contains("later") && !wire.isClosed)
        wire.end()
        #expect(wire.isClosed && service.connections.isEmpty)
    }

    @Test @Loop func `a body of exactly the limit is accepted, and the connection goes on`() throws {
        let wire = ScriptedWire()
        _ = try wire.serve { Self.echo($0) }
        let body = String(repeating: "x", count: 1000)
        wire.receive("PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n\(body)".utf8)
        wire.receive("PUT /b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n\(body)\r\n0\r\n\r\n".utf8)
        #expect(wire.text.contains("<PUT /a \(body)>") && wire.text.contains("<PUT /b \(body)>"))
        wire.end()
    }

    @Test @Loop func `a client that waits for leave to send its body gets it, and one that does not wait is not told`() throws {
        let head = "PUT /a HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n"
        for (first, isTold) in [(head, true), (head + "a", false)] {
            let wire = ScriptedWire(grants: [4, 0])
            _ = try wire.serve { Self.echo($0) }
            wire.receive(first.utf8)
            wire.receive((head + "ab").utf8.suffix(head.utf8.count + 2 - first.utf8.count))
            wire.drain()
            #expect(wire.text.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK") == isTold && wire.text.hasSuffix("<PUT /a ab>"), "\(wire.text)")
            wire.end()
        }
    }

    @Test @Loop func `no header of a handler becomes two`() throws {
        let wire = ScriptedWire()
        _ = try wire.serve { $0.respond(200, headers: [("X-A", "b\r\nX-C: d"), ("X\nY", "z"), ("X-Good", "e")]) }
        wire.receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        #expect(wire.text.contains("X-Good: e\r\n") && !wire.text.contains("X-C") && !wire.text.contains("X-A") && !wire.text.contains("Y: z"))
        wire.end()
    }

    @Test func `dates are written as HTTP writes them`() {
        #expect(AnswerDate.text(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT" && AnswerDate.text(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
    }
}
