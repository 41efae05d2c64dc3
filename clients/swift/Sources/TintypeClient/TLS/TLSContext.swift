#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The parts that the TLS sessions of a client share: authorities, and the certificate of the client.
///
/// - Note: `@unchecked Sendable`: the context is set up once, and OpenSSL counts and locks what sessions share.
package final class TLSContext: @unchecked Sendable {
    let library: OpenSSL
    let context: OpaquePointer
    let serverName: String?

    /// - Throws: `tls` when there is no OpenSSL 3, or a file cannot be used.
    package init(_ options: TLSOptions) throws(TintypeError) {
        guard let library = OpenSSL.loaded else { throw .local(.tls, Self.missing) }
        library.clearErrors()
        guard let context = library.contextNew(library.tlsClientMethod()) else { throw .local(.tls, "OpenSSL: \(library.latestError())") }
        self.library = library
        self.context = context
        serverName = options.serverName
        // SSL_CTRL_SET_MIN_PROTO_VERSION, TLS 1.2.
        _ = library.contextControl(context, 123, 0x0303, nil)
        // SSL_VERIFY_PEER.
        library.contextSetVerify(context, 1, nil)
        if let file = options.authorityFile {
            try check(library.contextLoadVerifyLocations(context, file, nil), "the authorities in \(file)")
        } else {
            try check(library.contextSetDefaultVerifyPaths(context), "the authorities of the system")
        }
        if let file = options.certificateFile {
            try check(library.contextUseCertificateChainFile(context, file), "the certificate in \(file)")
            let key = options.keyFile ?? file
            // SSL_FILETYPE_PEM.
            try check(library.contextUsePrivateKeyFile(context, key, 1), "the private key in \(key)")
        }
    }

    /// Returns what the addresses need; nil when none of them has TLS of its own.
    ///
    /// - Throws: `tls` when there is no OpenSSL 3, or a file cannot be used.
    static func make(_ options: TLSOptions, for addresses: [Address]) throws(TintypeError) -> TLSContext? {
        #if canImport(Darwin)
            let needsIt = addresses.contains { $0.isSecure && $0.kind == .tcp } || (options != TLSOptions() && addresses.contains(where: \.isSecure))
        #else
            let needsIt = addresses.contains(where: \.isSecure)
        #endif
        return needsIt ? try TLSContext(options) : nil
    }

    deinit {
        library.contextFree(context)
    }

    #if canImport(Darwin)
        private static let missing = "there is no OpenSSL on this system: give an address with https://, and no TLS options"
    #else
        private static let missing = "TLS needs libssl.so.3 of OpenSSL 3, which cannot be loaded: install it (on Debian and Ubuntu: libssl3)"
    #endif

    private func check(_ result: Int32, _ what: String) throws(TintypeError) {
        if result != 1 { throw .local(.tls, "\(what) cannot be used: \(library.latestError())") }
    }
}
