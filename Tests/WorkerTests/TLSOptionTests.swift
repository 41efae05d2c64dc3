import Foundation
import TintypeContracts
import TintypeCore
import TintypeTransport
import TintypeImages
import TestSupport
import Testing

@testable import Worker

/// TLS, HTTP/2 and compression against nginx.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct TLSOptionTests {
    private static let text = Data(String(repeating: "the same words again and again. ", count: 4000).utf8)

    @Loop private func server(alsoShowing stranger: String? = nil) async throws -> NginxServer {
        try await NginxServer(
            """
            listen PORT ssl http2; ssl_certificate FOLDER/cert.pem; ssl_certificate_key FOLDER/key.pem;
            gzip on; gzip_types text/plain; gzip_min_length 1;
            location /protocol { default_type text/plain; return 200 "$server_protocol"; }
            location /down { return 302 http://localhost:$arg_port/picture.png; }
            location /private { auth_basic "here"; auth_basic_user_file FOLDER/files/users; }
            """, isTLS: true, alsoShowing: stranger,
            files: ["words.txt": Self.text, "users": Data("ann:{PLAIN}secret\n".utf8), "private": Data("for Ann".utf8)])
    }

    @Test @Loop func `a configured authority is trusted, an unknown one is not`() async throws {
        let (h, nginx) = (try await WorkerHarness(), try await server())
        var policy = DownloadPolicy()
        #expect(await h.failure("https://localhost:\(nginx.port)/protocol", under: policy)?.name == .tls)
        policy.authorities = nginx.folder.path + "/ca.pem"
        #expect(try await h.load("https://localhost:\(nginx.port)/protocol", under: policy).bytes == Array("HTTP/2.0".utf8))
    }

    @Test @Loop func `missing authorities are an error of this worker, and their path is not shown`() async throws {
        let (h, nginx) = (try await WorkerHarness(), try await server())
        var policy = DownloadPolicy()
        for name in ["users", "none"] {
            policy.authorities = nginx.folder.path + "/files/" + name
            let error = await h.failure("https://localhost:\(nginx.port)/protocol", under: policy)
            #expect(error?.name == .tls && error?.isRetryable == true && error?.details["which"] == "local")
            #expect(error?.json.text.contains(name) == false)
        }
        // The values that the servers themselves get at their start.
        let arguments = ["--tls-authorities", nginx.folder.path + "/ca.pem"]
        guard case .run = SettingsReader<WorkerConfiguration>.read(arguments: arguments, environment: [:]) else { throw TestFailure("refused") }
    }

    @Test @Loop func `any certificate is accepted if the request asks for it and the operator permits it`() async throws {
        let (h, nginx) = (try await WorkerHarness(), try await server())
        var policy = DownloadPolicy()
        let loose: JSONObject = ["tls": ["allowInvalid": true]]
        #expect(await h.failure("https://localhost:\(nginx.port)/protocol", loose, under: policy)?.name == .forbidden)
        policy.allowsInvalidTLS = true
        #expect(try await h.load("https://localhost:\(nginx.port)/protocol", loose, under: policy).info.status == 200)
        #expect(await h.failure("https://localhost:\(nginx.port)/protocol", under: policy)?.name == .tls)
    }

    @Test @Loop func `a server has to show one of the pinned keys`() async throws {
        let (h, nginx) = (try await WorkerHarness(), try await server())
        var policy = DownloadPolicy()
        policy.authorities = nginx.folder.path + "/ca.pem"
        let other = "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        let url = "https://localhost:\(nginx.port)/protocol"
        let pins: JSONObject = ["tls": ["pinnedPublicKeys": [.string(other), .string(try await nginx.pin())]]]
        #expect(try await h.load(url, pins, under: policy).info.status == 200)
        let wrong = await h.failure(url, ["tls": ["pinnedPublicKeys": [.string(other)]]], under: policy)
        #expect(wrong?.name == .tls && wrong?.isRetryable == false)
    }

    @Test @Loop func `the key of a server's issuer may be pinned, but no other key that the server sends`() async throws {
        let (h, other) = (try await WorkerHarness(), try await server())
        let nginx = try await server(alsoShowing: other.folder.path + "/ca.pem")
        var policy = DownloadPolicy()
        policy.authorities = nginx.folder.path + "/ca.pem"
        let url = "https://localhost:\(nginx.port)/protocol"
        func pins(_ pin: String) -> JSONObject { ["tls": ["pinnedPublicKeys": [.string(pin)]]] }
        // On a connection that was made without pins, and on new ones.
        #expect(try await h.load(url, under: policy).info.status == 200)
        #expect(try await h.load(url, pins(try await nginx.pin(of: "ca.pem")), under: policy).info.status == 200)
        let wrong = await h.failure(url, pins(try await other.pin(of: "ca.pem")), under: policy)
        #expect(wrong?.name == .tls && wrong?.isRetryable == false, "\(wrong as Any)")
        #expect(try await h.load(url, pins(try await nginx.pin()), under: policy).info.status == 200)
        #expect(await h.failure(url, pins(try await other.pin()), under: policy)?.name == .tls)
    }

    @Test @Loop func `if any certificate is accepted, the server's own key may still be pinned`() async throws {
        let (h, nginx) = (try await WorkerHarness(), try await server())
        var policy = DownloadPolicy()
        policy.allowsInvalidTLS = true
        let url = "https://localhost:\(nginx.port)/protocol"
        func tls(_ pin: String) -> JSONObject { ["tls": ["allowInvalid": true, "pinnedPublicKeys": [.string(pin)]]] }
        #expect(try await h.load(url, tls(try await nginx.pin()), under: policy).info.status == 200)
        // The authority's key proves nothing if certificates are not verified.
        #expect(await h.failure(url, tls(try await nginx.pin(of: "ca.pem")), under: policy)?.name == .tls)
    }

    @Test func `pins for a server without a key are refused`() throws {
        let pin = "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        for urls in [["http://a.test/"], ["https://a.test/", "HTTP://b.test/"], ["data:,x"]] {
            let request: JSON = ["urls": .array(urls.map { .string($0) }), "fetch": ["tls": ["pinnedPublicKeys": [.string(pin)]]]]
            let error = #expect(throws: TintypeError.self) { try ImageRequest(request, isProbe: false) }
            #expect(error?.name == .invalidParams && error?.details["path"] == "fetch.tls.pinnedPublicKeys")
        }
        let request: JSON = ["url": "HTTPS://a.test/", "fetch": ["tls": ["pinnedPublicKeys": [.string(pin)]]]]
        #expect(throws: Never.self) { try ImageRequest(request, isProbe: false) }
    }

    @Test @Loop func `a compressed body counts with its inflated size`() async throws {
        let (h, nginx) = (try await WorkerHarness(), try await server())
        var policy = DownloadPolicy()
        policy.authorities = nginx.folder.path + "/ca.pem"
        let url = "https://localhost:\(nginx.port)/words.txt"
        let loaded = try await h.load(url, under: policy, maxBytes: Self.text.count)
        #expect(loaded.bytes == [UInt8](Self.text) && loaded.head?.header("content-encoding") == "gzip")
        let error = await h.failure(url + "?again", under: policy, maxBytes: Self.text.count - 1)
        #expect(error?.name == .limitExceeded && error?.details["allowed"] == JSON(Self.text.count - 1))
    }

    @Test @Loop func `a redirect does not lead out of TLS`() async throws {
        let (h, nginx) = (try await WorkerHarness(), try await server())
        var policy = DownloadPolicy()
        policy.authorities = nginx.folder.path + "/ca.pem"
        let port = h.origin.base.split(separator: ":").last ?? ""
        let error = await h.failure("https://localhost:\(nginx.port)/down?port=\(port)", under: policy)
        #expect(error?.name == .denied && error?.details["which"] == "redirect", "\(error as Any)")
        #expect(try await h.counts()["total"] == 0)
    }

    @Test @Loop func `nginx accepts the right password`() async throws {
        let (h, nginx) = (try await WorkerHarness(), try await server())
        var policy = DownloadPolicy()
        policy.authorities = nginx.folder.path + "/ca.pem"
        let url = "https://localhost:\(nginx.port)/private"
        #expect(try await h.load(url, ["auth": ["basic": ["ann", "secret"]]], under: policy).bytes == Array("for Ann".utf8))
        #expect(await h.failure(url, ["auth": ["basic": ["ann", "x"]]], under: policy)?.name == .authFailed)
        #expect(await h.failure(url, ["auth": ["bearer": "x"]], under: policy)?.name == .authFailed)
        #expect(await h.failure(url, under: policy)?.name == .httpStatus)
    }
}
