import TintypeCore

/// The rules that match one request. A pure value; may hold secrets.
///
/// For one option, the last rule wins, and the request wins over rules; access and lifetimes limit the request too.
struct RulesInForce: Sendable {
    let addresses: [RuledAddress]
    /// The rules that match all URLs of the request, in the order of their file.
    let common: [Rule]

    init(_ addresses: [RuledAddress]) {
        self.addresses = addresses
        common = (addresses.first?.rules ?? []).filter { rule in addresses.dropFirst().allSatisfy { $0.rules.contains { $0.name == rule.name } } }
    }

    /// The operations for pictures without `transform`.
    var transform: [AnyOperation]? { common.last { $0.transform != nil }?.transform }
    /// Whether nothing is downloaded for the request.
    var isKeptOnly: Bool { addresses.contains(where: \.isKeptOnly) }
    var lifetime: LifetimeBounds? { common.last { $0.lifetime != nil }?.lifetime }
    private var options: JSONObject? {
        let options = common.compactMap(\.options)
        return options.isEmpty ? nil : RuleOptions.laid(options)
    }

    /// Returns the request with the members from rules; nil if there are none.
    func completing(_ asked: JSONObject, isProbe: Bool) -> JSONObject? {
        var words = options.map { RuleOptions.completed(asked, over: $0, isProbe: isProbe) }
        if let lifetime, var cache = (words ?? asked)["cache"]?.object, let ttl = cache["ttl"]?.double, ttl >= 0, lifetime.nearest(to: ttl) != ttl {
            cache["ttl"] = JSON(lifetime.nearest(to: ttl))
            words = (words ?? asked).merging(["cache": .object(cache)])
        }
        return words
    }

    /// Returns the fetch options of another picture, for which requests have no options.
    func completing(_ fetch: FetchOptions) throws(TintypeError) -> FetchOptions {
        guard let said = options?["fetch"] else { return fetch }
        return try FetchOptions(said, at: "fetch")
    }

    /// - Throws: `invalidURL`; `invalidParams` for a CDN that does not exist.
    func source(_ asked: FetchOptions, extent: Source.Extent = .whole, scope: String?) throws(TintypeError) -> Source {
        var fetch = asked
        (fetch.base, fetch.cdn) = (nil, false)
        // The query parameters are in the URLs by then.
        if !fetch.sendsForm { fetch.params = [] }
        let headers = RuledHeaders(asked.headers, common)
        (fetch.headers, fetch.omittedHeaders) = (headers.sent.map(\.header), headers.omitted.map(\.name).filter(RuledHeaders.own.contains).sorted())
        fetch.lifetime = lifetime
        fetch.tlsProfile = common.last { $0.tlsProfile != nil }?.tlsProfile
        fetch.revision = common.last { $0.revision != nil }?.revision
        let settled = try addresses.map { address throws(TintypeError) in try address.settled(asked) }
        return try Source(urls: settled.map(\.url), keys: settled.map(\.key), fetch: fetch, extent: extent, scope: scope)
    }
}
