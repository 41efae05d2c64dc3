import CEvent
import Glibc

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
