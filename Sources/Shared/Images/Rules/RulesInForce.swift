import TintypeCore
import TintypeTransport

/// The rules that count for one request. A pure value; may hold secrets.
///
/// Of one thing the last rule's word counts, beneath the request's own; access and lifetimes bound what the request may say.
struct RulesInForce: Sendable {
    let addresses: [RuledAddress]
    /// Those that are about all of its URLs, in the order of their file.
    let common: [Rule]

    init(_ addresses: [RuledAddress]) {
        self.addresses = addresses
        common = (addresses.first?.rules ?? []).filter { rule in addresses.dropFirst().allSatisfy { $0.rules.contains { $0.name == rule.name } } }
    }

    /// Of pictures for which the request names none.
    var transform: [AnyOperation]? { common.last { $0.transform != nil }?.transform }
    /// Whether nothing is downloaded for it.
    var isKeptOnly: Bool { addresses.contains(where: \.isKeptOnly) }
    var lifetime: LifetimeBounds? { common.last { $0.lifetime != nil }?.lifetime }
    private var options: JSONObject? {
        let options = common.compactMap(\.options)
        return options.isEmpty ? nil : RuleOptions.laid(options)
    }

    /// The request with what is said for it; nil where nothing is.
    func completing(_ asked: JSONObject, isProbe: Bool) -> JSONObject? {
        var words = options.map { RuleOptions.completed(asked, over: $0, isProbe: isProbe) }
        if let lifetime, var cache = (words ?? asked)["cache"]?.object, let ttl = cache["ttl"]?.double, ttl >= 0, lifetime.nearest(to: ttl) != ttl {
            cache["ttl"] = JSON(lifetime.nearest(to: ttl))
            words = (words ?? asked).merging(["cache": .object(cache)])
        }
        return words
    }

    /// How another picture is downloaded, of which requests say nothing.
    func completing(_ fetch: FetchOptions) throws(TintypeError) -> FetchOptions {
        guard let said = options?["fetch"] else { return fetch }
        return try FetchOptions(said, at: "fetch")
    }

    /// - Throws: `invalidURL`; `invalidParams` for a CDN that there is not.
    func source(_ asked: FetchOptions, extent: Source.Extent = .whole, scope: String?) throws(TintypeError) -> Source {
        var fetch = asked
        (fetch.base, fetch.cdn) = (nil, false)
        // Those of the query are in the URLs by then.
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
