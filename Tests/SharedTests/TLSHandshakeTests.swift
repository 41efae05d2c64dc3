import Foundation
import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport

/// Handshakes of a TLS listener with clients of other makers: openssl, curl and Python.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct TLSHandshakeTests {
    private static let anywhere = SocketAddress.tcp(host: "127.0.0.1", port: 0)

    /// Answers each request with the names of its client: `[name name]`, `[]` for a certificate without a name, or `none`.
    @Loop private final class Site {
        let folder: TemporaryFolder
        let tls: TestTLS
        let connectionLimiter: ConnectionLimiter
        let server: HTTPServer
        var address: SocketAddress { server.address }

        init(clients: TLSClients? = nil, patience: Duration = .seconds(10), limits: ConnectionLimits = .usual) async throws {
            folder = try TemporaryFolder("tls")
            tls = try await TestTLS.make(folder, clients: clients, patience: patience)
            connectionLimiter = ConnectionLimiter(limits)
            server = try HTTPServer(anywhere, over: tls.server, maxBody: 1 << 20, connectionLimiter: connectionLimiter) { exchange in
                exchange.respond(200, body: Array((exchange.peer.certificate.map { "[\($0.inOrder.joined(separator: " "))]" } ?? "none").utf8))
            }
        }

        var port: UInt16 { if case .tcp(_, let port) = address { port } else { 0 } }

        /// Returns the exit status of curl, and the body.
        func curl(_ options: [String], host: String = "127.0.0.1") async throws -> (status: Int32, body: String) {
            let words = ["-s", "--noproxy", "*", "--max-time", "20"] + options + ["https://\(host):\(port)/"]
            let child = try ChildProcess("curl", words)
            return (await child.finished(), child.output)
        }

        /// Shows a certificate of the folder to the server.
        func curl(showing name: String) async throws -> (status: Int32, body: String) { try await curl(trusted + pair(name)) }

        func pair(_ name: String) -> [String] { ["--cert", "\(folder.path)/\(name).pem", "--key", "\(folder.path)/\(name).key"] }
        var trusted: [String] { ["--cacert", folder.path + "/ca.pem"] }

        func openssl(_ options: [String]) async throws -> (status: Int32, output: String) {
            let child = try ChildProcess("openssl", ["s_client", "-connect", "\(address)", "-CAfile", folder.path + "/ca.pem"] + options)
            return (await child.finished(), child.output + child.errors)
        }

        /// Waits until so many handshakes have ended in a way.
        func until(_ outcome: TLSOutcome, _ count: Int = 1) async throws {
            try await Gate.until("\(outcome) is counted \(count) times") { tls.count(outcome) == count && tls.server.pending == 0 }
        }
    }

    @Test @Loop func `openssl, curl and Python are served, and nobody without TLS`() async throws {
        let site = try await Site()
        #expect(try await site.curl(site.trusted) == (0, "none"))
        #expect(try await site.curl(site.trusted, host: "localhost") == (0, "none"))
        for version in ["-tls1_2", "-tls1_3"] {
            let seen = try await site.openssl([version, "-brief", "-verify_return_error", "-verify_ip", "127.0.0.1"])
            #expect(seen.status == 0 && seen.output.contains("Verification: OK"), "\(seen)")
        }
        let script = """
            import socket, ssl, sys
            context = ssl.create_default_context(cafile=sys.argv[1])
            with context.wrap_socket(socket.create_connection(("127.0.0.1", int(sys.argv[2]))), server_hostname="localhost") as s:
                s.sendall(b"GET / HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n")
                answer = b""
                while True:
                    piece = s.recv(4096)
                    if not piece: break
                    answer += piece
            print(answer.decode().split("\\r\\n\\r\\n")[1])
            """
        let python = try ChildProcess("python3", ["-c", script, site.folder.path + "/ca.pem", "\(site.port)"])
        #expect(await python.finished() == 0 && python.output == "none\n", "\(python.errors)")
        try await site.until(.succeeded, 5)
        // A request in plain text.
        let plain = try RawClient(site.address)
        plain.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(!String(decoding: await plain.untilClosed(), as: UTF8.self).contains("HTTP/"))
        try await site.until(.failed)
        site.server.close()
    }

    @Test @Loop func `old versions and renegotiation are refused, and no session is taken up again`() async throws {
        let site = try await Site()
        // The client's own rules would forbid old versions first.
        let old = try await site.openssl(["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"])
        #expect(old.status != 0 && old.output.contains(" alert "), "\(old)")
        try await site.until(.failed)
        let again = try await site.openssl(["-tls1_2", "-reconnect"])
        #expect(again.status == 0 && !again.output.contains("Reused, TLS") && again.output.contains("New, TLS"), "\(again.output.suffix(500))")
        // Its standard input stays open until openssl has ended by itself.
        let script = """
            import subprocess, sys
            child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            child.stdin.write(b"R\\n")
            child.stdin.flush()
            print(child.stdout.read().decode())
            """
        let command = try ChildProcess(
            "python3", ["-c", script, "openssl", "s_client", "-tls1_2", "-connect", "\(site.address)", "-CAfile", site.folder.path + "/ca.pem"])
        _ = await command.finished()
        #expect(command.output.contains("RENEGOTIATING") && command.output.contains("no renegotiation"), "\(command.output.suffix(500)) \(command.errors)")
        site.server.close()
    }

    /// Otherwise a client with Nagle's algorithm would hold its first request back for 40 ms.
    @Test @Loop func `the end of a handshake is acknowledged at once`() async throws {
        let folder = try TemporaryFolder("tls")
        let tls = try await TestTLS.make(folder)
        let accepted = OneShot<(ByteStream, Bool)>()
        let listener = try Listener(Self.anywhere, over: tls.server) {
            accepted.complete(.success(($0, TCPOption.promptAcknowledgement.isSet(on: $0.descriptor))))
        }
        let client = try await ByteStream.connect(listener.address, over: tls.client, timeout: .seconds(10))
        let (stream, isPrompt) = try await accepted.wait()
        #expect(isPrompt)
        client.close()
        stream.close()
        listener.close()
    }

    @Test @Loop func `a client that distrusts the certificate, or wants another name, gets nothing`() async throws {
        let site = try await Site()
        let other = try TemporaryFolder("tls")
        try await TestAuthority.make(in: other.path)
        #expect(try await site.curl(["--cacert", other.path + "/ca.pem"]).status == 60)
        #expect(try await site.curl(site.trusted + ["--resolve", "example.org:\(site.port):127.0.0.1"], host: "example.org").status == 60)
        for name in ["127.0.0.1", "localhost"] {
            try await ByteStream.connect(.tcp(host: name, port: site.port), over: site.tls.client, timeout: .seconds(10)).close()
        }
        let stranger = TLSClient(try TLSContext(TLSClientFiles(authorities: other.path + "/ca.pem")))
        await #expect(
            performing: { try await ByteStream.connect(site.address, over: stranger, timeout: .seconds(10)) },
            throws: {
                "\($0)".contains("certificate verify failed")
            })
        site.server.close()
    }

    @Test @Loop func `our client names the flaw of a certificate`() async throws {
        let folder = try TemporaryFolder("tls")
        try await TestAuthority.make(in: folder.path)
        for (names, days, flaw) in [("DNS:example.org", 2, "IP address mismatch"), ("IP:127.0.0.1", -1, "certificate has expired")] {
            try await TestAuthority.issue("cert", key: "key.pem", names: names, days: days, in: folder.path)
            let tls = try TestTLS(folder.path)
            let listener = try Listener(Self.anywhere, over: tls.server) { $0.close() }
            await #expect(
                performing: { try await ByteStream.connect(listener.address, over: tls.client, timeout: .seconds(10)) },
                throws: {
                    "\($0)".contains("certificate verify failed: \(flaw)")
                })
            listener.close()
        }
    }

    @Test @Loop func `a client is known by all plain names of its certificate, URIs first`() async throws {
        let site = try await Site(clients: .required)
        let hosts: [String] = (1...70).map { "h\($0).example" }
        let many: String = hosts.map { "DNS:" + $0 }.joined(separator: ",")
        let read: String = hosts.prefix(64).joined(separator: " ")
        for (names, expected) in [
            ("DNS:a.example,URI:spiffe://team/one,URI:spiffe://team/two", "[spiffe://team/one spiffe://team/two a.example]"),
            ("DNS:b.example,DNS:a.example", "[b.example a.example]"), ("IP:10.0.0.1,email:a@example.org", "[]"), (nil, "[]"),
            // The kind counts, not the text.
            ("DNS:spiffe://team/one,DNS:c.example", "[c.example]"), ("URI:a.example,DNS:*.c_d-e.example", "[*.c_d-e.example]"),
            // No more than 64 names are read.
            (many, "[\(read)]"),
            // Names that could be read in two ways are passed over.
            ("URI:a b,DNS:c.example", "[c.example]"), ("URI:urn:\(String(repeating: "x", count: 300)),DNS:d.example", "[d.example]"),
        ] as [(String?, String)] {
            try await TestAuthority.issue("client", names: names, in: site.folder.path)
            #expect(try await site.curl(showing: "client") == (0, expected), "\(names ?? "")")
        }
        let stream = try Listener(Self.anywhere, over: site.tls.server) { stream in
            stream.write(Array("\(stream.certificate?.inOrder.first ?? "none")\n".utf8))
            stream.closeAfterFlush()
        }
        let client = try await ByteStream.connect(stream.address, over: site.tls.client("client"), timeout: .seconds(10))
        let ended = OneShot<Void>()
        var text = ""
        client.onBytes = { text += String(decoding: $0, as: UTF8.self) }
        client.onEnd = { _ in ended.complete(.success(())) }
        try await ended.wait()
        #expect(text == "d.example\n")
        client.close()
        stream.close()
        site.server.close()
    }

    @Test(arguments: [TLSClients.optional, .required]) @Loop
    func `a certificate is required or optional, and an invalid one is refused in any case`(clients: TLSClients) async throws {
        let site = try await Site(clients: clients)
        try await TestAuthority.issue("client", names: "DNS:a.example", in: site.folder.path)
        try await TestAuthority.issue("old", names: "DNS:a.example", days: -1, in: site.folder.path)
        let other = try TemporaryFolder("tls")
        try await TestAuthority.make(in: other.path)
        #expect(try await site.curl(showing: "client") == (0, "[a.example]"))
        let without = try await site.curl(site.trusted)
        if clients == .optional { #expect(without == (0, "none")) } else { #expect(without.status != 0 && without.body.isEmpty) }
        let refused = clients == .required ? 1 : 0
        try await site.until(.certificate, refused)
        let old = try await site.curl(showing: "old")
        #expect(old.status != 0 && old.body.isEmpty)
        let foreign = try await site.curl(site.trusted + ["--cert", other.path + "/cert.pem", "--key", other.path + "/key.pem"])
        #expect(foreign.status != 0 && foreign.body.isEmpty)
        try await site.until(.certificate, refused + 2)
        site.server.close()
    }

    @Test @Loop func `clients that stall are cut off, and hold no more places than others`() async throws {
        let site = try await Site(patience: .milliseconds(300), limits: ConnectionLimits(total: 20, perAddress: 20))
        let clients = try (0..<100).map { _ in try RawClient(site.address) }
        // The beginning of a record, and nothing more.
        for client in clients { client.send([0x16, 0x03, 0x01, 0x02, 0x00]) }
        try await Gate.until("handshakes have begun") { site.connectionLimiter.count > 0 || site.tls.count(.timeout) > 0 }
        #expect(site.connectionLimiter.count <= 20 && site.server.connectionCount == 0)
        for client in clients { #expect(await client.untilClosed().isEmpty) }
        try await Gate.until("all places are free") { site.connectionLimiter.count == 0 && site.tls.server.pending == 0 }
        #expect((1...100).contains(site.tls.count(.timeout)))
        #expect(try await site.curl(site.trusted) == (0, "none"))
        site.server.close()
    }

    @Test @Loop func `a client that leaves in its handshake frees its place`() async throws {
        let site = try await Site()
        let client = try RawClient(site.address)
        client.send([0x16, 0x03, 0x01])
        try await Gate.until("the handshake has begun") { site.tls.server.pending == 1 && site.connectionLimiter.count == 1 }
        client.close()
        try await site.until(.closed)
        #expect(site.connectionLimiter.count == 0)
        site.server.close()
    }

    @Test @Loop func `a handshake that ends after its listener is closed hands over nothing`() async throws {
        let folder = try TemporaryFolder("tls")
        let tls = try await TestTLS.make(folder)
        var accepted = 0
        let listener = try Listener(Self.anywhere, over: tls.server) { stream in
            accepted += 1
            stream.close()
        }
        try Data().write(to: URL(fileURLWithPath: folder.path + "/go"))
        let python = try ChildProcess(
            "python3",
            [
                "-c",
                """
                import socket, ssl, sys
                context = ssl.create_default_context(cafile=sys.argv[1])
                s = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
                print("connected", flush=True)
                while open(sys.argv[3]).read() == "": pass
                try:
                    with context.wrap_socket(s, server_hostname="localhost") as t: print("end" if t.recv(1) == b"" else "bytes")
                except (ssl.SSLError, OSError): print("end")
                """, folder.path + "/ca.pem", "\(Self.port(listener.address))", folder.path + "/go",
            ])
        try await Gate.until("the handshake has begun") { tls.server.pending == 1 }
        listener.close()
        try Data("go".utf8).write(to: URL(fileURLWithPath: folder.path + "/go"), options: .atomic)
        #expect(await python.finished() == 0 && python.output.hasSuffix("end\n"), "\(python.output) \(python.errors)")
        try await Gate.until("the handshake is over") { tls.server.pending == 0 }
        #expect(accepted == 0 && tls.count(.succeeded) == 1)
    }

    private static func port(_ address: SocketAddress) -> UInt16 { if case .tcp(_, let port) = address { port } else { 0 } }
}
