import Glibc

/// A way of TCP sockets that costs 40 ms where it is off. Sockets other than TCP's are not changed.
struct TCPOption {
    /// The kernel sends written bytes at once (TCP_NODELAY). Set on a listening socket, it holds for all connections that it accepts.
    ///
    /// By default (Nagle's algorithm, RFC 896), Linux keeps a last piece that fills no packet until everything before it is acknowledged. The peer delays
    /// its acknowledgement for 40 ms. An answer that is written in several pieces then takes 40 ms longer on a kept connection.
    static let promptSending = TCPOption(number: TCP_NODELAY)
    /// The kernel acknowledges received bytes at once (TCP_QUICKACK). It sends what is due, and may delay later acknowledgements again.
    ///
    /// By default, Linux delays an acknowledgement for 40 ms, in case an answer can carry it. A client that has ended its TLS handshake often waits for that
    /// acknowledgement before it sends its first request (Nagle's algorithm). Other servers answer with a session ticket; Tintype sends none.
    static let promptAcknowledgement = TCPOption(number: TCP_QUICKACK)

    private let number: Int32

    func set(on descriptor: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), number, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    func isSet(on descriptor: Int32) -> Bool {
        var (value, length): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
        return getsockopt(descriptor, Int32(IPPROTO_TCP), number, &value, &length) == 0 && value != 0
    }
}
