/// The carrier of bytes beneath streams and HTTP: the socket itself, or a protocol over it such as TLS.
///
/// `Stream` and evhttp read and write a bufferevent and ask nothing of what is below it. A transport makes that bufferevent, and does the few
/// things that go past it. A listener, an HTTP server and each connection that is opened have one. What it carries over the wire may be longer
/// than what is written: whoever counts bytes counts those of the bufferevent.
package protocol Transport: Sendable {
    /// Makes the bufferevent of one connection; freeing it closes the socket.
    /// - Parameters:
    ///   - descriptor: a connected socket, or -1 for one that is set or connected later.
    ///   - side: whose handshake it is, where there is one. The event CONNECTED comes after it.
    /// - Returns: nil without memory for it.
    @Loop func makeBuffer(_ descriptor: Int32, _ side: TransportSide) -> OpaquePointer?

    /// Hands bytes to the kernel past the bufferevent, which has none that wait.
    /// - Returns: how many the kernel has taken, or a negative number. 0 where bytes do not lie on the wire as they are: the bufferevent is to
    ///   have them then.
    @Loop func send(_ bytes: UnsafeRawBufferPointer, past descriptor: Int32) -> Int

    /// Tells the other side that no more comes, where closing the socket does not say so. Before the bufferevent is freed.
    @Loop func sayEnd(on buffer: OpaquePointer)

    /// Bytes that are on the wire and that the other side has not received; 0 where that cannot be told.
    @Loop func unreceived(_ buffer: OpaquePointer) -> Int

    /// The reason of the event ERROR.
    /// - Parameter code: `errno` when the event came.
    @Loop func failure(of buffer: OpaquePointer, code: Int32) -> String
}

/// The part of a connection's end in a handshake.
package enum TransportSide: Sendable, Hashable {
    case accepting
    /// To an address, of which the host is the name that the other side is to prove.
    case connecting(SocketAddress)
}
