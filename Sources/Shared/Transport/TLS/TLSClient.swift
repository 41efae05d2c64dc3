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
        // A Unix socket has no host name. Nothing here uses one with TLS.
        guard case .tcp(let host, _) = address else { return nil }
        return tintype_tls_buffer(Loop.eventLoop.base, descriptor, context.pointer, host)
    }

    /// The connecting side alone: listeners have `TLSServer`. The connection is closed.
    package func accept(_ descriptor: Int32, peer: String, _ ready: @escaping @Loop (AcceptedSocket?) -> Void) {
        close(descriptor)
        ready(nil)
    }
}
