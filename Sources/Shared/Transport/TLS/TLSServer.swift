import CTLS
import Glibc
package import TintypeCore

/// TLS beneath the connections of one listener. A connection is handed over after its handshake, for which it has 10 s.
@Loop
package final class TLSServer: TLSTransport {
    /// The time for a handshake.
    package nonisolated static let patience = Duration.seconds(10)

    private let certificates: TLSCertificates
    private let listener: String
    private let patience: Duration
    private let metrics: Metrics
    private var handshakes: [ObjectIdentifier: TLSHandshake] = [:]
    private var logThrottle = LogThrottle()

    /// - Parameters:
    ///   - listener: the name of the listener in metrics and logs: rpc, http, images or worker.
    ///   - patience: the time for a handshake.
    package init(_ certificates: TLSCertificates, listener: String, metrics: Metrics, patience: Duration = TLSServer.patience) {
        (self.certificates, self.listener, self.metrics, self.patience) = (certificates, listener, metrics, patience)
    }

    /// The number of handshakes under way.
    package var pending: Int { handshakes.count }

    package func accept(_ descriptor: Int32, peer: String, _ ready: @escaping @Loop (AcceptedSocket?) -> Void) {
        let handshake = TLSHandshake(descriptor, certificates.context, within: patience) { [weak self] handshake, outcome, reason, accepted in
            self?.handshakes[ObjectIdentifier(handshake)] = nil
            self?.note(outcome, reason, peer)
            ready(accepted)
        }
        guard let handshake else {
            close(descriptor)
            return ready(nil)
        }
        handshakes[ObjectIdentifier(handshake)] = handshake
    }

    private func note(_ outcome: TLSOutcome, _ reason: String, _ peer: String) {
        metrics.add(.tlsHandshakes, labels: listener, outcome.rawValue)
        // Probes of load balancers connect and close. The metric counts each failure.
        guard outcome != .succeeded, outcome != .closed, logThrottle.shouldLog(outcome.rawValue) else { return }
        EventLog.warning("a TLS handshake failed", ["listener": listener, "peer": peer, "outcome": outcome.rawValue, "reason": reason])
    }

    /// The accepting side alone: streams that connect have `TLSClient`.
    package func makeBuffer(_ descriptor: Int32, to address: SocketAddress?) -> OpaquePointer? { nil }
}
