import TintypeCore
import TintypeTransport

/// Decides which pages in a browser may send requests where no token is required. Pure.
///
/// A browser lets any page send a plain POST to a port of its own machine. A page whose name is made to point there (DNS rebinding) can also read
/// the answers. Both send `Origin`; programs do not. The browser meant this service only if the host is an address, `localhost`, or a name of the
/// operator's (`AllowedHosts`). Any other name could belong to a foreign page.
enum PageOrigin {
    /// Returns the refusal of a page.
    /// - Parameters:
    ///   - origin: `Origin`; nil if no page sends the request.
    ///   - site: `Sec-Fetch-Site`, which only browsers send.
    ///   - host: `Host`.
    ///   - own: The hosts of this service.
    /// - Returns: The reason to refuse a page; nil if there is no page, or if it belongs to this service.
    static func refusal(origin: String?, site: String?, host: String?, own: AllowedHosts = AllowedHosts()) -> TintypeError? {
        if let site, !["same-origin", "none"].contains(site.lowercased()) { return denied("a page of another site") }
        guard let origin else { return nil }
        guard let host = host?.lowercased(), !host.isEmpty, ["http://\(host)", "https://\(host)"].contains(origin.lowercased()) else {
            return denied("a page of another origin")
        }
        return own.contains(host) ? nil : denied("a page under a name")
    }

    private static func denied(_ who: String) -> TintypeError {
        TintypeError(.forbidden, .admission, "\(who) may not send requests here: the operator admits it by a token (--token-file)")
    }
}
