package import TintypeCore
import TintypeTransport

/// What is downloaded: a URL, perhaps with mirrors, and the options that alter the bytes. Its digest is the key under which downloads are
/// merged.
package struct Source: Sendable, Hashable {
    /// Where it is to be had: at least one place, tried in this order.
    package let addresses: [SourceAddress]
    package var fetch: FetchOptions
    /// How much of the body is wanted.
    package enum Extent: String, Sendable, Hashable {
        case whole
        /// What says the picture's size and kind.
        case header
        /// The same, and the EXIF block.
        case exif
    }

    package let extent: Extent
    /// Reads no more of the body than it needs; not merged with whole downloads.
    package var isProbe: Bool { extent != .whole }
    /// Hash of `cache.scope`: whose the source and its results are; nil: everybody's.
    package let scope: String?
    /// By which list of what may be fetched redirects are judged (`AccessList.digest`); nil: by none. Travels beside it, and is no part of any key.
    package var access: String?

    /// The first of its URLs.
    package var url: String { addresses[0].url }
    /// The first one's: limits by host go by it where no mirror is waited for.
    package var host: String { addresses[0].host }
    /// Those of the others that are not on it, each once, in their order.
    package var mirrorHosts: [String] {
        var hosts: [String] = []
        for address in addresses where address.host != host && !hosts.contains(address.host) { hosts.append(address.host) }
        return hosts
    }
    /// Its addresses in the order in which they are tried where its queue has let it wait for this host: that one's first.
    package func addresses(beginningAt host: String) -> [SourceAddress] {
        guard host != self.host, let index = addresses.firstIndex(where: { $0.host == host }) else { return addresses }
        return [addresses[index]] + addresses[..<index] + addresses[(index + 1)...]
    }

    /// The most URLs of one source.
    static let mostMirrors = 16

    /// - Parameters:
    ///   - urls: at least one.
    ///   - keys: what stands for each in keys, where a rule says that something else does.
    /// - Throws: `invalidURL` for what cannot be parsed or is relative, `denied` for schemes that are not fetched.
    package init(
        urls: [String], keys: [String?] = [], fetch: FetchOptions, extent: Extent = .whole, scope: String? = nil
    ) throws(TintypeError) {
        var addresses: [SourceAddress] = []
        for (index, url) in (urls.isEmpty ? [""] : urls).enumerated() {
            addresses.append(try SourceAddress(url, params: fetch.queryParams, key: keys.indices.contains(index) ? keys[index] : nil))
        }
        // Beside a server that shows no key they would say nothing, and seem to.
        if !fetch.pinnedPublicKeys.isEmpty, let open = addresses.first(where: { !$0.isTLS }) {
            throw .invalidParams(
                path: "fetch.tls.pinnedPublicKeys", value: .string(RedactedURL(open.url).description), expected: "https URLs beside pinned keys")
        }
        var fetch = fetch
        if !fetch.sendsForm { fetch.params = [] }
        (self.addresses, self.fetch, self.extent, self.scope) = (addresses, fetch, extent, scope)
    }

    /// The same, all of it.
    package func whole() throws(TintypeError) -> Source {
        try Source(urls: addresses.map(\.url), keys: addresses.map(\.key), fetch: fetch, scope: scope)
    }

    /// What is kept of `cache.scope`: it may name a user.
    package static func hash(scope: String) -> String { Digest.sha256Hex("scope:\(scope)".utf8, digits: 32) }

    /// Whether its bytes may be kept for whoever asks next. Where the request brings conditions of its own, a 304 would speak of the client's
    /// copy and not of ours.
    package var mayBeKept: Bool {
        !isProbe && fetch.method == "GET" && addresses.allSatisfy { $0.kind == .http } && !fetch.headers.contains { $0.name.lowercased().hasPrefix("if-") }
    }

    /// Whether its origin has to know who asks: what comes of it is for nobody else, but for whoever has its key.
    package var isPersonal: Bool {
        scope != nil || fetch.credentials != nil || fetch.cookies != nil || fetch.tlsProfile != nil
            || fetch.headers.contains { ["authorization", "cookie"].contains($0.name.lowercased()) }
            || addresses.contains { $0.url.utf8.contains(UInt8(ascii: "@")) && TransferURL($0.url)?.user != nil }
    }

    private var probe: JSON? {
        switch extent {
        case .whole: nil
        case .header: true
        case .exif: "exif"
        }
    }

    /// Everything the worker needs. Holds secrets: never logged.
    package var canonical: JSON {
        var object = fetch.canonical
        object["url"] = .string(url)
        if addresses.count > 1 { object["urls"] = .array(addresses.map { .string($0.url) }) }
        if addresses.contains(where: { $0.key != nil }) { object["keys"] = .array(addresses.map { $0.key.map { .string($0) } ?? .null }) }
        object["probe"] = probe
        if let scope { object["scope"] = .string(scope) }
        return .object(object)
    }

    /// Reads what `canonical` wrote.
    /// - Throws: as the other initialiser, and `invalidParams`.
    package init(canonical json: JSON) throws(TintypeError) {
        let urls = json["urls"]?.array?.map { $0.string ?? "" } ?? [json["url"]?.string ?? ""]
        let extent = json["probe"]?.string.flatMap { Extent(rawValue: $0) } ?? (json["probe"]?.bool == true ? .header : .whole)
        try self.init(
            urls: urls, keys: json["keys"]?.array?.map(\.string) ?? [], fetch: FetchOptions(json, at: "fetch", by: .rule), extent: extent,
            scope: json["scope"]?.string)
    }

    /// The key of the download: 40 hexadecimal digits.
    package var digest: String {
        var object = fetch.keyed
        object["url"] = .string(addresses[0].normalized)
        if addresses.count > 1 { object["urls"] = .array(addresses.map { .string($0.normalized) }) }
        object["probe"] = probe
        if let scope { object["scope"] = .string(scope) }
        return Digest.sha256Hex(JSON.object(object).canonicalBytes(), digits: 40)
    }
}
