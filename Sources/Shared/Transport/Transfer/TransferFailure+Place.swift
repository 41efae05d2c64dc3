import TintypeCore

extension TransferFailure {
    /// Adds the URL that the client may know to the failure of a hop.
    ///
    /// If redirects led to an inner address or to a refused one, that is the requested URL: the address behind it belongs to the operator.
    static func placed(_ error: TintypeError, at hop: TransferURL, of request: TransferRequest) -> TintypeError {
        error.about(url: error.name == .denied || isInner(hop) ? request.url : hop.text)
    }

    /// Returns whether a URL's host is an address that is not public, or a name that has a meaning only inside a network.
    private static func isInner(_ url: TransferURL) -> Bool {
        let host = url.plainHost ?? url.host
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        if let address = IPAddress(bare) { return AddressPolicy().refusal(of: address) != nil }
        return !bare.contains(".") || [".local", ".internal", ".localhost", ".lan", ".home.arpa"].contains { bare.lowercased().hasSuffix($0) }
    }
}
