import CTLS

/// Why a connection with TLS ended, by OpenSSL.
@Loop
struct TLSFailure {
    /// nil where OpenSSL knows no reason: then the connection itself broke.
    let reason: String?
    /// Whether this side has refused the certificate of the other, or got none.
    let isOfCertificate: Bool

    /// Takes the reason of the event ERROR from a bufferevent. A second look finds none.
    init(of buffer: OpaquePointer) {
        let failure = tintype_tls_failure(buffer)
        isOfCertificate = failure.is_of_certificate != 0
        reason = failure.reason.map { reason in
            let flaw = failure.flaw.map { ": " + String(cString: $0) } ?? ""
            return String(cString: reason) + flaw
        }
    }
}
