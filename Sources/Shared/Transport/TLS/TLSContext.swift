import CTLS
package import TintypeCore

/// The keys, certificates and rules of one side of TLS connections, as they were in the files when the context was made. It is never changed: a reload
/// makes another one, and connections keep theirs.
///
/// TLS 1.2 and 1.3, without renegotiation, compression or resumption.
// @unchecked: an SSL_CTX is never changed after init. OpenSSL counts the references to it by atomics.
package final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer
    /// The time at which the certificate, or one above it in its file, expires, in seconds since 1970; nil without a certificate.
    package let expiry: Double?

    /// Reads the files of a server. Blocks.
    /// - Throws: `SettingError` for a file that cannot be used, and for a key that is not the certificate's.
    package convenience init(_ files: TLSServerFiles) throws(SettingError) {
        try self.init(isServer: true) { context throws(SettingError) in
            try Self.use(files.certificate, files.key, in: context)
            guard let authorities = files.clientAuthorities else { return }
            guard tintype_tls_trust(context, authorities) == 1, tintype_tls_ask_clients(context, authorities, files.clients == .required ? 1 : 0) == 1
            else { throw Self.error("\(authorities): no authority can be read") }
        }
    }

    /// Reads the files of a client. Blocks.
    /// - Throws: `SettingError` for a file that cannot be used, and for a key that is not the certificate's.
    package convenience init(_ files: TLSClientFiles) throws(SettingError) {
        try self.init(isServer: false) { context throws(SettingError) in
            guard tintype_tls_trust(context, files.authorities) == 1 else {
                throw Self.error("\(files.authorities ?? "the system's authorities"): no authority can be read")
            }
            tintype_tls_ask_server(context)
            if let certificate = files.certificate, let key = files.key { try Self.use(certificate, key, in: context) }
        }
    }

    private init(isServer: Bool, _ read: (OpaquePointer) throws(SettingError) -> Void) throws(SettingError) {
        guard let context = tintype_tls_context(isServer ? 1 : 0) else { throw Self.error("TLS cannot be used") }
        pointer = context
        do throws(SettingError) {
            try read(context)
        } catch {
            SSL_CTX_free(context)
            throw error
        }
        let end = tintype_tls_expiry(context)
        expiry = end > 0 ? Double(end) : nil
    }

    deinit { SSL_CTX_free(pointer) }

    private static func use(_ certificate: String, _ key: String, in context: OpaquePointer) throws(SettingError) {
        guard tintype_tls_use_certificate(context, certificate) == 1 else { throw error("\(certificate): no certificate can be read") }
        guard tintype_tls_use_key(context, key) == 1 else { throw error("\(key): no key of the certificate \(certificate) can be read") }
    }

    private static func error(_ text: String) -> SettingError {
        SettingError(tintype_tls_reason().map { "\(text): \(String(cString: $0))" } ?? text)
    }
}
