import Glibc
import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages

/// No spelling, name or redirect makes the service send a request to an address inside.
@Suite(.tags(.optimized), .timeLimit(.minutes(1)), .scoped) struct InwardAddressTests {
    /// `PORT` stands for the port of a server on loopback that must get no request.
    @Test(arguments: [
        "http://127.0.0.1:PORT/", "http://127.1:PORT/", "http://127.0.1:PORT/", "http://2130706433:PORT/", "http://0x7f000001:PORT/", "http://0x7f.0.0.1:PORT/",
        "http://0177.0.0.1:PORT/", "http://017700000001:PORT/", "http://0x7f.1:PORT/", "http://127.0.0.1.:PORT/", "http://0:PORT/", "http://0.0.0.0:PORT/",
        "http://127.255.255.254:PORT/", "http://%31%32%37.0.0.1:PORT/", "http://127%2e0.0.1:PORT/", "http://localhost:PORT/", "http://LOCALHOST:PORT/",
        "http://localhost.:PORT/", "http://a.localhost:PORT/", "http://ip6-localhost:PORT/", "http://[::1]:PORT/", "http://[::]:PORT/",
        "http://[0:0:0:0:0:0:0:1]:PORT/", "http://[::ffff:127.0.0.1]:PORT/", "http://[::ffff:7f00:1]:PORT/", "http://[::127.0.0.1]:PORT/",
        "http://[64:ff9b::127.0.0.1]:PORT/", "http://[64:ff9b:1::1]:PORT/", "http://[2002:7f00:1::]:PORT/", "http://[2001:0:7f00:1::]:PORT/",
        "http://[fe80::1%25lo]:PORT/", "http://[2a00:1450::5efe:127.0.0.1]:PORT/", "http://example.org@127.0.0.1:PORT/",
        "http://example.org:80@127.0.0.1:PORT/",
        "http://example.org%40@127.0.0.1:PORT/", "http://127.0.0.1:PORT\\@example.invalid/", "http://example.invalid\\@127.0.0.1:PORT/",
        "http:127.0.0.1:PORT/", "http:///127.0.0.1:PORT/", "http:////127.0.0.1:PORT/", "HTTP://127.0.0.1:PORT/", "http://127.0.0.1:PORT#@example.invalid/",
        "http://127.0.0.1:PORT?@example.invalid/", "http://１２７.０.０.１:PORT/", "http://①②⑦.⓪.⓪.①:PORT/", "http://127。0。0。1:PORT/",
        "http://127.0.0.1%00.example.invalid:PORT/",
        "gopher://127.0.0.1:PORT/", "ftp://127.0.0.1:PORT/", "file://127.0.0.1/etc/passwd", "dict://127.0.0.1:PORT/",
    ])
    @Loop func `no spelling of an address leads inside`(url: String) async throws {
        let server = try CannedServer(["/": "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ninside"])
        let error = await failure(url.replacing("PORT", with: server.port))
        #expect([.denied, .invalidURL, .dns].contains(error?.name), "\(error.map { "\($0)" } ?? "let through")")
        #expect(server.requests.isEmpty)
        server.close()
    }

    /// The address is checked when it is connected to, so an earlier meaning of the name makes no difference.
    @Test @Loop func `the machine's own name is refused if it leads inside`() async throws {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        let server = try CannedServer(["/": "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ninside"])
        for name in [host, "localhost"] {
            let error = await failure("http://\(name):\(server.port)/")
            #expect([.denied, .dns].contains(error?.name), "\(error.map { "\($0)" } ?? "let through")")
        }
        #expect(await failure("http://localhost:\(server.port)/")?.details["which"] == "address")
        #expect(server.requests.isEmpty)
        server.close()
    }

    @Test(arguments: [
        "http://127.0.0.2:PORT/", "http://[::ffff:127.0.0.2]:PORT/", "http://0x7f000002:PORT/", "//127.0.0.2:PORT/", "http://[::1]:PORT/", "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data/", "http://metadata@169.254.169.254/", "http://[fd00::1]/", "http://0xa9fea9fe/", "file:///etc/passwd",
        "gopher://127.0.0.2:PORT/", "http://100.100.100.200/", "http://[fe80::1]/",
    ])
    @Loop func `a redirect does not lead inside either`(location: String) async throws {
        let inside = try CannedServer(["/": "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ninside"])
        let target = location.replacing("PORT", with: inside.port)
        let outside = try CannedServer(["/": "HTTP/1.1 302 Found\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n"])
        // One address is outside, all others are inside.
        let pool = TransferPool(policy: AddressPolicy(allowing: [AddressRange("127.0.0.1")!]))
        let error = await failure(outside.base + "/", pool)
        #expect(error?.name == .denied, "\(error.map { "\($0)" } ?? "let through")")
        #expect(inside.requests.isEmpty && outside.requests.count == 1)
        for server in [inside, outside] { server.close() }
    }

    @Loop private func failure(_ url: String, _ pool: TransferPool = TransferPool(policy: AddressPolicy())) async -> TintypeError? {
        var request = TransferRequest(url: url)
        request.timeouts = TransferTimeouts(connect: .seconds(30), idle: .seconds(30), total: .seconds(30))
        do throws(TintypeError) {
            _ = try await pool.run(request, onHead: { _ in }) { _, _, _ in .proceed }
            return nil
        } catch {
            return error
        }
    }
}
