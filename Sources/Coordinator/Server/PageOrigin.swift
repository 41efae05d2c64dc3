package import TintypeCore
package import TintypeTransport

/// Decides which pages in a browser may send requests where no token is required. Pure.
///
/// A browser lets any page send a plain POST to a port of its own machine. A page whose name is made to point there (DNS rebinding) can also read
/// the answers. Both send `Origin`; programs do not. The browser meant this service only if the host is an address, `localhost`, or a name of the
/// operator's (`AllowedHosts`). Any other name could belong to a foreign page.
package enum PageOrigin {
    /// Returns the refusal of a page.
    /// - Parameters:
    ///   - origin: `Origin`; nil if no page sends the request.
    ///   - site: `Sec-Fetch-Site`, which only browsers send.
    ///   - host: `Host`.
    ///   - own: The hosts of this service.
    /// - Returns: The reason to refuse a page; nil if there is no page, or if it belongs to this service.
    package static func refusal(origin: String?, site: String?, host: String?, own: AllowedHosts = AllowedHosts()) -> TintypeError? {
        if let stranger = stranger(origin: origin, site: site, host: host) { return denied(stranger) }
        guard origin != nil, let host = host?.lowercased() else { return nil }
        return own.contains(host) ? nil : denied("a page under a name")
    }

    /// Returns what kind of page sends a request, if it is none of the host that the request is for.
    ///
    /// A browser sends the cookie of a session for pages of the same site too, and another port of a host is the same site. So a cookie counts only
    /// where this is nil.
    /// - Returns: A word for an error; nil if no page sends the request, or one of the same origin.
    package static func stranger(origin: String?, site: String?, host: String?) -> String? {
        if let site, !["same-origin", "none"].contains(site.lowercased()) { return "a page of another site" }
        guard let origin else { return nil }
        guard let host = host?.lowercased(), !host.isEmpty, ["http://\(host)", "https://\(host)"].contains(origin.lowercased()) else {
            return "a page of another origin"
        }
        return nil
    }

    package static func denied(_ who: String) -> TintypeError {
        TintypeError(.forbidden, .admission, "\(who) may not send requests here: the operator admits it by a token (--token-file)")
    }
}
