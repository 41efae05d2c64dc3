import Foundation
import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport

/// https through a proxy: CONNECT, with a real proxy and a real server.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct TransferTunnelTests {
    private let nginx: NginxServer

    init() async throws {
        nginx = try await NginxServer(
            """
            listen PORT ssl http2; ssl_certificate FOLDER/cert.pem; ssl_certificate_key FOLDER/key.pem;
            location /protocol { default_type text/plain; return 200 "$server_protocol $http_proxy_authorization."; }
            location /private { auth_basic "here"; auth_basic_user_file FOLDER/files/users; }
            location /inside { return 302 https://10.1.2.3/; }
            location /on { return 302 /protocol; }
            """, isTLS: true, files: ["users": Data("ann:{PLAIN}secret\n".utf8), "private": Data("for Ann".utf8)])
    }

    private static let loopback = AddressPolicy(allowing: [AddressRange("127.0.0.0/8")!])

    @Loop private func request(_ path: String) -> TransferRequest {
        var request = TransferRequest(url: "https://localhost:\(nginx.port)\(path)")
        request.tls.authorities = nginx.folder.path + "/ca.pem"
        return request
    }

    @Loop private func get(_ pool: TransferPool, _ request: TransferRequest) async throws(TintypeError) -> (status: Int, text: String) {
        var (body, status): ([UInt8], Int) = ([], 0)
        _ = try await pool.run(request, onHead: { status = $0.status }) { bytes, _, _ in
            body += bytes
            return .proceed
        }
        return (status, String(decoding: body, as: UTF8.self))
    }

    @Loop private func failure(_ pool: TransferPool, _ request: TransferRequest) async -> TintypeError? {
        do throws(TintypeError) {
            _ = try await get(pool, request)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: ["socks5", "socks5h"])
    @Loop func `a SOCKS proxy opens tunnels for authenticated users, and none to denied addresses`(scheme: String) async throws {
        let port = try FreePort.find()
        let proxy = try ChildProcess("microsocks", ["-i", "127.0.0.1", "-p", "\(port)", "-u", "ann", "-P", "hush"])
        func pool(_ password: String) -> TransferPool {
            TransferPool(policy: Self.loopback, proxy: TransferProxy("\(scheme)://ann:\(password)@127.0.0.1:\(port)"))
        }
        var answer: (status: Int, text: String)?
        try await Gate.until("it listens") {
            answer = try? await get(pool("hush"), request("/protocol"))
            return answer != nil
        }
        #expect(answer?.status == 200 && answer?.text == "HTTP/2.0 .")
        #expect(try await get(pool("hush"), request("/on")).text == "HTTP/2.0 .")
        try await Gate.until("the message says that the proxy resolves the name") { proxy.errors.contains("connected to localhost:\(nginx.port)") }
        let refused = await failure(pool("guess"), request("/protocol"))
        #expect(refused != nil && refused?.json.text.contains("guess") == false)
        #expect(await failure(pool("hush"), request("/inside"))?.name == .denied)
        proxy.signal(SIGTERM)
        await proxy.exit()
    }

    @Test @Loop func `the server is reached through the proxy with its own certificate, and never gets the proxy's user`() async throws {
        let proxy = try await TinyProxy("BasicAuth ann hush")
        let pool = TransferPool(policy: Self.loopback, proxy: TransferProxy("http://ann:hush@127.0.0.1:\(proxy.port)"))
        let answer = try await get(pool, request("/protocol"))
        #expect(answer.status == 200 && answer.text == "HTTP/2.0 .")
        #expect(try await get(pool, request("/on")).text == "HTTP/2.0 .")
        var own = request("/private")
        own.credentials = .basic(user: "ann", password: "secret")
        #expect(try await get(pool, own).text == "for Ann")
        #expect(Set(proxy.requests) == ["CONNECT localhost:\(nginx.port)"])
        var strange = request("/protocol")
        strange.tls.authorities = nil
        #expect(await failure(TransferPool(policy: Self.loopback, proxy: TransferProxy("http://ann:hush@127.0.0.1:\(proxy.port)")), strange)?.name == .tls)
        let wrong = await failure(TransferPool(policy: Self.loopback, proxy: TransferProxy("http://ann:wrong@127.0.0.1:\(proxy.port)")), request("/protocol"))
        #expect([.authFailed, .denied].contains(wrong?.name) && wrong?.details["which"] == "proxy" && wrong?.isRetryable == false, "\(wrong as Any)")
        #expect(wrong?.json.text.contains("wrong") == false)
    }

    @Test @Loop func `credentials for the server stay inside the tunnel`() async throws {
        let proxy = try CannedServer { _, stream in
            stream.write(Array("HTTP/1.1 403 Filtered\r\nContent-Length: 0\r\n\r\n".utf8))
            return .close
        }
        let pool = TransferPool(policy: Self.loopback, proxy: TransferProxy(proxy.base))
        for credentials in [TransferCredentials.bearer("hush"), .basic(user: "ann", password: "hush")] {
            var own = request("/private?token=hush")
            (own.credentials, own.headers) = (credentials, [("X-Key", "hush")])
            #expect(await failure(pool, own)?.name == .denied)
        }
        #expect(proxy.requests.count == 2)
        for head in proxy.requests {
            let words = head.lowercased()
            #expect(words.hasPrefix("connect localhost:\(nginx.port) ") && !words.contains("hush") && !words.contains("authorization"), "\(head)")
        }
        proxy.close()
    }

    @Test @Loop func `a host written as an address is checked before the proxy gets it, in redirects inside the tunnel too`() async throws {
        let proxy = try await TinyProxy()
        let strict = TransferPool(policy: AddressPolicy(), proxy: TransferProxy(proxy.url))
        let inside = [
            "localhost", "127.0.0.1", "[::1]", "2130706433", "10.1.2.3", "a.localhost", "[::ffff:10.1.2.3]", "169.254.169.254", "127.1", "0177.0.0.1",
            "127.0.0.1.", "2130706433.", "0x7f.1..", "localhost.", "A.LocalHost.", "%31%32%37.0.0.1",
        ]
        for host in inside {
            for scheme in ["https", "http"] {
                let error = await failure(strict, TransferRequest(url: "\(scheme)://\(host):\(nginx.port)/protocol"))
                #expect(error?.name == .denied && error?.details["which"] == "address", "\(host): \(error as Any)")
            }
        }
        #expect(proxy.requests == [])
        let lenient = TransferPool(policy: Self.loopback, proxy: TransferProxy(proxy.url))
        let error = await failure(lenient, request("/inside"))
        #expect(error?.name == .denied && error?.logged?.contains("10.1.2.3") == true, "\(error as Any)")
        #expect(proxy.requests == ["CONNECT localhost:\(nginx.port)"])
    }

    @Test @Loop func `a refusal of the proxy is denied, and a failure to reach the host may be retried`() async throws {
        let proxy = try await TinyProxy("ConnectPort \(nginx.port)\nConnectPort 1")
        let pool = TransferPool(policy: Self.loopback, proxy: TransferProxy(proxy.url))
        #expect(try await get(pool, request("/protocol")).status == 200)
        let refused = await failure(pool, TransferRequest(url: "https://far.test:2/"))
        #expect(refused?.name == .denied && refused?.details["which"] == "proxy" && refused?.isRetryable == false, "\(refused as Any)")
        let silent = await failure(pool, TransferRequest(url: "https://localhost:1/"))
        #expect(silent?.name == .connect && silent?.isRetryable == true, "\(silent as Any)")
    }
}
