/// What is downloaded: a URL and the options that alter the bytes. Its digest is the key under which downloads are merged.
package struct Source: Sendable, Hashable {
    package let url: String
    package let fetch: FetchOptions
    /// Reads no more of the body than the header needs; not merged with whole downloads.
    package let isProbe: Bool
    /// Lower-case host without port; `data:` for URLs that hold the bytes themselves: no host is called so.
    package let host: String
    /// Whether the URL holds the bytes: no network is touched.
    package let isInline: Bool
    /// The URL as the key sees it.
    private let normalizedURL: String

    /// - Throws: `invalidURL` for what cannot be parsed or is relative, `denied` for schemes that are not fetched.
    package init(url: String, fetch: FetchOptions, isProbe: Bool) throws(TintypeError) {
        let address: WebAddress
        do throws(WebAddress.ParseError) {
            address = try WebAddress(url)
        } catch {
            let reason =
                switch error {
                case .relative: "it has no scheme; give a whole URL such as https://example.org/photo.jpg"
                case .malformed(let text): text
                }
            throw TintypeError(.invalidURL, .admission, "the URL cannot be used: \(reason)", details: ["url": .string(RedactedURL(url).description)])
        }
        switch address.scheme {
        case "http", "https": (host, isInline) = (address.host, false)
        case "data": (host, isInline) = ("data:", true)
        default:
            throw TintypeError(
                .denied, .admission, "\(address.scheme): URLs are not fetched here; http, https and data are",
                details: ["url": .string(RedactedURL(url).description), "scheme": .string(address.scheme)])
        }
        self.url = url
        normalizedURL = address.normalized
        self.fetch = fetch
        self.isProbe = isProbe
    }

    /// Everything the worker needs. Holds secrets: never logged.
    package var canonical: JSON {
        var object = fetch.canonical
        object["url"] = .string(url)
        if isProbe { object["probe"] = true }
        return .object(object)
    }

    /// Reads what `canonical` wrote.
    /// - Throws: as the other initialiser, and `invalidParams`.
    package init(canonical json: JSON) throws(TintypeError) {
        try self.init(
            url: json["url"]?.string ?? "", fetch: FetchOptions(json, at: "fetch"), isProbe: json["probe"]?.bool ?? false)
    }

    /// The key of the download: 40 hexadecimal digits.
    package var digest: String {
        var object = fetch.keyed
        object["url"] = .string(normalizedURL)
        if isProbe { object["probe"] = true }
        return String(Digest.sha256Hex(JSON.object(object).canonicalBytes()).prefix(40))
    }
}
