import TintypeTransport

/// The address of one of a coordinator's ports, and whether the port speaks TLS. A value.
struct ServiceAddress: Sendable, Hashable {
    /// The port that an address is for. It decides how addresses begin.
    enum Port {
        case rpc, http

        /// The beginning of an address with TLS, and of one without.
        fileprivate var schemes: (secure: String, plain: String) { self == .rpc ? ("tls://", "tcp://") : ("https://", "http://") }
        fileprivate var wanted: String { self == .rpc ? "HOST:PORT or tls://HOST:PORT" : "HOST:PORT, http://HOST:PORT or https://HOST:PORT" }
    }

    let address: SocketAddress
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
    private static func read(_ text: String, _ option: String) throws(UsageError) -> SocketAddress {
        do throws(SocketAddress.ParseError) {
            return try SocketAddress(text)
        } catch {
            throw UsageError("--\(option): \(error.description)")
        }
    }
}
