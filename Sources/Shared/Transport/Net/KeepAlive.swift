import Glibc

/// What makes a TCP connection notice that its other side has gone without a word: a host without power, a way that was cut, a NAT that has
/// forgotten it. Left to itself, Linux notices after two hours, or after a quarter of an hour if something was sent.
enum KeepAlive {
    /// Seconds of silence after which the other side is asked whether it is there.
    static let idle: Int32 = 10
    /// Seconds between two questions.
    static let interval: Int32 = 5
    /// Questions without an answer after which it is gone.
    static let probes: Int32 = 3
    /// Milliseconds that what was sent may stay unacknowledged, or that the other side may take nothing of what waits for it.
    static let patience: Int32 = 25_000

    /// Sets them on a connected socket, or on a listening one for all that it accepts. Of sockets that are not TCP's it changes nothing.
    /// - Parameter limitsOutput: whether `patience` holds; where it does not, its owner watches over what it sends.
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
