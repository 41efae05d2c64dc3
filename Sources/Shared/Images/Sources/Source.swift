package import TintypeCore

/// A source: a URL, perhaps with mirrors, and the options that change the bytes. Its digest is the key by which downloads are coalesced.
package struct Source: Sendable, Hashable {
    /// The addresses of the source: at least one, tried in this order.
    package let addresses: [SourceAddress]
    package var fetch: FetchOptions
    /// How much of the body is needed.
    package enum Extent: String, Sendable, Hashable {
        case whole
        /// The part with the picture's size and format.
        case header
        /// The header and the EXIF block.
        case exif
    }

    package let extent: Extent
    /// Whether the request reads only a part of the body. Probes and whole downloads are not coalesced.
    package var isProbe: Bool { extent != .whole }
    /// The hash of `cache.scope`, the owner of source and results; nil: no owner.
    package let scope: String?
    /// The access list for redirects (`AccessList.digest`); nil: none. Travels beside the source and is no part of any key.
    package var access: String?

    /// The first URL.
    package var url: String { addresses[0].url }
    /// The host of the first URL. Limits of hosts count it unless the fetch waits for a mirror.
    package var host: String { addresses[0].host }
    /// The hosts of the other URLs, each once, in their order.
    package var mirrorHosts: [String] {
        var hosts: [String] = []
        for address in addresses where address.host != host && !hosts.contains(address.host) { hosts.append(address.host) }
        return hosts
    }
    /// Returns the addresses in the order of tries after the queue has chosen this host: that host's first.
    package func addresses(beginningAt host: String) -> [SourceAddress] {
        guard host != self.host, let index = addresses.firstIndex(where: { $0.host == host }) else { return addresses }
        return [addresses[index]] + addresses[..<index] + addresses[(index + 1)...]
    }

    /// The most URLs of one source.
    static let maxMirrors = 16

    /// - Parameters:
    ///   - urls: at least one.
    ///   - keys: the URL that stands for each one in keys, if a rule sets one.
    /// - Throws: `invalidURL` for a URL that is invalid or relative, `denied` for a scheme that is not allowed.
    package init(
        urls: [String], keys: [String?] = [], fetch: FetchOptions, extent: Extent = .whole, scope: String? = nil
    ) throws(TintypeError) {
        var addresses: [SourceAddress] = []
        for (index, url) in (urls.isEmpty ? [""] : urls).enumerated() {
            addresses.append(try SourceAddress(url, params: fetch.queryParams, key: keys.indices.contains(index) ? keys[index] : nil))
        }
        // Without TLS, pins would check nothing, and only seem to.
        if !fetch.pinnedPublicKeys.isEmpty, let open = addresses.first(where: { !$0.isTLS }) {
            throw .invalidParams(
                path: "fetch.tls.pinnedPublicKeys", value: .string(RedactedURL(open.url).description), expected: "https URLs beside pinned keys")
        }
        if addresses.contains(where: { if case .object = $0.kind { true } else { false } }) { try BucketObject.check(fetch) }
        var fetch = fetch
        if !fetch.sendsForm { fetch.params = [] }
        (self.addresses, self.fetch, self.extent, self.scope) = (addresses, fetch, extent, scope)
    }

    /// Returns the same source with its whole body.
    package func whole() throws(TintypeError) -> Source {
        try Source(urls: addresses.map(\.url), keys: addresses.map(\.key), fetch: fetch, scope: scope)
    }

    /// Returns the hash that is kept instead of `cache.scope`, which may name a user.
    package static func hash(scope: String) -> String { Digest.sha256Hex("scope:\(scope)".utf8, digits: 32) }

    /// Whether the bytes may be kept for other requests. If the request has conditions of its own, a 304 would be about the client's
    /// copy and not about ours.
    package var mayBeKept: Bool {
        !isProbe && fetch.method == "GET" && addresses.allSatisfy(\.kind.isRemote) && !fetch.headers.contains { $0.name.lowercased().hasPrefix("if-") }
    }

    /// Whether the origin must know the client. The results are then only for those who know their key.
    package var isPersonal: Bool {
        scope != nil || fetch.credentials != nil || fetch.cookies != nil || fetch.tlsProfile != nil
            || fetch.headers.contains { ["authorization", "cookie"].contains($0.name.lowercased()) }
            || addresses.contains { if case .upload = $0.kind { true } else { false } }
            || addresses.contains { $0.url.utf8.contains(UInt8(ascii: "@")) && TransferURL($0.url)?.user != nil }
    }

    private var probe: JSON? {
        switch extent {
        case .whole: nil
        case .header: true
        case .exif: "exif"
        }
    }

    /// Everything that the worker needs. Holds secrets: never logged.
    package var canonical: JSON {
        var object = fetch.canonical
        object["url"] = .string(url)
        if addresses.count > 1 { object["urls"] = .array(addresses.map { .string($0.url) }) }
        if addresses.contains(where: { $0.key != nil }) { object["keys"] = .array(addresses.map { $0.key.map { .string($0) } ?? .null }) }
        object["probe"] = probe
        if let scope { object["scope"] = .string(scope) }
        return .object(object)
    }

    /// Reads the JSON from `canonical`.
    /// - Throws: as the other initializer, and `invalidParams`.
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
