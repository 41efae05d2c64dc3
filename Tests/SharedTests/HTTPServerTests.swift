import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)), .scoped) struct HTTPServerTests {
    private static let anywhere = SocketAddress.tcp(host: "127.0.0.1", port: 0)

    private func curl(_ arguments: String...) async throws -> String {
        let child = try ChildProcess("curl", ["--silent", "--show-error", "--max-time", "20"] + arguments)
        #expect(await child.finished() == 0, "curl: \(child.errors)")
        return child.output
    }

    @Test(arguments: ["GET", "POST", "PUT", "DELETE"]) @Loop
    func `every method reaches the handler with its path, query, headers and body`(method: String) async throws {
        let server = try HTTPServer(Self.anywhere, maxBody: 1 << 20) { exchange in
            let query = exchange.query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
            let answer = "\(exchange.method) \(exchange.path) \(query) \(exchange.header("x-name") ?? "-") \(String(decoding: exchange.body, as: UTF8.self))"
            exchange.respond(201, headers: [("Content-Type", "text/plain")], body: Array(answer.utf8))
        }
        let body = method == "GET" || method == "DELETE" ? "" : "the body"
        let url = "http://\(server.address)/a%20b/c?x=1%262&flag&y=a+b&x=3"
        let answer = try await curl("-X", method, "-H", "X-Name: value", "--write-out", "|%{http_code}", "--data-raw", body, url)
        #expect(answer == "\(method) /a b/c flag=,x=3,y=a b value \(body)|201")
        server.close()
    }

    @Test @Loop func `HEAD gets the headers and the length, and no body`() async throws {
        let server = try HTTPServer(Self.anywhere, maxBody: 100) { $0.respond(200, headers: [("ETag", "\"e\"")], body: Array("12345".utf8)) }
        let client = try RawClient(server.address)
        client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        await client.untilClosed()
        let answers = client.text.components(splitAt: "\r\n\r\n")
        #expect(answers.count == 3)
        #expect(answers[0].contains("Content-Length: 5") && answers[0].contains("ETag: \"e\""))
        #expect(answers[1].hasPrefix("HTTP/1.1 200 OK"))
        #expect(answers[2] == "12345")
        server.close()
    }

    @Test @Loop func `HEAD is told no length where the status has no body`() async throws {
        let server = try HTTPServer(Self.anywhere, maxBody: 100) { $0.respond(304, headers: [("ETag", "\"e\"")]) }
        let client = try RawClient(server.address)
        client.send("HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        await client.untilClosed()
        #expect(client.text.hasPrefix("HTTP/1.1 304 Not Modified") && !client.text.lowercased().contains("content-length"), "\(client.text)")
        server.close()
    }

    @Test @Loop func `too large a body or head and an unknown method are refused without the handler`() async throws {
        let calls = LoopCounter()
        let server = try HTTPServer(Self.anywhere, maxBody: 1000) { exchange in
            calls.note()
            exchange.respond(200)
        }
        let url = "http://\(server.address)/"
        let code = ["--output", "/dev/null", "--write-out", "%{http_code}"]
        #expect(try await curl(code[0], code[1], code[2], code[3], "--data-raw", String(repeating: "x", count: 1001), url) == "413")
        #expect(try await curl(code[0], code[1], code[2], code[3], "-X", "TRACE", url) == "501")
        let head = try RawClient(server.address)
        head.send("GET / HTTP/1.1\r\nHost: h\r\nX: \(String(repeating: "x", count: 40_000))\r\n\r\n")
        await head.untilClosed()
        #expect(!head.text.contains("200 OK"))
        #expect(calls.count == 0)
        #expect(try await curl(code[0], code[1], code[2], code[3], "--data-raw", String(repeating: "x", count: 1000), url) == "200")
        server.close()
    }

    /// Each is one request to some programs, and two requests, or one for another host, to others.
    nonisolated static let ambiguous = [
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\n", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: +3\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3, 3\r\n\r\nabc", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length:\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\nContent-Length: 3\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding:\tchunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length : 3\r\n\r\nabc", "GET / HTTP/1.1\r\nHost: h\r\nX: a\r\n b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nHost: g\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.2\r\n\r\n",
        "HEAD / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc", "POST / HTTP/1.1\r\nHost: h\r\n\0X: y\r\nContent-Length: 3\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chun\u{212A}ed\r\n\r\n0\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nHost:\u{301}b:c\r\n\r\n",
        "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "POST / HTTP/1.1\r\nHost: h\r\nX: a\nContent-Length: 3\r\n\r\nabc",
        "GET / HTTP/1.1\r\nHost: h\r\nX: a\rb\r\n\r\n",
    ]

    @Test(arguments: ambiguous) @Loop func `a head that may be read in two ways is refused, and the connection ends`(head: String) async throws {
        let calls = LoopCounter()
        let server = try HTTPServer(Self.anywhere, maxBody: 100) { exchange in
            calls.note()
            exchange.respond(200)
        }
        for ahead in ["", "GET /first HTTP/1.1\r\nHost: h\r\n\r\n"] {
            let client = try RawClient(server.address)
            client.send(ahead + head + "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n")
            await client.untilClosed()
            let answers = client.text.components(splitAt: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
            #expect(answers == (ahead.isEmpty ? ["400"] : ["200", "400"]), "\(client.text)")
        }
        #expect(calls.count == 1)
        server.close()
    }

    @Test(arguments: [
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc", "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nX: é\r\nContent-Length: 3\r\n\r\nabc",
        "DELETE / HTTP/1.1\nHost: h\nContent-Length: 0\n\n", "POST / HTTP/1.1\r\nHost:h\r\ntransfer-encoding:  Chunked \r\n\r\n1\r\na\r\n0\r\n\r\n",
    ])
    @Loop func `a head with one reading is accepted`(head: String) async throws {
        let server = try HTTPServer(Self.anywhere, maxBody: 100) { $0.respond(200, headers: [("Connection", "close")], body: Array("well".utf8)) }
        let client = try RawClient(server.address)
        client.send(head)
        await client.untilClosed()
        #expect(client.text.hasPrefix("HTTP/1.") && client.text.contains(" 200 ") && client.text.hasSuffix("well"), "\(client.text)")
        server.close()
    }

    /// A head of many short lines, longer than the limit.
    @Test @Loop func `nothing hides behind forty kilobytes of head`() async throws {
        let calls = LoopCounter()
        let server = try HTTPServer(Self.anywhere, maxBody: 100) { exchange in
            calls.note()
            exchange.respond(200)
        }
        let client = try RawClient(server.address)
        let filler = String(repeating: "a:\n", count: 13_650)
        client.send("POST / HTTP/1.1\nHost: h\n\(filler)Content-Length: 3\n\nabcGET /smuggled HTTP/1.1\nHost: h\n\n")
        await client.untilClosed()
        #expect(client.text.hasPrefix("HTTP/1.1 413") && calls.count == 0, "\(client.text)")
        server.close()
    }

    @Test @Loop func `pipelined requests are answered one by one, however late`() async throws {
        let scope = TaskScope()
        let server = try HTTPServer(Self.anywhere, maxBody: 100) { exchange in
            scope.run("late") {
                try? await Loop.sleep(.milliseconds(5))
                exchange.respond(200, body: Array("<\(exchange.path)>".utf8))
            }
        }
        let client = try RawClient(server.address)
        client.send((1...5).map { "GET /\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
        await client.received { String(decoding: $0, as: UTF8.self).contains("</5>") }
        let order = (1...5).map { number in client.text.components(splitAt: "</\(number)>")[0].utf8.count }
        #expect(order == order.sorted())
        #expect(server.openExchanges == 0)
        client.close()
        await scope.drain()
        server.close()
    }

    @Test @Loop func `a client that leaves while the handler works is noticed, and answering it is harmless`() async throws {
        var open: [HTTPExchange] = []
        let arrived = LoopCounter()
        let gone = OneShot<Void>()
        let server = try HTTPServer(Self.anywhere, maxBody: 100) { exchange in
            exchange.onClosed = { gone.complete(.success(())) }
            open.append(exchange)
            arrived.note()
        }
        let client = try RawClient(server.address)
        client.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        try await arrived.reaches(1)
        client.close()
        try await gone.wait()
        open[0].respond(200, body: [1, 2, 3])
        #expect(server.openExchanges == 0)
        server.close()
    }

    @Test(arguments: ["elsewhere", "in the handler", "by letting go"]) @Loop
    func `a closed server ends its open connections, and late answers are dropped`(place: String) async throws {
        var open: [HTTPExchange] = []
        let arrived = LoopCounter()
        let closed = LoopCounter()
        var server: HTTPServer?
        server = try HTTPServer(Self.anywhere, maxBody: 100) { exchange in
            exchange.onClosed = { closed.note() }
            // Longer than the buffers of the kernel, to a client that reads nothing.
            if exchange.path == "/long" { exchange.respond(200, body: [UInt8](repeating: 7, count: 32 << 20)) }
            open.append(exchange)
            arrived.note()
            if place == "in the handler", open.count == 2 { server?.close() }
        }
        let address = try #require(server?.address)
        let clients = [try RawClient(address), try RawClient(address)]
        clients[0].send("GET /plain HTTP/1.1\r\nHost: x\r\n\r\n")
        try await arrived.reaches(1)
        clients[1].send("GET /long HTTP/1.1\r\nHost: x\r\n\r\n")
        try await arrived.reaches(2)
        if place == "elsewhere" { server?.close() }
        if place == "by letting go" { server = nil }
        for client in clients { await client.untilClosed() }
        // A handler that has answered gets no notice.
        #expect(closed.count == 1)
        for exchange in open {
            exchange.respond(200, body: [1])
        }
        await #expect(throws: NetError.self) { try await ByteStream.connect(address, timeout: .seconds(5)) }
    }

    @Test @Loop func `a closing server sends a started answer to its last byte`() async throws {
        let size = 32 << 20
        let asked = OneShot<Void>()
        let server = try HTTPServer(Self.anywhere, maxBody: 100) { exchange in
            exchange.respond(200, body: [UInt8](repeating: 7, count: size))
            asked.complete(.success(()))
        }
        guard case .tcp(_, let port) = server.address else { return }
        // Longer than the buffers of the kernel: the answer stays unsent until the client reads.
        let client = try RawClient(port: port, reads: false)
        client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        try await asked.wait()
        async let closed: Void = server.close(within: .seconds(50))
        client.startReading()
        let received = await client.untilClosed()
        await closed
        let head = received.firstRange(of: Array("\r\n\r\n".utf8))
        #expect(received.count == (head?.upperBound ?? 0) + size, "\(received.count)")
        #expect(server.openExchanges == 0)
    }

    @Test @Loop func `a client that reads nothing delays a closing server no longer than allowed`() async throws {
        let asked = OneShot<Void>()
        let server = try HTTPServer(Self.anywhere, maxBody: 100) { exchange in
            exchange.respond(200, body: [UInt8](repeating: 7, count: 32 << 20))
            asked.complete(.success(()))
        }
        guard case .tcp(_, let port) = server.address else { return }
        let clients = [try RawClient(port: port, reads: false), try RawClient(port: port, reads: false)]
        for client in clients { client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n") }
        try await asked.wait()
        // One client disconnects in the middle.
        clients[1].close()
        await server.close(within: .milliseconds(50))
        #expect(server.openExchanges == 0)
    }
}

extension String {
    fileprivate func components(splitAt separator: String) -> [String] {
        var parts: [String] = []
        var part: Substring = self[...]
        while let range = part.firstRange(of: separator) {
            parts.append(String(part[..<range.lowerBound]))
            part = part[range.upperBound...]
        }
        return parts + [String(part)]
    }
}
