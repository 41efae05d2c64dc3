import TintypeClient
import TintypeCore
import TintypeImages
package import TintypeTransport

/// The address of one of a coordinator's ports, and whether the port speaks TLS. A value.
package struct ServiceAddress: Sendable, Hashable {
    /// The port that an address is for. It decides how addresses begin.
    enum Port {
        case rpc, http

        /// The beginning of an address with TLS, and of one without.
        fileprivate var schemes: (secure: String, plain: String) { self == .rpc ? ("tls://", "tcp://") : ("https://", "http://") }
        fileprivate var wanted: String { self == .rpc ? "HOST:PORT or tls://HOST:PORT" : "HOST:PORT, http://HOST:PORT or https://HOST:PORT" }
    }

    package let address: SocketAddress
    let isSecure: Bool

    init(_ address: SocketAddress, isSecure: Bool) { (self.address, self.isSecure) = (address, isSecure) }

    /// Reads `HOST:PORT` or `unix:/path`, for the port of JSON-RPC also `tls://HOST:PORT`, for that of HTTP also `https://HOST[:PORT]`.
    /// - Parameters:
    ///   - option: the name of the option, for the error.
    ///   - isSecure: whether an address without `tls:` and the like speaks TLS.
    /// - Throws: `UsageError` with the expected form.
    init(_ text: String, _ port: Port, option: String, isSecure: Bool = false) throws(UsageError) {
        guard let slashes = text.firstRange(of: "://") else {
            self.init(try Self.read(text, option), isSecure: isSecure)
            return
        }
        let (scheme, schemes) = (text[..<slashes.upperBound].lowercased(), port.schemes)
        guard scheme == schemes.secure || scheme == schemes.plain else {
            throw UsageError("--\(option): expected \(port.wanted), not \(text)")
        }
        let isSecure = scheme == schemes.secure
        var place = text[slashes.upperBound...]
        if port == .http {
            if place.hasSuffix("/") { place.removeLast() }
            let afterBrackets = place.lastIndex(of: "]").map { place[$0...] } ?? place
            if !afterBrackets.contains(":") { place += isSecure ? ":443" : ":80" }
        }
        let address = try Self.read(String(place), option)
        guard case .tcp(let host, _) = address, !host.contains("/") else {
            throw UsageError("--\(option): expected \(port.wanted), not \(text)")
        }
        self.init(address, isSecure: isSecure)
    }

    /// The address as the client for Swift takes it.
    func place(_ port: Port) throws(ClientFailure) -> Address {
        let text =
            switch address {
            case .tcp: (isSecure ? port.schemes.secure : port.schemes.plain) + "\(address)"
            case .unix(let path): "unix://" + (path.hasPrefix("/") ? path : "/proc/self/cwd/\(path)")
            }
        do throws(ClientError) { return try Address(text) } catch { throw .unreachable(address, error.message) }
    }

    private static func read(_ text: String, _ option: String) throws(UsageError) -> SocketAddress {
        do throws(SocketAddress.ParseError) {
            return try SocketAddress(text)
        } catch {
            throw UsageError("--\(option): \(error.description)")
        }
    }
}

/// The token for a coordinator that requires one: the first in the file that `--token-file` or `TINTYPE_TOKEN_FILE` names.
enum ServiceToken {
    static let option = Option("token-file", "PATH", "A file with the coordinator's token. Default: $TINTYPE_TOKEN_FILE, else no token is sent.")

    /// Returns nil when no file is named.
    static func read(_ arguments: Arguments) throws(UsageError) -> String? {
        try arguments.file(option.name, or: "TINTYPE_TOKEN_FILE") { path throws(SettingError) in try AccessTokens.first(in: path) }
    }
}

/// TLS to a coordinator whose ports speak it.
enum ServiceTLS {
    static let options = [
        Option("tls-ca", "PATH", "The authorities that vouch for the coordinator, for tls:// and https://. Default: $TINTYPE_TLS_CA, else the system's."),
        Option("tls-cert", "PATH", "The certificate to show to the coordinator. Default: none."),
        Option("tls-key", "PATH", "The private key of --tls-cert."),
    ]

    /// Returns the authorities and the certificate for an address; nil if it does not speak TLS.
    /// - Throws: `UsageError` for a file that cannot be used, and for files without an address that speaks TLS.
    static func context(for service: ServiceAddress, _ arguments: Arguments) throws(UsageError) -> ClientTLS? {
        let (certificate, key) = (arguments["tls-cert"], arguments["tls-key"])
        guard (certificate == nil) == (key == nil) else { throw UsageError("--tls-cert and --tls-key need each other: name both files") }
        guard service.isSecure else {
            // A caller who names a file expects TLS, on one of the two ports at least.
            let addresses = [arguments["coordinator"], ProcessEnvironment.all()["TINTYPE_COORDINATOR"], arguments["http"]].compactMap(\.self)
            guard arguments["tls-ca"] == nil && certificate == nil || addresses.contains(where: { $0.hasPrefix("tls:") || $0.hasPrefix("https:") }) else {
                throw UsageError("--tls-ca and --tls-cert are for an address with TLS: --coordinator tls://HOST:PORT")
            }
            return nil
        }
        let authorities = arguments.value("tls-ca", or: "TINTYPE_TLS_CA")
        do throws(ClientError) {
            return try ClientTLS(TLSOptions(authorityFile: authorities, certificateFile: certificate, keyFile: key))
        } catch {
            throw UsageError(error.message)
        }
    }
}

/// Names of the client for Swift that other modules have too.
typealias ClientError = TintypeClient.TintypeError
typealias ClientJSON = TintypeClient.JSON
typealias ClientLoop = TintypeClient.Loop
typealias ClientTLS = TintypeClient.TLSContext
