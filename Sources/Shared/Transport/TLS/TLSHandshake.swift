import CTLS
import TintypeCore

/// The handshake of one accepted connection, until it succeeds, fails or takes too long. Lives on the loop.
///
/// No other code has the connection before that. Thus a client that stalls here holds a socket and its place among the connections, for a limited time.
@Loop
final class TLSHandshake {
    /// The room for the names of a client, in bytes.
    private nonisolated static let roomOfNames = 8 << 10

    /// Takes the handshake, its outcome, the reason of a failure, and the connection if there is one.
    typealias Completion = @Loop (TLSHandshake, TLSOutcome, String, AcceptedSocket?) -> Void

    private var buffer: OpaquePointer?
    private var timer: LoopTimer?
    private var done: Completion?

    /// Begins the handshake.
    /// - Parameters:
    ///   - descriptor: the socket. The handshake closes it, unless it succeeds.
    ///   - done: called once, in a later turn of the loop.
    /// - Returns: nil if there is no memory. The descriptor is still open then.
    init?(_ descriptor: Int32, _ context: TLSContext, within limit: Duration, _ done: @escaping Completion) {
        guard let buffer = tintype_tls_buffer(Loop.eventLoop.base, descriptor, context.pointer, nil) else { return nil }
        (self.buffer, self.done) = (buffer, done)
        bufferevent_setcb(
            buffer, nil, nil, { _, events, context in Loop.callback(context, TLSHandshake.self) { $0.happened(Int32(events)) } },
            Unmanaged.passUnretained(self).toOpaque())
        timer = LoopTimer(after: limit) { [weak self] in self?.end(.timeout, "the client took too long") }
    }

    private func happened(_ events: Int32) {
        guard let buffer else { return }
        if events & BEV_EVENT_CONNECTED != 0 { return succeed(buffer) }
        if events & BEV_EVENT_EOF != 0 { return end(.closed, "the client closed the connection") }
        let failure = TLSFailure(of: buffer)
        guard let reason = failure.reason else { return end(.closed, "the connection broke") }
        end(failure.isOfCertificate ? .certificate : .failed, reason)
    }

    private func succeed(_ buffer: OpaquePointer) {
        let certificate = Self.certificate(of: buffer)
        self.buffer = nil
        bufferevent_setcb(buffer, nil, nil, nil, nil)
        TCPOption.promptAcknowledgement.set(on: bufferevent_getfd(buffer))
        finish(.succeeded, "", .secured(buffer, certificate: certificate))
    }

    /// Returns the names in the client's certificate; nil if the client has shown none. A certificate without a plain name gives no names.
    private static func certificate(of buffer: OpaquePointer) -> CertificateNames? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: roomOfNames) { names in
            let count = Int(tintype_tls_peer_names(buffer, names.baseAddress, names.count))
            guard count >= 0 else { return nil }
            var (uris, dns): ([String], [String]) = ([], [])
            for entry in UnsafeRawBufferPointer(names).prefix(count).split(separator: 0) {
                let text = String(decoding: entry.dropFirst(), as: UTF8.self)
                if entry.first == UInt8(ascii: "U") { uris.append(text) } else { dns.append(text) }
            }
            return CertificateNames(uris: uris, dns: dns)
        }
    }

    private func end(_ outcome: TLSOutcome, _ reason: String) {
        close()
        finish(outcome, reason, nil)
    }

    private func finish(_ outcome: TLSOutcome, _ reason: String, _ accepted: AcceptedSocket?) {
        timer = nil
        let done = done
        self.done = nil
        done?(self, outcome, reason, accepted)
    }

    private func close() {
        guard let buffer else { return }
        self.buffer = nil
        bufferevent_setcb(buffer, nil, nil, nil, nil)
        bufferevent_free(buffer)
    }

    isolated deinit { close() }
}

/// How the handshake of an accepted connection ended. The raw values are labels of the metric.
package enum TLSOutcome: String, Sendable, CaseIterable {
    case succeeded
    /// The client's certificate is missing or invalid.
    case certificate
    /// Any other fault: a client without TLS, an old version, or a client that does not trust the server's certificate.
    case failed
    /// The client closed the connection.
    case closed
    /// The client took too long.
    case timeout
}
