/// The reason why a cache has no answer: `reason` of the error `cacheMiss`. The reasons are tried in this order.
package enum CacheMiss: String, Sendable, CaseIterable {
    case ttlUnset
    case absent
    case expired
    case version
    case unfit
    case scope
    case key
    case unreadable

    private var words: String {
        switch self {
        case .ttlUnset: "cache.ttl is negative, so that nothing is kept"
        case .absent: "it is not in the cache"
        case .expired: "the cached entry is too old"
        case .version: "the cached entry has another cache.version"
        case .unfit: "the cached entry does not meet require"
        case .scope: "the cached entry belongs to another cache.scope"
        case .key: "the cached entry has another key"
        case .unreadable: "the cached entry cannot be read"
        }
    }

    /// The error of a method that searches these tiers for a key.
    package func error(_ key: String, in tiers: String) -> TintypeError {
        TintypeError(.cacheMiss, .cache, "\(words) (\(tiers))", details: ["reason": .string(rawValue), "key": .string(key)])
    }

    /// The error of a request that must not ask the origin.
    package var error: TintypeError {
        TintypeError(.cacheMiss, .cache, "\(words), and cache.policy \"only\" forbids the network", details: ["reason": .string(rawValue)])
    }
}
