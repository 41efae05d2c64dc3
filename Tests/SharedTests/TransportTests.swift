import Foundation
import TestSupport
import Testing

@testable import TintypeTransport

/// Streams and HTTP over TLS. Code that bypasses the bufferevent would break it.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct TransportTests {
    @Loop private func tls(_ folder: TemporaryFolder) async throws -> TestTLS { try await TestTLS.make(folder) }

    private static let anywhere = SocketAddress.tcp(host: "127.0.0.1", port: 0)

    /// All bytes from a stream.
    @Loop private final class Inbox {
        private(set) var bytes: [UInt8] = []
        private(set) var end: StreamEnd?
        private let arrivals = LoopCounter()

        init(_ stream: ByteStream) {
            stream.onBytes = { [unowned self] in
                bytes += $0
                arrivals.note()
            }
            stream.onEnd = { [unowned self] in
                end = $0
                arrivals.note()
            }
        }

        var text: String { String(decoding: bytes, as: UTF8.self) }
        func reaches(_ count: Int) async throws { while bytes.count < count, end == nil { try await arrivals.reaches(arrivals.count + 1) } }
        func reachesEnd() async throws { while end == nil { try await arrivals.reaches(arrivals.count + 1) } }
    }

    private static func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) } }

    // MARK: Streams

    @Test(.holdsLoop("the test makes and compares millions of bytes one by one")) @Loop
    func `single words and a long text come back whole`() async throws {
        let folder = try TemporaryFolder("tls")
        let tls = try await tls(folder)
        var accepted: [ByteStream] = []
        let listener = try Listener(Self.anywhere, over: tls.server) { stream in
            accepted.append(stream)
            stream.onBytes = { [unowned stream] in stream.write($0) }
        }
        let stream = try await ByteStream.connect(listener.address, over: tls.client, timeout: .seconds(10))
        let inbox = Inbox(stream)
        for count in 1...200 {
            stream.write([UInt8(count)])
            try await inbox.reaches(count)
        }
        let sent = Self.pattern(4 << 20)
        stream.write(sent)
        try await inbox.reaches(200 + sent.count)
        #expect(inbox.bytes[200...] == sent[...])
        #expect(stream.pendingOutput == 0)
        stream.close()
        listener.close()
        for stream in accepted { stream.close() }
    }

    @Test(.tags(.timed), .holdsLoop("the test makes and compares millions of bytes one by one")) @Loop
    func `a paused reader stops the writer, and loses nothing`() async throws {
        let folder = try TemporaryFolder("tls")
        let tls = try await tls(folder)
        let sent = Self.pattern(24 << 20)
        var accepted: [ByteStream] = []
        var received: [UInt8] = []
        let (paused, finished) = (OneShot<Void>(), OneShot<Void>())
        let listener = try Listener(Self.anywhere, over: tls.server) { stream in
            accepted.append(stream)
            stream.onBytes = { [unowned stream] bytes in
                received += bytes
                if paused.complete(.success(())) { stream.pauseReading() }
                if received.count == sent.count { finished.complete(.success(())) }
            }
        }
        let writer = try await ByteStream.connect(listener.address, over: tls.client, timeout: .seconds(10))
        writer.write(sent)
        try await paused.wait()
        try await Loop.sleep(.milliseconds(100))
        #expect(received.count < sent.count && writer.pendingOutput > 1 << 20 && writer.unreceivedOutput >= writer.pendingOutput)
        accepted[0].resumeReading()
        try await finished.wait()
        #expect(received == sent)
        writer.close()
        listener.close()
        accepted[0].close()
    }

    @Test(.holdsLoop("the test makes and compares millions of bytes one by one")) @Loop
    func `a clean end is reported, and a cut connection is no end`() async throws {
        let folder = try TemporaryFolder("tls")
        let tls = try await tls(folder)
        let sent = Self.pattern(3 << 20)
        let listener = try Listener(Self.anywhere, over: tls.server) { stream in
            stream.write(sent)
            stream.closeAfterFlush()
        }
        let stream = try await ByteStream.connect(listener.address, over: tls.client, timeout: .seconds(10))
        let inbox = Inbox(stream)
        try await inbox.reachesEnd()
        #expect(inbox.bytes == sent && inbox.end == .eof)
        stream.close()
        listener.close()
    }

    @Test @Loop func `a handshake with an untrusted certificate fails with the reason`() async throws {
        let (folder, other) = (try TemporaryFolder("tls"), try TemporaryFolder("tls"))
        let (tls, stranger) = (try await tls(folder), try await tls(other))
        var accepted: [ByteStream] = []
        let listener = try Listener(Self.anywhere, over: stranger.server) { accepted.append($0) }
        do {
            _ = try await ByteStream.connect(listener.address, over: tls.client, timeout: .seconds(10))
            Issue.record("connected")
        } catch {
            #expect("\(error)".contains("certificate verify failed"), "\(error)")
        }
        listener.close()
        for stream in accepted { stream.close() }
    }

    // MARK: HTTP

    /// Answers by path: `/short`, `/long`, `/pieces`; other paths get the length of the body.
    @Loop private final class Site {
        static let long = TransportTests.pattern(3 << 20)
        let server: HTTPServer
        let scope = TaskScope()

        init(_ tls: TestTLS, connectionLimiter: ConnectionLimiter? = nil, bodyLimiter: (any BodyLimiter)? = nil) throws {
            server = try HTTPServer(anywhere, over: tls.server, maxBody: 1 << 20, bodyLimiter: bodyLimiter, connectionLimiter: connectionLimiter) {
                [scope] exchange in
                switch exchange.path {
                case "/short": exchange.respond(200, body: Array("short".utf8))
                case "/long": exchange.respond(200, body: Self.long)
                case "/pieces":
                    exchange.begin(200)
                    scope.run("pieces") {
                        for start in stride(from: 0, to: Self.long.count, by: 100_000) {
                            try? await exchange.send(Array(Self.long[start..<min(start + 100_000, Self.long.count)]))
                        }
                        exchange.end()
                    }
                default: exchange.respond(200, body: Array("[\(exchange.body.count)]".utf8))
                }
            }
        }

        func ask(_ text: String, _ tls: TestTLS) async throws -> Inbox {
            let stream = try await ByteStream.connect(server.address, over: tls.client, timeout: .seconds(10))
            let inbox = Inbox(stream)
            stream.write(Array(text.utf8))
            try await inbox.reachesEnd()
            stream.close()
            return inbox
        }
    }

    private static var descriptors: Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }

    @Test(.holdsLoop("the test makes and compares millions of bytes one by one")) @Loop
    func `curl gets answers short, long and in pieces, on kept connections and under HTTP 1.0`() async throws {
        let folder = try TemporaryFolder("tls")
        let site = try Site(try await tls(folder))
        let before = Self.descriptors
        for options in [[], ["--http1.0"]] {
            let curl = ["--cacert", folder.path + "/ca.pem"] + options
            for (path, body) in [("/short", Array("short".utf8)), ("/long", Site.long), ("/pieces", Site.long)] {
                let answer = try await HTTP.get("https://\(site.server.address)\(path)", curl)
                #expect(answer.status == 200 && answer.body == Data(body), "\(path) \(options)")
            }
            let put = try await HTTP.get("https://\(site.server.address)/x", curl + ["-H", "Expect:", "-T", folder.path + "/cert.pem"])
            #expect(put.status == 200 && put.body.count > 3, "\(put.status)")
        }
        try await Gate.until("all connections are closed") { site.server.connectionCount == 0 && Self.descriptors <= before }
        site.server.close()
        await site.scope.drain()
    }

    /// Chunks with extensions are rewritten in the input of the bufferevent.
    @Test @Loop func `pipelined requests are read, and chunks lose their extensions`() async throws {
        let folder = try TemporaryFolder("tls")
        let tls = try await tls(folder)
        let site = try Site(tls)
        let chunks = "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n2;c\r\nde\r\n0\r\nX: y\r\n\r\n"
        let stream = try await ByteStream.connect(site.server.address, over: tls.client, timeout: .seconds(10))
        let inbox = Inbox(stream)
        stream.write(Array((chunks + chunks).utf8))
        while inbox.end == nil, inbox.text.components(separatedBy: "[5]").count < 3 { try await inbox.reaches(inbox.bytes.count + 1) }
        // The transport writes to the input, as before.
        stream.write(Array("GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n".utf8))
        try await inbox.reachesEnd()
        #expect(inbox.text.components(separatedBy: "HTTP/1.1 200").count == 4 && inbox.text.hasSuffix("[0]"), "\(inbox.text)")
        #expect(inbox.end == .eof)
        stream.close()
        site.server.close()
    }

    @Test @Loop func `a refusal is read to its end, and a connection above the limit is closed without an answer`() async throws {
        let folder = try TemporaryFolder("tls")
        let tls = try await tls(folder)
        let site = try Site(tls, connectionLimiter: ConnectionLimiter(ConnectionLimits(total: 1, perAddress: 1)))
        let refused = try await site.ask("GET / HTTP/1.1\r\n\r\n", tls)
        #expect(refused.text.hasPrefix("HTTP/1.1 400") && refused.text.hasSuffix("has no Host line\n") && refused.end == .eof, "\(refused.text)")
        try await Gate.until("the connection is closed") { site.server.connectionCount == 0 }
        let kept = try await ByteStream.connect(site.server.address, over: tls.client, timeout: .seconds(10))
        await #expect(throws: NetError.self) { try await ByteStream.connect(site.server.address, over: tls.client, timeout: .seconds(10)) }
        kept.close()
        site.server.close()
    }
}
