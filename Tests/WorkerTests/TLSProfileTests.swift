import Foundation
import TintypeCore
import TintypeImages
import TintypeTransport
import TestSupport
import Testing

@testable import Worker

/// Authorities, certificates and checks of names by profile, against nginx.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct TLSProfileTests {
    private static let fetch: JSONObject = ["tls": ["profile": "partner"]]

    /// Returns a server that accepts only clients of its own authority, and tells them who they are.
    @Loop private func strict() async throws -> NginxServer {
        try await NginxServer(
            """
            listen PORT ssl; ssl_certificate FOLDER/cert.pem; ssl_certificate_key FOLDER/key.pem;
            ssl_client_certificate FOLDER/ca.pem; ssl_verify_client on;
            location /who { default_type text/plain; return 200 "$ssl_client_s_dn"; }
            location /elsewhere { return 302 https://127.0.0.1:$arg_port/seen; }
            """, isTLS: true)
    }

    /// Returns a server that tells which certificate it was shown.
    @Loop private func open() async throws -> NginxServer {
        try await NginxServer(
            """
            listen PORT ssl; ssl_certificate FOLDER/cert.pem; ssl_certificate_key FOLDER/key.pem; ssl_verify_client optional_no_ca;
            location /seen { default_type text/plain; return 200 "[$ssl_client_s_dn]"; }
            """, isTLS: true)
    }

    private func policy(_ words: String) throws -> DownloadPolicy {
        var policy = DownloadPolicy()
        policy.profiles = try TLSProfiles(text: "partner: \(words)\n", path: "profiles")
        return policy
    }

    private func own(_ nginx: NginxServer) -> String {
        let path = nginx.folder.path
        return "authorities=\(path)/ca.pem certificate=\(path)/cert.pem key=\(path)/key.pem"
    }

    @Test @Loop func `a server that asks gets the profile's certificate, never on a connection of another profile`() async throws {
        let (h, nginx) = (try await WorkerHarness(), try await strict())
        var policy = try policy(own(nginx) + " hosts=localhost")
        policy.authorities = nginx.folder.path + "/ca.pem"
        let transfers = TransferPool(policy: AddressPolicy(allowing: [AddressRange("127.0.0.0/8")!]))
        let url = "https://localhost:\(nginx.port)/who"
        let plain = try Source(canonical: ["url": .string(url)])
        let named = try Source(canonical: .object(Self.fetch.merging(["url": .string(url)])))
        #expect(plain.digest != named.digest && named.isPersonal && !plain.isPersonal)
        for _ in 0..<2 {
            #expect(try await h.load(named, by: transfers, under: policy).bytes == Array("CN=cert".utf8))
            // nginx answers 400 without a certificate. A reused connection or session would be accepted.
            await #expect(throws: TintypeError.self) { try await h.load(plain, by: transfers, under: policy) }
        }
    }

    @Test @Loop func `only the profile's authorities count`() async throws {
        let (h, nginx, other) = (try await WorkerHarness(), try await open(), try await open())
        let url = "https://localhost:\(nginx.port)/seen"
        var right = try policy("authorities=\(nginx.folder.path)/ca.pem hosts=*")
        #expect(try await h.load(url, Self.fetch, under: right).bytes == Array("[]".utf8))
        #expect(await h.failure(url, under: right)?.name == .tls)
        right.authorities = other.folder.path + "/ca.pem"
        #expect(try await h.load(url, Self.fetch, under: right).info.status == 200)
        var wrong = try policy("authorities=\(other.folder.path)/ca.pem hosts=*")
        wrong.authorities = nginx.folder.path + "/ca.pem"
        #expect(await h.failure(url, Self.fetch, under: wrong)?.name == .tls)
        #expect(try await h.load(url, under: wrong).info.status == 200)
    }

    @Test @Loop func `only the name may go unverified`() async throws {
        let (h, nginx, other) = (try await WorkerHarness(), try await open(), try await open())
        // The certificate is for localhost and 127.0.0.1.
        let url = "https://other.localhost:\(nginx.port)/seen"
        let authorities = "authorities=\(nginx.folder.path)/ca.pem"
        #expect(await h.failure(url, Self.fetch, under: try policy(authorities + " hosts=*"))?.name == .tls)
        #expect(try await h.load(url, Self.fetch, under: try policy(authorities + " verify-name=no hosts=*")).info.status == 200)
        let stranger = try policy("authorities=\(other.folder.path)/ca.pem verify-name=no hosts=*")
        #expect(await h.failure(url, Self.fetch, under: stranger)?.name == .tls)
    }

    @Test @Loop func `a redirect to a host that the profile does not name sees no certificate`() async throws {
        let (h, nginx, other) = (try await WorkerHarness(), try await strict(), try await open())
        let url = "https://localhost:\(nginx.port)/elsewhere?port=\(other.port)"
        var policy = try policy(own(nginx) + " hosts=localhost")
        #expect(await h.failure(url, Self.fetch, under: policy)?.name == .tls)
        policy.authorities = other.folder.path + "/ca.pem"
        #expect(try await h.load(url, Self.fetch, under: policy).bytes == Array("[]".utf8))
        // The same for another host that is asked first.
        let error = await h.failure("https://127.0.0.1:\(other.port)/seen", Self.fetch, under: policy)
        #expect(error?.name == .forbidden && error?.isRetryable == false)
    }

    @Test @Loop func `an unknown or unusable profile is an error of this worker`() async throws {
        let (h, nginx) = (try await WorkerHarness(), try await strict())
        let url = "https://localhost:\(nginx.port)/who"
        let unknown = await h.failure(url, Self.fetch, under: DownloadPolicy())
        #expect(unknown?.name == .tls && unknown?.isRetryable == true && unknown?.details["which"] == "local")
        // The key of another certificate, and one that is gone by now.
        let path = nginx.folder.path
        let foreign = try policy("authorities=\(path)/ca.pem certificate=\(path)/cert.pem key=\(path)/ca.key hosts=*")
        let good = try policy(own(nginx) + " hosts=*")
        #expect(try await h.load(url, Self.fetch, under: good).info.status == 200)
        try FileManager.default.moveItem(atPath: path + "/key.pem", toPath: path + "/away.pem")
        for policy in [foreign, good] {
            let error = await h.failure(url, Self.fetch, under: policy)
            #expect(error?.name == .tls && error?.isRetryable == true && error?.details["which"] == "local", "\(error as Any)")
            #expect(error?.json.text.contains(path) == false)
        }
        // Renewed without a restart.
        try FileManager.default.moveItem(atPath: path + "/away.pem", toPath: path + "/key.pem")
        #expect(try await h.load(url, Self.fetch, under: good).info.status == 200)
    }

    @Test(arguments: [
        "hosts=a.test", "hosts=", "verify-name=no", "verify-name=yes hosts=a.test", "authorities=/none hosts=a.test", "certificate=CERT hosts=a.test",
        "key=KEY hosts=a.test", "certificate=KEY key=KEY hosts=a.test", "certificate=CERT key=CERT hosts=a.test", "certificate=CERT key=LOCKED hosts=a.test",
        "authorities=CERT authorities=CERT hosts=a.test", "authorities hosts=a.test", "authorities=CERT hosts=a/b", "colour=blue hosts=a.test",
    ])
    func `a faulty file of profiles is refused with its line`(words: String) throws {
        let folder = try TemporaryFolder("profiles")
        let body = Data([0x30, 0x81, 0x80] + [UInt8](repeating: 0, count: 128)).base64EncodedString()
        for (name, kind) in [("CERT", "CERTIFICATE"), ("KEY", "PRIVATE KEY"), ("LOCKED", "ENCRYPTED PRIVATE KEY")] {
            try Data("-----BEGIN \(kind)-----\n\(body)\n-----END \(kind)-----\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/" + name))
        }
        func filled(_ words: String) -> String {
            ["CERT", "KEY", "LOCKED"].reduce(words) { $0.replacingOccurrences(of: "=\($1)", with: "=\(folder.path)/\($1)") }
        }
        #expect(throws: Never.self) { try TLSProfiles(text: filled("a: certificate=CERT key=KEY verify-name=no hosts=a.test,*.b.test"), path: "/p") }
        let mistake = #expect(throws: SettingError.self) { try TLSProfiles(text: filled("# ours\na: \(words)\n"), path: "/p") }
        #expect(mistake?.message.hasPrefix("/p:2: ") == true, "\(mistake as Any)")
        for name in ["b", "a b:", "a/b:"] {
            #expect(throws: SettingError.self) { try TLSProfiles(text: filled("\(name) authorities=CERT hosts=*"), path: "/p") }
        }
        #expect(throws: SettingError.self) { try TLSProfiles(text: filled("a: authorities=CERT hosts=*\na: authorities=CERT hosts=*"), path: "/p") }
    }
}
