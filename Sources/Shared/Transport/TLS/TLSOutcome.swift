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
