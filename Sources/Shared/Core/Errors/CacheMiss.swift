/// Why a cache has nothing to give: `reason` of the error `cacheMiss`. They are tried in this order.
package enum CacheMiss: String, Sendable, CaseIterable {
    /// The request says by a negative `ttl` that nothing is kept.
    case ttlUnset
    case absent
    /// It is there and too old.
    case expired
    /// It is there under another `cache.version`.
    case version
    /// It is there and is not what the request requires.
    case unfit
    /// It is there for another `cache.scope`.
    case scope
    /// It is there under another key.
    case key
    /// It is there and damaged.
    case unreadable

    private var words: String {
        switch self {
        case .ttlUnset: "cache.ttl is negative, so that nothing is kept"
        case .absent: "it is not in the cache"
        case .expired: "what is in the cache is too old"
        case .version: "what is in the cache is of another cache.version"
        case .unfit: "what is in the cache is not what require asks for"
        case .scope: "what is in the cache belongs to another cache.scope"
        case .key: "what is in the cache has another key"
        case .unreadable: "what is in the cache cannot be read"
        }
    }

    /// The error of a method that looks into these tiers for a key.
    package func error(_ key: String, in tiers: String) -> TintypeError {
        TintypeError(.cacheMiss, .cache, "\(words) (\(tiers))", details: ["reason": .string(rawValue), "key": .string(key)])
    }

    /// The error of a request that must not go to the network.
    package var error: TintypeError {
        TintypeError(.cacheMiss, .cache, "\(words), and cache.policy \"only\" forbids the network", details: ["reason": .string(rawValue)])
    }
}
