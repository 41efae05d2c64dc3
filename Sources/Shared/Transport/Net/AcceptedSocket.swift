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

/// Pauses a listener that cannot accept. Otherwise the waiting connection would wake the loop again at once, as long as the process has no descriptor.
/// The object lives as long as its listener; call `end` before freeing the listener.
@Loop
final class AcceptBackoff {
    private static let pause = Duration.milliseconds(200)
    /// The shortest interval between two log lines about it.
    private static let silence = Duration.seconds(10)
    /// The objects by their listeners, since the callbacks of a listener share one context.
    private static var all: [OpaquePointer: AcceptBackoff] = [:]

    private let listener: OpaquePointer
    private let address: SocketAddress
    private var timer: LoopTimer?
    private var saidAt: ContinuousClock.Instant?

    init(_ listener: OpaquePointer, _ address: SocketAddress) {
        (self.listener, self.address) = (listener, address)
        Self.all[listener] = self
        evconnlistener_set_error_cb(listener) { listener, _ in
            let reason = errno
            guard let listener else { return }
            Loop.assumeIsolated { AcceptBackoff.all[listener]?.begin(reason) }
        }
    }

    private func begin(_ reason: Int32) {
        evconnlistener_disable(listener)
        timer = LoopTimer(after: Self.pause) { [weak self] in
            guard let self, Self.all[listener] === self else { return }
            evconnlistener_enable(listener)
        }
        guard saidAt.map({ ContinuousClock.now - $0 > Self.silence }) ?? true else { return }
        saidAt = .now
        EventLog.warning("connections cannot be accepted", ["address": address, "reason": String(cString: strerror(reason))])
    }

    func end() {
        timer = nil
        if Self.all[listener] === self { Self.all[listener] = nil }
    }
}

/// A way of TCP sockets that costs 40 ms where it is off. Sockets other than TCP's are not changed.
struct TCPOption {
    /// The kernel sends written bytes at once (TCP_NODELAY). Set on a listening socket, it holds for all connections that it accepts.
    ///
    /// By default (Nagle's algorithm, RFC 896), Linux keeps a last piece that fills no packet until everything before it is acknowledged. The peer delays
    /// its acknowledgement for 40 ms. An answer that is written in several pieces then takes 40 ms longer on a kept connection.
    static let promptSending = TCPOption(number: TCP_NODELAY)
    /// The kernel acknowledges received bytes at once (TCP_QUICKACK). It sends the acknowledgement that is due, and may delay later acknowledgements again.
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
