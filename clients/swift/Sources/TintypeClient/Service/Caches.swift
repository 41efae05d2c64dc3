#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A picture in the caches: its key, or the request that made it.
public enum CacheEntry: Sendable, ExpressibleByStringLiteral {
    case key(String)
    case request(ImageRequest)

    public init(stringLiteral key: String) { self = .key(key) }

    func params(_ more: JSONObject = [:]) -> JSON {
        var members: JSONObject =
            switch self {
            case .key(let key): ["key": .string(key)]
            case .request(let request): request.json.objectValue ?? [:]
            }
        for (name, value) in more { members[name] = value }
        return .object(members)
    }
}

/// The caches of the service. Nothing here asks an origin.
public struct Caches: Sendable {
    let client: Tintype

    /// Returns a kept picture; nil when none is kept.
    public func image(_ entry: CacheEntry, tier: CacheTier? = nil) async throws(TintypeError) -> LoadedImage? {
        do throws(TintypeError) {
            let answer = try await client.call("cache.get", entry.params(Self.members(tier)))
            return LoadedImage(try Tintype.read(answer, "cache.get"), client: client)
        } catch  where error.name == .cacheMiss {
            return nil
        }
    }

    /// Returns the tiers that keep a picture.
    public func tiers(of entry: CacheEntry, tier: CacheTier? = nil) async throws(TintypeError) -> [CacheTier] {
        let answer = try await client.call("cache.contains", entry.params(Self.members(tier)))
        return try Tintype.read(answer["tiers"] ?? [], "cache.contains")
    }

    /// Keeps bytes as the one rendition of a request, up to 3 MiB.
    ///
    /// - Parameter ttl: Seconds to keep them. Default: an hour.
    /// - Returns: The key.
    @discardableResult
    public func put(_ bytes: Data, as entry: CacheEntry, ttl: Double? = nil, tier: CacheTier? = nil) async throws(TintypeError) -> String {
        var more = Self.members(tier)
        more["data"] = .string(Base64.encode(bytes))
        if let ttl { more["ttl"] = .number(ttl) }
        return try Tintype.read(try await client.call("cache.put", entry.params(more))["key"] ?? .null, "cache.put")
    }

    /// Replaces the metadata of a picture; without any, removes it. Returns how many renditions were changed.
    @discardableResult
    public func setMetadata(_ metadata: [String: String]?, of entry: CacheEntry) async throws(TintypeError) -> Int {
        let more: JSONObject = metadata.map { ["metadata": $0.json] } ?? [:]
        return try await count("cache.setMetadata", "changed", entry.params(more))
    }

    /// Removes a picture, or all renditions of a request and its source.
    @discardableResult
    public func remove(_ entry: CacheEntry, tier: CacheTier? = nil) async throws(TintypeError) -> Removal {
        try Tintype.read(try await client.call("cache.remove", entry.params(Self.members(tier))), "cache.remove")
    }

    /// Removes everything that came from a URL, from URLs with a prefix, or that has a tag.
    @discardableResult
    public func purge(url: String? = nil, prefix: String? = nil, tag: String? = nil, scope: String? = nil) async throws(TintypeError) -> PurgeResult {
        try await client.methods.cachePurge(url: url, prefix: prefix, tag: tag, scope: scope)
    }

    /// Keeps a result until it expires, though the store is full. Returns how many the store has.
    @discardableResult
    public func pin(_ entry: CacheEntry) async throws(TintypeError) -> Int {
        try await count("cache.pin", "pinned", entry.params())
    }

    /// Takes the pin away.
    @discardableResult
    public func unpin(_ entry: CacheEntry) async throws(TintypeError) -> Int {
        try await count("cache.unpin", "unpinned", entry.params())
    }

    /// Removes what has expired, and what is above the limits.
    @discardableResult
    public func trim(_ tier: CacheTier? = nil) async throws(TintypeError) -> Removal {
        try await client.methods.cacheTrim(tier: tier)
    }

    /// Empties one tier, or all.
    @discardableResult
    public func clear(_ tier: CacheTier? = nil) async throws(TintypeError) -> Removal {
        try await client.methods.cacheClear(tier: tier)
    }

    /// Returns how much each tier has.
    public func stats(_ tier: CacheTier? = nil) async throws(TintypeError) -> [CacheTier: TierInfo] {
        return Dictionary(uniqueKeysWithValues: try await client.methods.cacheStats(tier: tier).map { (CacheTier(rawValue: $0), $1) })
    }

    private func count(_ method: String, _ member: String, _ params: JSON) async throws(TintypeError) -> Int {
        try Tintype.read(try await client.call(method, params)[member] ?? .null, method)
    }

    private static func members(_ tier: CacheTier?) -> JSONObject {
        tier.map { ["tier": $0.json] } ?? [:]
    }
}
