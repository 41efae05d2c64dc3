import TintypeCore
import TintypeImages

/// `cache.contains`: which tiers have an image, or all renditions of a request, or its source.
struct CacheContains: RPCMethod {
    let name = "cache.contains"
    let services: Services

    func begin(_ call: Call, _ params: JSON) throws(TintypeError) {
        let target = try CacheTarget(params, services.admission.rules, services.admission.keys)
        call.run(in: services.scope) { () async throws(TintypeError) in
            var found: [JSON] = []
            for tier in target.tier.map({ [$0] }) ?? CacheTier.allCases where try await services.cache.has(target.keys(in: tier), in: tier) {
                found.append(.string(tier.rawValue))
            }
            return ["tiers": .array(found)]
        }
    }
}
