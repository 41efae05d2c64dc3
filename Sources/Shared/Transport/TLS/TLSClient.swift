import CTLS
import Glibc
import TintypeCore

/// TLS beneath outgoing connections. The server has to prove the host name of its address, or the IP address if it is one.
package struct TLSClient: Transport {
    private static let files = BlockingPool(threads: 1, name: "tls-files")

    private let context: TLSContext

    package init(_ context: TLSContext) { self.context = context }

    /// Reads the files anew, so that a connection is made with the present ones.
    /// - Throws: `SettingError` for a file that cannot be used.
    package static func reading(_ files: TLSClientFiles) async throws -> TLSClient {
        TLSClient(try await Self.files.run { try TLSContext(files) })
    }

    package func makeBuffer(_ descriptor: Int32, _ side: TransportSide) -> OpaquePointer? {
        // A Unix socket has no host name. Nothing here uses one with TLS.
        guard case .connecting(.tcp(let host, _)) = side else { return nil }
        return tintype_tls_buffer(Loop.eventLoop.base, descriptor, context.pointer, host)
    }

    /// The connecting side alone: listeners have `TLSServer`. The connection is closed.
    package func accept(_ descriptor: Int32, peer: String, _ ready: @escaping @Loop (AcceptedSocket?) -> Void) {
        close(descriptor)
        ready(nil)
    }

    /// The bytes on the wire are encrypted.
    package func send(_ bytes: UnsafeRawBufferPointer, past descriptor: Int32) -> Int { 0 }

    package func sayEnd(on buffer: OpaquePointer) { tintype_tls_say_end(buffer) }

    package func unreceived(_ buffer: OpaquePointer) -> Int { PlainTransport().unreceived(buffer) }

    package func failure(of buffer: OpaquePointer, code: Int32) -> String { TLSFailure(of: buffer).reason ?? String(cString: strerror(code)) }
}
