import Foundation
import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport
import TintypeSettings

/// `rediss:`, with a real Redis that speaks TLS and asks for client certificates.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct RedisTLSTests {
    private struct Site {
        let folder: TemporaryFolder
        let server: RedisServer
        let port: UInt16

        /// - Parameter names: the names of the server's certificate.
        init(names: String, days: Int = 2, asksClients: Bool = true) async throws {
            folder = try TemporaryFolder("redis-tls")
            try await TestAuthority.make(in: folder.path)
            try await TestAuthority.issue("redis", names: names, days: days, in: folder.path)
            try await TestAuthority.issue("client", names: "DNS:worker.example", in: folder.path)
            port = try FreePort.find()
            server = try await RedisServer(options: [
                "--tls-port", "\(port)", "--tls-cert-file", folder.path + "/redis.pem", "--tls-key-file", folder.path + "/redis.key",
                "--tls-ca-cert-file", folder.path + "/ca.pem", "--tls-auth-clients", asksClients ? "yes" : "no",
            ])
        }

        func files(_ certificate: String? = "client") -> TLSClientFiles {
            TLSClientFiles(
                authorities: folder.path + "/ca.pem", certificate: certificate.map { "\(folder.path)/\($0).pem" },
                key: certificate.map { "\(folder.path)/\($0).key" })
        }

        /// Returns the answer to PING, or the reason for which there is none.
        @Loop func ping(_ host: String, _ files: TLSClientFiles, _ scheme: String = "rediss") async throws -> String {
            let endpoint = try RedisEndpoint("\(scheme)://\(host):\(port)?timeout=5s", tls: files)
            do throws(RedisError) {
                let connection = try await RedisConnection.open(endpoint, name: "test")
                defer { connection.close("done") }
                return try await connection.commands([["PING"]], timeout: .seconds(5))[0].get().string ?? ""
            } catch {
                return "\(error)"
            }
        }
    }

    @Test @Loop func `the host is checked, by its name or its address, and a client certificate is shown`() async throws {
        let site = try await Site(names: "DNS:localhost,IP:127.0.0.1")
        #expect(try await site.ping("localhost", site.files()) == "PONG")
        #expect(try await site.ping("127.0.0.1", site.files()) == "PONG")
        // The alert of the server, or the reset of the connection, whichever is seen first.
        #expect(try await site.ping("127.0.0.1", site.files(nil)).contains("out of reach"))
        let system = try await site.ping("127.0.0.1", TLSClientFiles(certificate: site.folder.path + "/client.pem", key: site.folder.path + "/client.key"))
        #expect(system.contains("certificate verify failed"), "\(system)")
        let missing = try await site.ping("127.0.0.1", TLSClientFiles(authorities: site.folder.path + "/none.pem"))
        #expect(missing.contains("none.pem: no authority can be read"), "\(missing)")
        #expect(try await site.ping("127.0.0.1", site.files(), "redis") != "PONG")
    }

    @Test(arguments: [("DNS:example.org", 2, "mismatch"), ("DNS:localhost,IP:127.0.0.1", -1, "certificate has expired")]) @Loop
    func `another host's certificate, and an expired one, are refused with the reason`(names: String, days: Int, reason: String) async throws {
        let site = try await Site(names: names, days: days, asksClients: false)
        for host in ["localhost", "127.0.0.1"] {
            let answer = try await site.ping(host, site.files(nil))
            #expect(answer.contains("certificate verify failed") && answer.contains(reason), "\(answer)")
        }
    }

    @Test(.holdsLoop("the test makes and compares millions of bytes one by one")) @Loop
    func `values of many records come whole, and a replaced certificate is used by the next connection`() async throws {
        let site = try await Site(names: "IP:127.0.0.1")
        let log = try LoggedLines()
        let endpoint = try RedisEndpoint("rediss://127.0.0.1:\(site.port)", tls: site.files())
        let client = RedisClient(endpoint, name: "test", logger: log.logger)
        client.start()
        try await client.untilConnected(within: .seconds(20))
        let value = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) })
        _ = try await client.command(["SET", "k", .bytes(value)])
        #expect(try await client.command(["GET", "k"]).bytes == value)
        #expect(log.all.allSatisfy { !$0.contains("PRIVATE") } && !log.holding("redis=rediss://127.0.0.1:\(site.port)/0").isEmpty, "\(log.all)")
        // An expired certificate in the place of the old one, and then a good one.
        try await TestAuthority.issue("client", names: nil, days: -1, in: site.folder.path)
        try await site.server.command("CLIENT", "KILL", "TYPE", "normal")
        try await log.until("cannot connect to Redis")
        #expect(!client.isConnected)
        try await TestAuthority.issue("client", names: nil, in: site.folder.path)
        try await client.untilConnected(within: .seconds(20))
        #expect(try await client.command(["GET", "k"]).bytes == value)
        client.stop()
    }

    @Test(arguments: [
        ("rediss://localhost", "localhost:6379", 0, "rediss://localhost:6379/0"), ("rediss://u:p%40ss@h:1/3?timeout=1s", "h:1", 3, "rediss://h:1/3"),
        ("rediss://[::1]:7", "[::1]:7", 0, "rediss://[::1]:7/0"),
    ])
    func `URLs are read`(url: String, address: String, database: Int, redacted: String) throws {
        let files = TLSClientFiles(authorities: "/ca")
        let endpoint = try RedisEndpoint(url, tls: files)
        #expect("\(endpoint.address)" == address && endpoint.database == database && endpoint.redacted == redacted)
        #expect(endpoint.tls == files)
        for plain in [url.replacing("rediss:", with: "redis:"), "unix:///a"] { #expect(try RedisEndpoint(plain, tls: files).tls == nil) }
        #expect(throws: RedisError.self) { try RedisEndpoint(url.replacing("rediss:", with: "redisss:")) }
    }

    @Test(arguments: [("rediss://h:1/2", "rediss://:p%40ss@h:1/2"), ("rediss://user@h", "rediss://user:p%40ss@h")])
    func `the password of a file goes into the URL`(url: String, expected: String) throws {
        #expect(try RedisURL.text(url, password: "p@ss") == expected)
    }

    @Test func `settings that need each other are refused alone`() throws {
        func refusal(_ change: (inout SharedSettings) -> Void) -> String? {
            var settings = SharedSettings()
            change(&settings)
            do throws(SettingError) {
                return try settings.tlsFiles().map { "\($0.certificate) \($0.key) \($0.clientAuthorities ?? "-") \($0.clients)" }
            } catch {
                return error.message
            }
        }
        #expect(refusal { _ in } == nil)
        #expect(refusal { $0.tlsCertificate = "c" }?.contains("--tls-cert and --tls-key") == true)
        #expect(refusal { $0.tlsKey = "k" }?.contains("--tls-cert and --tls-key") == true)
        #expect(refusal { $0.tlsClientAuthorities = "a" }?.contains("--tls-client-ca needs") == true)
        #expect(refusal { $0.redisCertificate = "c" }?.contains("--redis-cert and --redis-key") == true)
        #expect(refusal { $0.redisKey = "k" }?.contains("--redis-cert and --redis-key") == true)
        #expect(refusal { ($0.tlsCertificate, $0.tlsKey) = ("c", "k") } == "c k - required")
        #expect(refusal { ($0.tlsCertificate, $0.tlsKey, $0.tlsClientAuthorities, $0.tlsClients) = ("c", "k", "a", .optional) } == "c k a optional")
    }
}
