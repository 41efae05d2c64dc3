import TintypeCore
import TintypeTransport

/// TLS to a coordinator whose ports speak it.
enum ServiceTLS {
    static let options = [
        Option("tls-ca", "PATH", "The authorities that vouch for the coordinator, for tls:// and https://. Default: $TINTYPE_TLS_CA, else the system's."),
        Option("tls-cert", "PATH", "The certificate to show to the coordinator. Default: none."),
        Option("tls-key", "PATH", "The private key of --tls-cert."),
    ]

    /// Returns the carrier of the bytes of a connection.
    /// - Throws: `UsageError` for a file that cannot be used, and for files without an address that speaks TLS.
    static func transport(to service: ServiceAddress, _ arguments: Arguments) throws(UsageError) -> any Transport {
        let (certificate, key) = (arguments["tls-cert"], arguments["tls-key"])
        guard (certificate == nil) == (key == nil) else { throw UsageError("--tls-cert and --tls-key need each other: name both files") }
        guard service.isSecure else {
            // A caller who names a file expects TLS, on one of the two ports at least.
            let addresses = [arguments["coordinator"], ProcessEnvironment.all()["TINTYPE_COORDINATOR"], arguments["http"]].compactMap(\.self)
            guard arguments["tls-ca"] == nil && certificate == nil || addresses.contains(where: { $0.hasPrefix("tls:") || $0.hasPrefix("https:") }) else {
                throw UsageError("--tls-ca and --tls-cert are for an address with TLS: --coordinator tls://HOST:PORT")
            }
            return PlainTransport()
        }
        let authorities = arguments["tls-ca"] ?? ProcessEnvironment.all()["TINTYPE_TLS_CA"].flatMap { $0.isEmpty ? nil : $0 }
        do throws(SettingError) {
            return TLSClient(try TLSContext(TLSClientFiles(authorities: authorities, certificate: certificate, key: key)))
        } catch {
            throw UsageError(error.message)
        }
    }
}
