import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport

@Suite(.timeLimit(.minutes(1)), .scoped) struct TransferProxyTests {
    @Test @Loop func `the proxy gets requests to other hosts, except exempt ones`() async throws {
        // In a request to a proxy, the target is the whole URL.
        let proxy = try CannedServer(["http://far.test/a": "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nfar"])
        let near = try CannedServer(["/a": "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnear"])
        let url = "http://ann:secret@127.0.0.1:\(proxy.port)"
        let policy = AddressPolicy(allowing: [AddressRange("127.0.0.0/8")!])
        let pool = TransferPool(policy: policy, proxy: TransferProxy(url, exempt: ["127.0.0.1", ".near.test"]))
        func get(_ url: String) async throws -> String {
            var body: [UInt8] = []
            _ = try await pool.run(TransferRequest(url: url), onHead: { _ in }) { bytes, _, _ in
                body += bytes
                return .proceed
            }
            return String(decoding: body, as: UTF8.self)
        }
        #expect(try await get("http://far.test/a") == "far")
        #expect(try await get(near.base + "/a") == "near")
        #expect(proxy.requests.count == 1 && proxy.requests[0].contains("Proxy-Authorization: Basic"))
        #expect(!near.requests[0].contains("Proxy-Authorization"))
        for server in [proxy, near] { server.close() }
    }

    @Test @Loop func `the proxy may have any address, but a host written as an address is checked`() async throws {
        let proxy = try CannedServer(["http://far.test/a": "HTTP/1.1 302 Found\r\nLocation: http://10.1.2.3/\r\nContent-Length: 0\r\n\r\n"])
        let pool = TransferPool(policy: AddressPolicy(), proxy: TransferProxy(proxy.base))
        for url in ["http://10.1.2.3/", "http://[::1]/", "http://2130706433/", "http://localhost/", "http://a.localhost/", "http://far.test/a"] {
            do {
                _ = try await pool.run(TransferRequest(url: url), onHead: { _ in }) { _, _, _ in .proceed }
                Issue.record("\(url) was asked for")
            } catch {
                #expect(error.name == .denied && error.details["which"] == "address", "\(url): \(error)")
            }
        }
        #expect(proxy.requests.count == 1)
        proxy.close()
    }

    @Test(arguments: ["socks5", "socks5h", "socks4"])
    @Loop func `every kind of proxy resolves the names`(scheme: String) async throws {
        let proxy = try SocksServer()
        let pool = TransferPool(policy: AddressPolicy(), proxy: TransferProxy("\(scheme)://\(proxy.place)"))
        var body: [UInt8] = []
        // Here the name means an address inside, or nothing; the proxy may know better.
        _ = try await pool.run(TransferRequest(url: "http://ip6-localhost/a"), onHead: { _ in }) { bytes, _, _ in
            body += bytes
            return .proceed
        }
        #expect(String(decoding: body, as: UTF8.self) == "far" && proxy.asked == ["ip6-localhost"])
        for url in ["http://10.1.2.3/", "http://localhost./"] {
            await #expect(throws: TintypeError.self) { _ = try await pool.run(TransferRequest(url: url), onHead: { _ in }) { _, _, _ in .proceed } }
        }
        #expect(proxy.asked.count == 1)
        proxy.close()
    }

    @Test(arguments: ["", "host:80", "ftp://h", "http://", "socks6://h"])
    func `a URL that is no proxy is refused`(text: String) { #expect(TransferProxy(text) == nil) }
}

/// A SOCKS proxy that answers in place of the requested server, and records which one that was: a name or an address.
@Loop private final class SocksServer {
    private(set) var asked: [String] = []
    private var listener: Listener?
    private var streams: [ByteStream] = []

    init() throws { listener = try Listener(SocketAddress("127.0.0.1:0")) { [unowned self] in serve($0) } }

    var place: String { listener.map { "\($0.address)" } ?? "" }

    private func serve(_ stream: ByteStream) {
        streams.append(stream)
        stream.onBytes = { [weak self, unowned stream] bytes in self?.take(Array(bytes), stream) }
    }

    /// A client sends nothing more before it has its answer, so each message arrives whole.
    private func take(_ message: [UInt8], _ stream: ByteStream) {
        switch (message[0], message[1]) {
        case (5, 1) where message.count > 3:
            asked.append(message[3] == 3 ? String(decoding: message[5..<5 + Int(message[4])], as: UTF8.self) : "an address")
            stream.write([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
        case (5, _): stream.write([5, 0])
        case (4, _):
            asked.append(message[4..<7] == [0, 0, 0] ? String(decoding: message[8...].split(separator: 0).last ?? [], as: UTF8.self) : "an address")
            stream.write([0, 0x5a, 0, 0, 0, 0, 0, 0])
        default: stream.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nfar".utf8))
        }
    }

    func close() {
        listener?.close()
        for stream in streams { stream.close() }
    }
}
