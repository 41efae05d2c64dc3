import Foundation
import TestSupport

@testable import TintypeCore
@testable import TintypeTransport

/// Both sides of TLS in one process, with the certificates that `TestAuthority` made in a folder.
@Loop final class TestTLS {
    let path: String
    let certificates: TLSCertificates
    let server: TLSServer
    let client: TLSClient
    let metrics = Metrics()
    private let pool = BlockingPool(threads: 1, name: "test-tls")

    /// - Parameters:
    ///   - clients: whether clients have to show a certificate of the same authority; nil: they are not asked.
    ///   - patience: the time for a handshake.
    ///   - interval: the time between two looks at the files.
    init(
        _ path: String, clients: TLSClients? = nil, patience: Duration = .seconds(10), interval: Duration = .seconds(30),
        logger: Logger = Logger(label: "test", level: .error)
    ) throws {
        self.path = path
        let files = TLSServerFiles(
            certificate: path + "/cert.pem", key: path + "/key.pem", clientAuthorities: clients == nil ? nil : path + "/ca.pem",
            clients: clients ?? .required)
        certificates = try TLSCertificates(files, pool: pool, metrics: metrics, logger: logger, interval: interval)
        server = TLSServer(certificates, listener: "test", metrics: metrics, patience: patience)
        client = TLSClient(try TLSContext(TLSClientFiles(authorities: path + "/ca.pem")))
    }

    /// Makes an authority and certificates in a folder, and both sides with them.
    static func make(_ folder: TemporaryFolder, clients: TLSClients? = nil, patience: Duration = .seconds(10)) async throws -> TestTLS {
        try await TestAuthority.make(in: folder.path)
        return try TestTLS(folder.path, clients: clients, patience: patience)
    }

    /// Returns a client that shows the certificate `name.pem` of the folder.
    func client(_ name: String) throws -> TLSClient {
        TLSClient(try TLSContext(TLSClientFiles(authorities: path + "/ca.pem", certificate: "\(path)/\(name).pem", key: "\(path)/\(name).key")))
    }

    /// Returns how many handshakes ended so.
    func count(_ outcome: TLSOutcome) -> Int { Int(metrics.value(.tlsHandshakes, labels: "test", outcome.rawValue)) }

    isolated deinit {
        certificates.stop()
        pool.stop()
    }
}
