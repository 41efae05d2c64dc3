import TintypeCore
import TintypeImages
import TintypeStores

/// `cache.clear`: empties a tier, or all; the memory tiers of all coordinators.
struct CacheClear: RPCMethod {
    let name = "cache.clear"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        let tier = params["tier"]?.string.flatMap { CacheTier(rawValue: $0) }
        call.run(in: services.scope) { () async throws(TintypeError) in
            var freed = StoreStatistics()
            for one in tier.map({ [$0] }) ?? CacheTier.allCases.reversed() { freed += try await services.cache.clear(one) }
            return ["removed": JSON(freed.count), "bytes": JSON(freed.bytes)]
        }
    }
}
