import Glibc

/// The options by which a TCP connection notices a peer that has gone silently. Examples are a host without power, a broken route, and a NAT that has
/// forgotten the connection. By default Linux notices after two hours, or after a quarter of an hour if bytes were sent.
enum KeepAlive {
    /// Seconds of silence before the first probe.
    static let idle: Int32 = 10
    /// Seconds between two probes.
    static let interval: Int32 = 5
    /// Probes without an answer after which the peer is gone.
    static let probes: Int32 = 3
    /// Milliseconds for which sent bytes may stay unacknowledged, or the peer may take none of the waiting bytes.
    static let patience: Int32 = 25_000

    /// Sets the options on a connected socket, or on a listening one for all connections that it accepts. Sockets other than TCP's are not changed.
    /// - Parameter limitsOutput: whether `patience` applies. If not, the owner limits the time for its output.
    static func set(on descriptor: Int32, limitsOutput: Bool = true) {
        set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, idle)
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, interval)
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, probes)
        if limitsOutput { set(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, patience) }
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
