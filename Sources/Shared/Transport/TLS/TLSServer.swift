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

/// One side of TLS as a transport. Both sides carry the bytes in the same way.
package protocol TLSTransport: Transport {}

extension TLSTransport {
    /// The bytes on the wire are encrypted.
    @Loop package func send(_ bytes: UnsafeRawBufferPointer, past descriptor: Int32) -> Int { 0 }

    @Loop package func sayEnd(on buffer: OpaquePointer) { tintype_tls_say_end(buffer) }

    @Loop package func failure(of buffer: OpaquePointer, code: Int32) -> String { TLSFailure(of: buffer).reason ?? String(cString: strerror(code)) }
}

/// Why a connection with TLS ended, by OpenSSL.
@Loop
struct TLSFailure {
    /// nil where OpenSSL knows no reason: then the connection itself broke.
    let reason: String?
    /// Whether this side has refused the certificate of the other, or got none.
    let isOfCertificate: Bool

    /// Takes the reason of the event ERROR from a bufferevent. A second call finds none.
    init(of buffer: OpaquePointer) {
        let failure = tintype_tls_failure(buffer)
        isOfCertificate = failure.is_of_certificate != 0
        reason = failure.reason.map { reason in
            let flaw = failure.flaw.map { ": " + String(cString: $0) } ?? ""
            return String(cString: reason) + flaw
        }
    }
}
