import CEvent
import Glibc
package import TintypeCore

/// A connection that a listener has accepted and that is ready for bytes. Its receiver closes it.
package enum AcceptedSocket {
    /// A connected socket, whose bytes are those on the wire.
    case plain(Int32)
    /// A bufferevent after its handshake, without callbacks, which does not read yet. `certificate` is nil if the client has shown none.
    case secured(OpaquePointer, certificate: CertificateNames?)

    /// Makes the wire of the connection.
    /// - Parameter transport: the transport that has accepted the connection.
    @Loop package func wire(over transport: any Transport) -> any Wire {
        switch self {
        case .plain(let descriptor): SocketWire(descriptor)
        case .secured(let buffer, let certificate): BufferedWire(buffer, certificate, over: transport)
        }
    }

    /// Closes the connection.
    @Loop package func close() {
        switch self {
        case .plain(let descriptor): _ = Glibc.close(descriptor)
        case .secured(let buffer, _): bufferevent_free(buffer)
        }
    }
}
