import TintypeCore
import TintypeImages
import TintypeStores

/// `cache.remove`: forgets an image, or the renditions of a request and its source.
struct CacheRemove: RPCMethod {
    let name = "cache.remove"
    let services: Services

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        let target = try CacheTarget(params, services.admission.rules, services.admission.keys)
        call.run(in: services.scope) { () async throws(TintypeError) in
            let freed = try await services.cache.remove(
                target.keys(in: .results), source: target.source, from: target.tier.map { [$0] } ?? CacheTier.allCases)
            return ["removed": JSON(freed.count), "bytes": JSON(freed.bytes)]
        }
    }
}
