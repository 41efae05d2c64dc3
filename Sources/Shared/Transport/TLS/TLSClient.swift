import CTLS
import Glibc
import TintypeCore

/// TLS beneath outgoing connections. The server has to prove the host name of its address, or the IP address if it is one.
package struct TLSClient: TLSTransport {
    private static let files = BlockingPool(threads: 1, name: "tls-files")

    private let context: TLSContext

    package init(_ context: TLSContext) { self.context = context }

    /// Reads the files anew, so that a connection is made with the present ones.
    /// - Throws: `SettingError` for a file that cannot be used.
    package static func reading(_ files: TLSClientFiles) async throws -> TLSClient {
        TLSClient(try await Self.files.run { try TLSContext(files) })
    }

    package func makeBuffer(_ descriptor: Int32, to address: SocketAddress?) -> OpaquePointer? {
        // A Unix socket has no host name. None is used with TLS here.
        guard case .tcp(let host, _) = address else { return nil }
        return tintype_tls_buffer(Loop.eventLoop.base, descriptor, context.pointer, host)
    }

    /// The connecting side alone: listeners have `TLSServer`. The connection is closed.
    package func accept(_ descriptor: Int32, peer: String, _ ready: @escaping @Loop (AcceptedSocket?) -> Void) {
        close(descriptor)
        ready(nil)
    }
}

/// Whether clients have to show a certificate.
package enum TLSClients: String, Sendable, CaseIterable {
    /// A client may show one. A certificate that is shown has to be valid.
    case optional
    /// The handshake fails without one.
    case required
}

/// The files of a server that speaks TLS, all in PEM form.
package struct TLSServerFiles: Sendable, Hashable {
    /// The server's certificate, followed by the intermediate ones.
    package let certificate: String
    /// The private key of the certificate, without a passphrase.
    package let key: String
    /// The authorities that vouch for clients; nil: clients are asked for no certificate.
    package let clientAuthorities: String?
    package let clients: TLSClients

    package init(certificate: String, key: String, clientAuthorities: String? = nil, clients: TLSClients = .required) {
        (self.certificate, self.key, self.clientAuthorities, self.clients) = (certificate, key, clientAuthorities, clients)
    }

    /// The paths of all files.
    var paths: [String] { [certificate, key] + (clientAuthorities.map { [$0] } ?? []) }
}

/// The files of a client that speaks TLS, all in PEM form.
package struct TLSClientFiles: Sendable, Hashable {
    /// The only authorities that vouch for the server; nil: those of the system.
    package let authorities: String?
    /// The client's own certificate, followed by the intermediate ones, and its key; nil: the client shows none.
    package let certificate: String?
    package let key: String?

    package init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
        (self.authorities, self.certificate, self.key) = (authorities, certificate, key)
    }
}
