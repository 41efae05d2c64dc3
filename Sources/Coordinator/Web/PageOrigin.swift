import TintypeCore
import TintypeTransport

/// Which pages in a browser may ask for anything where no token is asked for. Pure.
///
/// A browser lets any page of the web send a plain POST to a port of its own machine, and a page whose name is made to point
/// there (DNS rebinding) reads the answers too. Both say `Origin`; programs do not. Only an address or `localhost` as the host says that
/// the browser meant this service: a name could be anybody's. So can a name of the operator's (`OwnHosts`).
enum PageOrigin {
    /// - Parameters:
    ///   - origin: `Origin`; nil where no page asks.
    ///   - site: `Sec-Fetch-Site`, which browsers alone send.
    ///   - host: `Host`.
    ///   - own: the hosts that are this service.
    /// - Returns: why a page is refused; nil if it is none, or one of this service.
    static func refusal(origin: String?, site: String?, host: String?, own: OwnHosts = OwnHosts()) -> TintypeError? {
        if let site, !["same-origin", "none"].contains(site.lowercased()) { return denied("a page of another site") }
        guard let origin else { return nil }
        guard let host = host?.lowercased(), !host.isEmpty, ["http://\(host)", "https://\(host)"].contains(origin.lowercased()) else {
            return denied("a page of another origin")
        }
        return own.contains(host) ? nil : denied("a page under a name")
    }

    private static func denied(_ who: String) -> TintypeError {
        TintypeError(.forbidden, .admission, "\(who) may not ask here; the operator lets it in by a token (--token-file)")
    }
}
