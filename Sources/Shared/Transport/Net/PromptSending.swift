import Glibc

/// Makes the kernel send written bytes at once (TCP_NODELAY).
///
/// By default (Nagle's algorithm, RFC 896), Linux keeps a last piece that fills no packet until everything before it is acknowledged. The peer delays
/// its acknowledgement for 40 ms. An answer that is written in several pieces then takes 40 ms longer on a kept connection.
enum PromptSending {
    /// Sets the option on a connected socket, or on a listening one for all connections that it accepts. Sockets other than TCP's are not changed.
    static func set(on descriptor: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    static func isSet(on descriptor: Int32) -> Bool {
        var (value, length): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
        return getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &value, &length) == 0 && value != 0
    }
}
