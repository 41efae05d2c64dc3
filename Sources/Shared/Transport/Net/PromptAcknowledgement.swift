import Glibc

/// Makes the kernel acknowledge received bytes at once (TCP_QUICKACK).
///
/// By default, Linux delays an acknowledgement for 40 ms, in case an answer can carry it. A client that has ended its TLS handshake often waits for that
/// acknowledgement before it sends its first request (Nagle's algorithm, RFC 896). Other servers answer with a session ticket; Tintype sends none.
enum PromptAcknowledgement {
    /// Sends the acknowledgement that is due on a connected socket. The kernel may delay later ones again.
    static func send(on descriptor: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Whether the kernel acknowledges at once at this moment.
    static func isSet(on descriptor: Int32) -> Bool {
        var (value, length): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
        return getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &value, &length) == 0 && value != 0
    }
}
