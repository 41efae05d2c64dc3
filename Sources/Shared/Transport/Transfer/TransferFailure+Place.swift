import TintypeCore

extension TransferFailure {
    /// The failure of a hop with the URL that its client may know of it.
    ///
    /// Where redirects led to an inner place, or to one that is refused, it is the URL that was asked for: what lies behind is the operator's.
    static func placed(_ error: TintypeError, at hop: TransferURL, of request: TransferRequest) -> TintypeError {
        error.about(url: error.name == .denied || isInner(hop) ? request.url : hop.text)
    }

    /// Whether a URL's host is an address that is not public, or a name that means something inside a network alone.
    private static func isInner(_ url: TransferURL) -> Bool {
        let host = url.plainHost ?? url.host
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        if let address = IPAddress(bare) { return AddressPolicy().refusal(of: address) != nil }
        return !bare.contains(".") || [".local", ".internal", ".localhost", ".lan", ".home.arpa"].contains { bare.lowercased().hasSuffix($0) }
    }
}
