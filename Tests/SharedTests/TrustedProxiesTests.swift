import Glibc
import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport

/// Clients behind proxies: by `X-Forwarded-For` and by the PROXY protocol, and never by the word of a stranger.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct TrustedProxiesTests {
    private static func proxies(_ ranges: String..., sendHeaders: Bool = false) -> TrustedProxies {
        TrustedProxies(ranges.compactMap { AddressRange($0) }, sendHeaders: sendHeaders)
    }

    /// The proxy is 10.0.0.1; 10.0.0.0/8 and 2001:db8:1::/48 are trusted.
    static let lists: [(forwarded: String?, client: String)] = [
        (nil, "10.0.0.1"), ("", "10.0.0.1"), ("192.0.2.7", "192.0.2.7"), (" 192.0.2.7 ", "192.0.2.7"),
        // The client has claimed the first ones.
        ("198.51.100.1, 192.0.2.7", "192.0.2.7"), ("10.0.0.9, 192.0.2.7", "192.0.2.7"), ("127.0.0.1,192.0.2.7,10.1.1.1", "192.0.2.7"),
        ("192.0.2.7, 10.1.1.1, 2001:db8:1::5", "192.0.2.7"), ("10.2.2.2, 10.1.1.1", "10.2.2.2"), ("2001:db8::7", "2001:db8::7"),
        // With ports, as some proxies write them.
        ("192.0.2.7:4711", "192.0.2.7"), ("[2001:db8::7]", "2001:db8::7"), ("[2001:db8::7]:80", "2001:db8::7"), ("::ffff:192.0.2.7", "192.0.2.7"),
        ("192.0.2.7, ::ffff:10.1.1.1", "192.0.2.7"),
        // The list ends at a word that is no address. The last address before it counts.
        ("192.0.2.7, unknown", "10.0.0.1"), ("192.0.2.7, unknown, 10.1.1.1", "10.1.1.1"), ("192.0.2.7,", "10.0.0.1"), ("192.0.2.7,,10.1.1.1", "10.1.1.1"),
        ("300.1.1.1", "10.0.0.1"), ("[2001:db8::7", "2001:db8::7"), ("\"192.0.2.7\"", "10.0.0.1"), ("192.0.2.7 10.1.1.1", "10.0.0.1"),
    ]

    @Test(arguments: lists) func `the last address that is no proxy's is the client's`(forwarded: String?, client: String) {
        let proxies = Self.proxies("10.0.0.0/8", "2001:db8:1::/48")
        let found = proxies.client(of: ConnectionPeer(address: "10.0.0.1"), forwarded: forwarded)
        #expect(found.network == ConnectionPeer(address: client).network)
    }

    @Test func `a list is read from its end, so its length costs nothing`() {
        let claims = String(repeating: "10.0.0.1, ", count: 3000)
        let found = Self.proxies("10.0.0.0/8").client(of: ConnectionPeer(address: "10.0.0.1"), forwarded: claims + "192.0.2.7")
        #expect(found.address == "192.0.2.7")
    }

    @Test(arguments: [
        ("10.1.2.3", true), ("::ffff:10.1.2.3", true), ("fe80::1%eth0", true), ("11.0.0.1", false), ("::1", false), ("", false), ("unknown", false),
    ]) func `a proxy is known by its address`(address: String, isTrusted: Bool) {
        #expect(Self.proxies("10.0.0.0/8", "fe80::/64").contain(ConnectionPeer(address: address)) == isTrusted)
        #expect(!TrustedProxies.none.contain(ConnectionPeer(address: address)))
    }

    /// An IPv6 socket shows an IPv4 client as `::ffff:a.b.c.d`, so an operator may write blocks in this way.
    @Test(arguments: [
        ("::ffff:10.0.0.0/104", "10.1.2.3", true), ("::ffff:10.0.0.0/104", "::ffff:10.1.2.3", true), ("::ffff:10.0.0.0/104", "11.0.0.1", false),
        ("::ffff:10.0.0.1", "10.0.0.1", true), ("::ffff:10.0.0.1", "10.0.0.2", false), ("::ffff:0:0/96", "192.0.2.1", true), ("::ffff:0:0/96", "::1", false),
        ("::/95", "10.0.0.1", false), ("::/0", "10.0.0.1", false), ("::/0", "2001:db8::1", true), ("10.0.0.0/8", "::ffff:10.1.2.3", true),
    ]) func `blocks and peers count without the mapping into IPv6`(block: String, peer: String, isTrusted: Bool) {
        #expect(Self.proxies(block).contain(ConnectionPeer(address: peer)) == isTrusted)
    }

    // MARK: Servers

    private static let anywhere = SocketAddress.tcp(host: "127.0.0.1", port: 0)
    private static let here = proxies("127.0.0.0/8", sendHeaders: true)

    /// Returns a server that answers with the address of the client.
    @Loop private func server(_ proxies: TrustedProxies, _ limiter: ConnectionLimiter = ConnectionLimiter()) throws -> HTTPServer {
        try HTTPServer(Self.anywhere, maxBody: 100, connectionLimiter: limiter, proxies: proxies) { $0.respond(200, body: Array("[\($0.peer.address)]".utf8)) }
    }

    private func ask(_ server: SocketAddress, _ first: [UInt8] = [], _ lines: [String] = []) async throws -> String {
        let client = try RawClient(server)
        client.send(first + Array((["GET / HTTP/1.1", "Host: h"] + lines + ["", ""]).joined(separator: "\r\n").utf8))
        let answer = String(decoding: await client.received { $0.last == UInt8(ascii: "]") }, as: UTF8.self)
        return answer.split(separator: "\r\n").last.map(String.init) ?? ""
    }

    @Test @Loop func `X-Forwarded-For counts for each request of a trusted proxy, and of nobody else`() async throws {
        let (trusting, other) = (try server(Self.proxies("127.0.0.1")), try server(Self.proxies("10.0.0.0/8")))
        #expect(try await ask(trusting.address, [], ["X-Forwarded-For: 192.0.2.7"]) == "[192.0.2.7]")
        #expect(try await ask(trusting.address, [], ["X-Forwarded-For: 192.0.2.7", "x-forwarded-for: 192.0.2.8"]) == "[192.0.2.8]")
        #expect(try await ask(trusting.address) == "[127.0.0.1]")
        #expect(try await ask(other.address, [], ["X-Forwarded-For: 192.0.2.7"]) == "[127.0.0.1]")
        // Several clients on one connection.
        let shared = try RawClient(trusting.address)
        for number in 1...3 {
            shared.send("GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 192.0.2.\(number)\r\n\r\n")
            #expect(String(decoding: await shared.received { $0.count { $0 == UInt8(ascii: "]") } == number }, as: UTF8.self).hasSuffix("[192.0.2.\(number)]"))
        }
        trusting.close()
        other.close()
    }

    @Test @Loop func `a header of a trusted proxy names the client of its connection, and one of a stranger is a wrong request`() async throws {
        let (trusting, other) = (try server(Self.here), try server(Self.proxies("10.0.0.0/8", sendHeaders: true)))
        for (bytes, client) in ProxyHeaderTests.sound {
            let host = try client.map { ConnectionPeer(try SocketAddress($0)).address } ?? "127.0.0.1"
            #expect(try await ask(trusting.address, bytes) == "[\(host)]")
        }
        // A client that the header names is not believed about others; a proxy that speaks for itself is.
        #expect(try await ask(trusting.address, ProxyHeaderTests.sound[0].bytes, ["X-Forwarded-For: 203.0.113.5"]) == "[192.0.2.1]")
        #expect(try await ask(trusting.address, Array("PROXY UNKNOWN\r\n".utf8), ["X-Forwarded-For: 203.0.113.5"]) == "[203.0.113.5]")
        #expect(try await ask(other.address) == "[127.0.0.1]")
        #expect(try await ask(other.address, ProxyHeaderTests.sound[0].bytes).hasPrefix("the request's head"))
        trusting.close()
        other.close()
    }

    @Test @Loop func `a trusted proxy that sends no sound header is closed, counted, and leaves no place behind`() async throws {
        var refused: [ConnectionLimiter.Limit] = []
        let limiter = ConnectionLimiter(ConnectionLimits(total: 3, perAddress: 1)) { refused.append($0) }
        let server = try server(Self.here, limiter)
        for bytes in [Array("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8), ProxyHeaderTests.broken[4], [0x16, 3, 1]] {
            let client = try RawClient(server.address)
            client.send(bytes)
            #expect(await client.untilClosed().isEmpty)
        }
        #expect(refused == [.header, .header, .header])
        // A load balancer that only looks whether the port is open.
        let probe = try RawClient(server.address)
        try await Gate.until("the probe is there") { limiter.count == 1 }
        probe.close()
        try await Gate.until("the places are free") { limiter.count == 0 }
        #expect(refused.count == 3)
        server.close()
    }

    @Test @Loop func `connections count by the client that the header names, and the proxy's own have only the limit of all`() async throws {
        var refused: [ConnectionLimiter.Limit] = []
        let limiter = ConnectionLimiter(ConnectionLimits(total: 4, perAddress: 1)) { refused.append($0) }
        let server = try server(Self.here, limiter)
        func client(_ header: String) async throws -> RawClient {
            let client = try RawClient(server.address)
            client.send(header + "\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n")
            await client.received { $0.last == UInt8(ascii: "]") }
            return client
        }
        let open = [try await client("PROXY TCP4 192.0.2.1 10.0.0.1 1 2"), try await client("PROXY UNKNOWN"), try await client("PROXY UNKNOWN")]
        #expect(open.allSatisfy { $0.text.hasPrefix("HTTP/1.1 200") } && limiter.count == 3)
        #expect(try await client("PROXY TCP4 192.0.2.1 10.0.0.1 1 2").text.hasPrefix("HTTP/1.1 503") && refused == [.address])
        try await Gate.until("the refused one has left") { limiter.count == 3 }
        let other = try await client("PROXY TCP4 192.0.2.2 10.0.0.1 1 2")
        #expect(other.text.hasPrefix("HTTP/1.1 200") && limiter.count == 4)
        #expect(try await client("PROXY TCP4 192.0.2.3 10.0.0.1 1 2").text.hasPrefix("HTTP/1.1 503") && refused == [.address, .total])
        server.close()
        try await Gate.until("the places are free") { limiter.count == 0 }
    }

    @Test @Loop func `streams have the client's name, also behind a header that comes in pieces, and under TLS`() async throws {
        let folder = try TemporaryFolder("proxy")
        let tls = try await TestTLS.make(folder)
        var peers: [String] = []
        let plain = try Listener(Self.anywhere, proxies: Self.here) { stream in
            peers.append(stream.peer)
            stream.onBytes = { [unowned stream] in stream.write($0) }
            stream.onEnd = { _ in stream.close() }
        }
        let client = try RawClient(plain.address)
        for byte in ProxyHeaderTests.sound[0].bytes { client.send([byte]) }
        client.send("hello]")
        #expect(String(decoding: await client.received { $0.last == UInt8(ascii: "]") }, as: UTF8.self) == "hello]")
        #expect(peers == ["192.0.2.1:56324"])
        client.close()
        plain.close()

        let secured = try Listener(Self.anywhere, over: tls.server, proxies: Self.here) { stream in
            peers.append(stream.peer)
            stream.close()
        }
        guard case .tcp(_, let port) = secured.address else { throw TestFailure("no port") }
        let proxy = try RawClient(port: port)
        proxy.send(ProxyHeaderTests.sound[4].bytes)
        try await Gate.until("the handshake begins behind the header") { tls.server.pending == 1 }
        proxy.close()
        try await Gate.until("the handshake is over") { tls.server.pending == 0 }
        #expect(tls.count(.closed) == 1 && peers.count == 1)
        secured.close()
    }

    @Test @Loop func `a header that does not arrive in time ends its connection`() async throws {
        var sockets: (Int32, Int32) = (0, 0)
        withUnsafeMutablePointer(to: &sockets) { pointer in
            _ = pointer.withMemoryRebound(to: Int32.self, capacity: 2) { socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, $0) }
        }
        defer { close(sockets.1) }
        let heard = OneShot<ProxyHeader.Reading?>()
        let hearing = ProxyHearing(sockets.0, within: .milliseconds(1)) { heard.complete(.success($1)) }
        #expect(try await heard.wait() == .broken("did not arrive in time"))
        var byte: UInt8 = 0
        #expect(recv(sockets.1, &byte, 1, 0) == 0)
        _ = hearing
    }
}
