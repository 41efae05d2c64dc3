import Shared

/// Which pages in a browser may ask for anything where no token is asked for. Pure.
///
/// A browser lets any page of the web send a plain POST to a port of its own machine, and a page whose name is made to point
/// there (DNS rebinding) reads the answers too. Both say `Origin`; programs do not. Only an address or `localhost` as the host says that
/// the browser meant this service: a name could be anybody's.
enum PageOrigin {
    /// - Parameters:
    ///   - origin: `Origin`; nil where no page asks.
    ///   - site: `Sec-Fetch-Site`, which browsers alone send.
    ///   - host: `Host`.
    /// - Returns: why a page is refused; nil if it is none, or one of this service.
    static func refusal(origin: String?, site: String?, host: String?) -> TintypeError? {
        if let site, !["same-origin", "none"].contains(site.lowercased()) { return denied("a page of another site") }
        guard let origin else { return nil }
        guard let host = host?.lowercased(), !host.isEmpty, ["http://\(host)", "https://\(host)"].contains(origin.lowercased()) else {
            return denied("a page of another origin")
        }
        return isOwn(host) ? nil : denied("a page under a name")
    }

    /// Whether a host, with or without port, can only be this machine or the address that was connected to.
    private static func isOwn(_ host: String) -> Bool {
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
            return ["", ":"].contains(host[end...].dropFirst().prefix(1)) && IPAddress(String(host[..<end].dropFirst())) != nil
        }
        let name = host.prefix { $0 != ":" }
        return name == "localhost" || name.hasSuffix(".localhost") || IPAddress(String(name)) != nil
    }

    private static func denied(_ who: String) -> TintypeError {
        TintypeError(.forbidden, .admission, "\(who) may not ask here; the operator lets it in by a token (--token-file)")
    }
}
