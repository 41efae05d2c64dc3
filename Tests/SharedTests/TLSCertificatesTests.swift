import Foundation
import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport

/// Certificates that are replaced while their server runs.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct TLSCertificatesTests {
    /// Returns the subject of the certificate that a server shows.
    @Loop private func subject(_ address: SocketAddress) async throws -> String {
        let child = try ChildProcess("/bin/sh", ["-c", "openssl s_client -connect \(address) 2>&1 | openssl x509 -noout -serial"])
        _ = await child.finished()
        return child.output.trimmingCharacters(in: .newlines)
    }

    @Loop private func listener(_ tls: TestTLS) throws -> Listener {
        try Listener(.tcp(host: "127.0.0.1", port: 0), over: tls.server) { stream in
            stream.onBytes = { [stream] in stream.write($0) }
            stream.onEnd = { [unowned stream] _ in
                stream.onBytes = nil
                stream.close()
            }
        }
    }

    private func issue(_ days: Int, _ folder: TemporaryFolder) async throws {
        try await TestAuthority.issue("cert", key: "key.pem", names: "DNS:localhost,IP:127.0.0.1", days: days, in: folder.path)
    }

    @Test @Loop func `changed files are used by new connections, and open ones stay`() async throws {
        let folder = try TemporaryFolder("tls")
        try await TestAuthority.make(in: folder.path)
        let log = try LoggedLines()
        let tls = try TestTLS(folder.path, interval: .milliseconds(20), logger: log.logger)
        let listener = try listener(tls)
        let before = try await subject(listener.address)
        let (first, context) = (tls.metrics.value(.tlsCertificateExpiry, labels: "server"), tls.certificates.context)
        #expect(abs(first - (WallClock.now + 2 * 86_400)) < 600)
        let open = try await ByteStream.connect(listener.address, over: tls.client, timeout: .seconds(10))
        try await issue(30, folder)
        try await Gate.until("the new certificate is in use") { tls.certificates.context !== context && tls.certificates.context.expiry ?? 0 > first }
        #expect(tls.metrics.value(.tlsCertificateExpiry, labels: "server") - first > 27 * 86_400)
        #expect(try await subject(listener.address) != before)
        // Two days are soon, thirty are not.
        #expect(!log.holding("expires soon").isEmpty && !log.holding("TLS certificate in use").isEmpty)
        let echo = OneShot<Void>()
        open.onBytes = { _ in echo.complete(.success(())) }
        open.write([1])
        try await echo.wait()
        open.close()
        listener.close()
    }

    @Test @Loop func `files that cannot be used change nothing, and are named`() async throws {
        let folder = try TemporaryFolder("tls")
        try await TestAuthority.make(in: folder.path)
        let log = try LoggedLines()
        let tls = try TestTLS(folder.path, clients: .optional, logger: log.logger)
        let listener = try listener(tls)
        let (before, context) = (try await subject(listener.address), tls.certificates.context)
        let key = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/key.pem"))
        func write(_ data: Data, _ name: String) throws { try data.write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"), options: .atomic) }
        // The key of another certificate, as between the two steps of a replacement.
        try await TestAuthority.issue("other", names: nil, in: folder.path)
        try write(Data(contentsOf: URL(fileURLWithPath: folder.path + "/other.key")), "key.pem")
        tls.certificates.look()
        try await log.until("the TLS certificates cannot be used")
        let line = log.holding("cannot be used")[0]
        #expect(line.contains("key.pem") && line.contains("key values mismatch") && !line.contains("PRIVATE"), "\(line)")
        // The files are tried again, because a failure may pass. The same error is logged once, and again for an operator who asks.
        for _ in 0..<2 {
            tls.certificates.look()
            try await Gate.until("the look is over") { !tls.certificates.isReading }
        }
        #expect(log.holding("cannot be used").count == 1)
        tls.certificates.reload()
        try await Gate.until("the error is logged again") { log.holding("cannot be used").count == 2 }
        try await Gate.until("the reload is over") { !tls.certificates.isReading }
        // With the second step done, all is well.
        try write(key, "key.pem")
        tls.certificates.look()
        try await Gate.until("the files are in use") { tls.certificates.context !== context }
        #expect(try await subject(listener.address) == before)
        try FileManager.default.removeItem(atPath: folder.path + "/ca.pem")
        tls.certificates.reload()
        try await Gate.until("the loss is logged") { log.holding("no authority can be read").count == 1 }
        #expect(try await subject(listener.address) == before)
        listener.close()
    }

    @Test @Loop func `an expired certificate is an error in the log, and clients refuse it`() async throws {
        let folder = try TemporaryFolder("tls")
        try await TestAuthority.make(in: folder.path)
        try await issue(-1, folder)
        let log = try LoggedLines()
        let tls = try TestTLS(folder.path, logger: log.logger)
        #expect(log.holding("the TLS certificate has expired").count == 1)
        #expect(tls.metrics.value(.tlsCertificateExpiry, labels: "server") < WallClock.now)
    }

    @Test @Loop func `files that cannot be used at the start are refused with the reason, and no passphrase is asked for`() async throws {
        let folder = try TemporaryFolder("tls")
        try await TestAuthority.make(in: folder.path)
        try await TestAuthority.issue("other", names: nil, in: folder.path)
        let child = try ChildProcess(
            "openssl", ["ec", "-in", folder.path + "/key.pem", "-aes256", "-passout", "pass:sesame", "-out", folder.path + "/locked.key"])
        #expect(await child.finished() == 0)
        for (certificate, key, authorities, reason) in [
            ("cert.pem", "other.key", nil, "other.key: no key"), ("cert.pem", "locked.key", nil, "locked.key: no key"),
            ("none.pem", "key.pem", nil, "none.pem: no certificate"), ("key.pem", "key.pem", nil, "key.pem: no certificate"),
            ("cert.pem", "key.pem", "key.pem", "no authority can be read"), ("cert.pem", "cert.pem", nil, "cert.pem: no key"),
        ] as [(String, String, String?, String)] {
            let files = TLSServerFiles(
                certificate: "\(folder.path)/\(certificate)", key: "\(folder.path)/\(key)", clientAuthorities: authorities.map { "\(folder.path)/\($0)" })
            do throws(SettingError) {
                _ = try TLSContext(files)
                Issue.record("\(certificate) and \(key) were taken")
            } catch {
                #expect(error.message.contains(reason), "\(error.message)")
            }
        }
    }
}
