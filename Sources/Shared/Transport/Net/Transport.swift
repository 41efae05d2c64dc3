import CEvent
import Glibc

/// The carrier of bytes beneath streams and HTTP: the socket itself, or a protocol over it such as TLS.
///
/// `ByteStream` uses a bufferevent, and the HTTP server a `Wire`. Both do not know the layer below. A transport makes bufferevents, and does the few
/// things that bypass one. Each listener, HTTP server and outgoing connection has a transport. Its bytes on the wire may be longer than the written ones:
/// counters count the bytes of the bufferevent.
package protocol Transport: Sendable {
    /// Makes the bufferevent of one connection. Freeing it closes the socket.
    /// - Parameters:
    ///   - descriptor: a connected socket, or -1 for one that is set or connected later.
    ///   - address: the address that it connects to, whose host name the peer may have to prove; nil for an accepted socket. The event CONNECTED comes
    ///     after a handshake.
    /// - Returns: nil if there is no memory.
    @Loop func makeBuffer(_ descriptor: Int32, to address: SocketAddress?) -> OpaquePointer?

    /// Prepares an accepted connection, such as by a handshake.
    /// - Parameters:
    ///   - descriptor: the socket, which the transport owns from now on.
    ///   - peer: the address of the client, for logs.
    ///   - ready: called once with the connection, at once or later; nil if there is none, and the socket is closed then. It is released after the call.
    @Loop func accept(_ descriptor: Int32, peer: String, _ ready: @escaping @Loop (AcceptedSocket?) -> Void)

    /// Passes bytes directly to the kernel, while the bufferevent has no waiting bytes.
    /// - Returns: the number of bytes that the kernel has taken, or a negative number. The number is 0 if the bytes differ on the wire. Write them to
    ///   the bufferevent then.
    @Loop func send(_ bytes: UnsafeRawBufferPointer, past descriptor: Int32) -> Int

    /// Tells the peer that no more bytes come, if closing the socket does not say so. Call it before the bufferevent is freed.
    @Loop func sayEnd(on buffer: OpaquePointer)

    /// Returns the reason of the event ERROR.
    /// - Parameter code: `errno` when the event came.
    @Loop func failure(of buffer: OpaquePointer, code: Int32) -> String
}

/// A transport that writes bytes to the socket unchanged.
package struct PlainTransport: Transport {
    package init() {}

    package func makeBuffer(_ descriptor: Int32, to address: SocketAddress?) -> OpaquePointer? {
        bufferevent_socket_new(Loop.eventLoop.base, descriptor, Int32(BEV_OPT_CLOSE_ON_FREE.rawValue))
    }

    /// No preparation is needed.
    package func accept(_ descriptor: Int32, peer: String, _ ready: @escaping @Loop (AcceptedSocket?) -> Void) { ready(.plain(descriptor)) }

    package func send(_ bytes: UnsafeRawBufferPointer, past descriptor: Int32) -> Int {
        Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    }

    /// Closing the socket tells the peer.
    package func sayEnd(on buffer: OpaquePointer) {}

    package func failure(of buffer: OpaquePointer, code: Int32) -> String { String(cString: strerror(code)) }
}

/// The reason for which a connection or a listener could not be made.
package enum NetError: Error, Sendable, CustomStringConvertible {
    case listen(SocketAddress, String)
    case resolve(String, String)
    case connect(SocketAddress, String)
    case timedOut(SocketAddress)

    package var description: String {
        switch self {
        case .listen(let address, let reason): "cannot listen on \(address): \(reason)"
        case .resolve(let host, let reason): "cannot resolve \(host): \(reason)"
        case .connect(let address, let reason): "cannot connect to \(address): \(reason)"
        case .timedOut(let address): "no connection to \(address) in time"
        }
    }
}
