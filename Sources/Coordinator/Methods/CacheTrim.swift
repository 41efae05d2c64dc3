import TintypeCore
import TintypeImages
import TintypeStores

/// `cache.trim`: forgets what is over and what the limits do not allow, as each tier also does by itself.
struct CacheTrim: RPCMethod {
    let name = "cache.trim"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        let tier = params["tier"]?.string.flatMap { CacheTier(rawValue: $0) }
        call.run(in: services.scope) { () async throws(TintypeError) in
            var freed = StoreStatistics()
            for one in tier.map({ [$0] }) ?? CacheTier.allCases { freed += try await services.cache.trim(one) }
            return ["removed": JSON(freed.count), "bytes": JSON(freed.bytes)]
        }
    }
}
