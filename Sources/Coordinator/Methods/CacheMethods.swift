import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeStores

/// `cache.contains`: the tiers that have an image, or all renditions of a request, or its source.
struct CacheContains: RPCMethod {
    let name = "cache.contains"
    let admission: Admission
    let scope: TaskScope
    let cache: CacheTiers

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        let target = try CacheTarget(params, admission.rules, admission.keys)
        call.run(in: scope) { () async throws(TintypeError) in
            var found: [JSON] = []
            for tier in target.tier.map({ [$0] }) ?? CacheTier.allCases
            where try await cache.has(target.keys(in: tier), in: tier, for: target.words) {
                found.append(.string(tier.rawValue))
            }
            return ["tiers": .array(found)]
        }
    }
}

/// `cache.put`: stores bytes of a client as if they had been made here.
struct CachePut: RPCMethod {
    let name = "cache.put"
    let admission: Admission
    let scope: TaskScope
    let cache: CacheTiers

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        let target = try CacheTarget(params, admission.rules, admission.keys, besideKey: ["queue", "metadata"])
        let (data, ttl) = (params["data"]?.string ?? "", params["ttl"]?.double)
        call.run(in: scope) { () async throws(TintypeError) in
            guard let bytes = await Loop.work(on: data.utf8.count, { Base64.bytes(of: Array(data.utf8)) }), !bytes.isEmpty else {
                throw .invalidParams(path: "data", value: .string(data), expected: "bytes in base64")
            }
            let put = try await PutImage.of(target, bytes, contentType: nil, ttl: ttl)
            try await cache.put(put.image, in: put.tiers, queue: target.queue, host: target.host, source: target.source, ttl: put.ttl)
            return put.answer
        }
    }
}

/// `cache.setMetadata`: changes the metadata of results.
struct CacheSetMetadata: RPCMethod {
    let name = "cache.setMetadata"
    let admission: Admission
    let scope: TaskScope
    let cache: CacheTiers

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        let target = try CacheTarget(params, admission.rules, admission.keys, besideKey: ["queue", "metadata"])
        call.run(in: scope) { () async throws(TintypeError) in
            // The length is unknown before the read.
            try await call.session.inTurn(1 << 20, isKnown: false) { () async throws(TintypeError) in
                let keys = target.keys(in: .results)
                for key in keys { try await cache.setMetadata(of: key, to: target.metadata) }
                return ["changed": JSON(keys.count)]
            }
        }
    }
}

/// `cache.remove`: removes an image, or the renditions of a request and its source.
struct CacheRemove: RPCMethod {
    let name = "cache.remove"
    let admission: Admission
    let scope: TaskScope
    let cache: CacheTiers

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        let target = try CacheTarget(params, admission.rules, admission.keys)
        call.run(in: scope) { () async throws(TintypeError) in
            let freed = try await cache.remove(
                target.keys(in: .results), source: target.source, from: target.tier.map { [$0] } ?? CacheTier.allCases)
            return ["removed": JSON(freed.count), "bytes": JSON(freed.bytes)]
        }
    }
}

/// `cache.pin`: pins results, so that they stay when their store has too much.
struct CachePin: RPCMethod {
    let name = "cache.pin"
    let admission: Admission
    let scope: TaskScope
    let results: any ResultStore

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) { try call.pin(params, true, admission, scope, results) }
}

/// `cache.unpin`: unpins results.
struct CacheUnpin: RPCMethod {
    let name = "cache.unpin"
    let admission: Admission
    let scope: TaskScope
    let results: any ResultStore

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) { try call.pin(params, false, admission, scope, results) }
}

/// `cache.trim`: removes expired entries and those above the limits, as each tier also does by itself.
struct CacheTrim: RPCMethod {
    let name = "cache.trim"
    let scope: TaskScope
    let cache: CacheTiers

    func begin(_ call: Call, _ params: JSON) {
        call.free(CacheTier.asked(params), scope) { tier async throws(TintypeError) in try await cache.trim(tier) }
    }
}

/// `cache.clear`: empties a tier or all tiers; for `memory`, the tiers of all coordinators.
struct CacheClear: RPCMethod {
    let name = "cache.clear"
    let scope: TaskScope
    let cache: CacheTiers

    func begin(_ call: Call, _ params: JSON) {
        call.free(CacheTier.asked(params).reversed(), scope) { tier async throws(TintypeError) in try await cache.clear(tier) }
    }
}

extension CacheTier {
    /// Returns the tier that a call names, or all.
    fileprivate static func asked(_ params: JSON) -> [CacheTier] {
        params["tier"]?.string.flatMap { CacheTier(rawValue: $0) }.map { [$0] } ?? allCases
    }
}

extension Call {
    /// Answers with the number of these results that are in the store and are now pinned, or no longer pinned.
    fileprivate func pin(_ params: JSON, _ isPinned: Bool, _ admission: Admission, _ scope: TaskScope, _ results: any ResultStore) throws(TintypeError) {
        let target = try CacheTarget(params, admission.rules, admission.keys, besideKey: ["queue"])
        run(in: scope) { () async throws(TintypeError) in
            var count = 0
            for key in target.keys(in: .results) where try await results.pin(key, isPinned) { count += 1 }
            return [isPinned ? "pinned" : "unpinned": JSON(count)]
        }
    }

    /// Answers with the entries that `body` has removed from these tiers, one tier after the other.
    fileprivate func free(_ tiers: [CacheTier], _ scope: TaskScope, _ body: @escaping @Loop (CacheTier) async throws(TintypeError) -> StoreStatistics) {
        run(in: scope) { () async throws(TintypeError) in
            var freed = StoreStatistics()
            for tier in tiers { freed += try await body(tier) }
            return ["removed": JSON(freed.count), "bytes": JSON(freed.bytes)]
        }
    }
}

/// `cache.stats`: the size of each tier.
struct CacheStats: RPCMethod {
    let name = "cache.stats"
    let scope: TaskScope
    let cache: CacheTiers

    func begin(_ call: Call, _ params: JSON) {
        let maxAge = params["maxAge"]?.double ?? 0
        call.run(in: scope) { () async throws(TintypeError) in
            var object = JSONObject()
            for tier in CacheTier.asked(params) { object[tier.rawValue] = Self.json(try await cache.statistics(of: tier, maxAge: maxAge)) }
            return .object(object)
        }
    }

    private static func json(_ statistics: StoreStatistics) -> JSON {
        ["count": JSON(statistics.count), "bytes": JSON(statistics.bytes), "capacity": statistics.capacity.map { JSON($0) } ?? .null]
    }
}
