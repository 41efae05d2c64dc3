import Foundation
import Testing

@testable import TintypeClient

/// TLS and tokens, with certificates that the test makes by `openssl`.
@Suite(.serialized) struct TLSTests {
    /// An authority, a certificate of it for localhost, and one for the client.
    private func certificates(_ folder: URL) async throws {
        func openssl(_ words: String) async throws {
            let result = try await Program.run("openssl", words.split(separator: " ").map(String.init), in: folder)
            if result.status != 0 { throw NeverCame(description: "openssl \(words): \(result.text)") }
        }
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
        try await openssl("req -x509 \(key) -days 2 -subj /CN=Test -keyout ca.key -out ca.pem")
        try "subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n".write(
            to: folder.appending(path: "names"), atomically: true, encoding: .utf8)
        for name in ["server", "client"] {
            try await openssl("req \(key) -subj /CN=localhost -keyout \(name).key -out \(name).csr")
            try await openssl("x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out \(name).pem")
        }
    }

    private func run(_ more: (URL) -> [String] = { _ in [] }, _ body: (Service, URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-tls-\(ReceiptID.make())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await certificates(folder)
        try "operator-token role=admin\nreader-token role=load\n".write(to: folder.appending(path: "tokens"), atomically: true, encoding: .utf8)
        let secure = ["--tls-cert", "server.pem", "--tls-key", "server.key", "--token-file", "tokens"].map {
            $0.hasPrefix("--") ? $0 : folder.appending(path: $0).path
        }
        try await Service.run(coordinatorArguments: secure + more(folder)) { try await body($0, folder) }
    }

    private func client(_ way: Way, _ service: Service, _ folder: URL, token: Token?, _ change: (inout Tintype.Options) -> Void = { _ in }) throws -> Tintype {
        var options = Tintype.Options()
        options.tls.authorityFile = folder.appending(path: "ca.pem").path
        options.timeout = .seconds(10)
        change(&options)
        let port = service.coordinators[0].words[way == .tcp ? "rpc" : "http"]!.split(separator: ":").last!
        return try Tintype("\(way == .tcp ? "tls" : "https")://localhost:\(port)", token: token, options: options)
    }

    @Test func imagesOverTLSWithATokenThatAFunctionGives() async throws {
        try await run { service, folder in
            for way in Way.allCases {
                let tintype = try client(way, service, folder, token: Token { "reader-token" })
                let task = tintype.submit(ImageRequest(service.picture(), .resize(20)), progress: true)
                var last: ImageEvent?
                for await event in task.events { last = event }
                guard case .succeeded = last else { return #expect(Bool(false), "\(String(describing: last))") }
                let image = try await task.image
                #expect(try await image.bytes().count == image.first?.size)
                // Many records, in both directions.
                let url = service.picture("/picture.png?size=16x16")
                _ = try await tintype.image(from: url)
                let padding = String(repeating: "p", count: 200)
                try await withThrowingTaskGroup { group in
                    for _ in 0..<500 { group.addTask { try await tintype.image(for: ImageRequest(url).with { $0.tag = padding }).width } }
                    for try await width in group { #expect(width == 16) }
                }
                let inline = try await tintype.image(for: ImageRequest(service.picture("/picture.png?size=900x700")).with { $0.deliver = .inline })
                #expect(try await inline.bytes().count == inline.first?.size)
                // A role that is too low is forbidden.
                let low = await #expect(throws: TintypeError.self) { try await tintype.queue().pause() }
                #expect(low?.name == .forbidden)
            }
        }
    }

    @Test func aWrongTokenIsRefusedAtOnceAndShownNowhere() async throws {
        try await run { service, folder in
            for way in Way.allCases {
                let tintype = try client(way, service, folder, token: "wrong-secret")
                let error = await #expect(throws: TintypeError.self) { try await tintype.image(from: service.picture()) }
                #expect(error?.name == .unauthenticated && error?.isRetryable == false)
                #expect(!"\(error!) \(error!.json) \(tintype)".contains("wrong-secret"))
                var shown = ""
                dump(tintype, to: &shown)
                #expect(!shown.contains("wrong-secret"))
                let nobody = try client(way, service, folder, token: nil)
                let without = await #expect(throws: TintypeError.self) { try await nobody.submit(from: service.picture()).image }
                #expect(without?.name == .unauthenticated)
            }
        }
    }

    @Test func certificatesOfStrangersAreRefused() async throws {
        try await run { service, folder in
            for way in Way.allCases {
                // The authorities of the system do not know this one.
                let stranger = try client(way, service, folder, token: "reader-token") { $0.tls = TLSOptions() }
                let unknown = await #expect(throws: TintypeError.self) { try await stranger.ping() }
                #expect(unknown?.name == .tls && unknown?.message.contains("certificate") == true, "\(String(describing: unknown))")
                // The certificate lacks the name.
                let named = try client(way, service, folder, token: "reader-token") { $0.tls.serverName = "another.example" }
                let other = await #expect(throws: TintypeError.self) { try await named.ping() }
                #expect(other?.name == .tls)
            }
            let missing = #expect(throws: TintypeError.self) { try client(.tcp, service, folder, token: nil) { $0.tls.authorityFile = "/none.pem" } }
            #expect(missing?.name == .tls && missing?.message.contains("/none.pem") == true)
        }
    }

    @Test func aClientShowsItsCertificateWhereItIsAskedFor() async throws {
        try await run({ ["--tls-client-ca", $0.appending(path: "ca.pem").path] }) { service, folder in
            for way in Way.allCases {
                let tintype = try client(way, service, folder, token: "reader-token") {
                    $0.tls.certificateFile = folder.appending(path: "client.pem").path
                    $0.tls.keyFile = folder.appending(path: "client.key").path
                }
                #expect(try await tintype.image(from: service.picture(), .resize(9)).width == 9)
                let bare = try client(way, service, folder, token: "reader-token") { $0.timeout = .seconds(2) }
                await #expect(throws: TintypeError.self) { try await bare.ping() }
            }
        }
    }

    @Test func anAddressIsCheckedAgainstTheCertificateToo() async throws {
        try await run { service, folder in
            var options = Tintype.Options()
            options.tls.authorityFile = folder.appending(path: "ca.pem").path
            let tintype = try Tintype("tls://\(service.coordinators[0].words["rpc"]!)", token: "reader-token", options: options)
            #expect(try await tintype.ping() > .zero)
        }
    }
}
