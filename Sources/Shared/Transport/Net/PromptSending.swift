import Glibc

/// Has the kernel send what is written at once (TCP_NODELAY).
///
/// Left to itself (Nagle's algorithm, RFC 896), Linux keeps a last piece that fills no packet until all before it is acknowledged. The other side
/// puts its acknowledgement off for 40 ms. An answer that is written in several pieces then takes 40 ms more on a connection that is kept.
enum PromptSending {
    /// Sets it on a connected socket, or on a listening one for all that it accepts. Of sockets that are not TCP's it changes nothing.
    static func set(on descriptor: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Whether it is set.
    static func isSet(on descriptor: Int32) -> Bool {
        var (value, length): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
        return getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &value, &length) == 0 && value != 0
    }
}
