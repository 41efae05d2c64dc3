import TintypeCore
import TintypeImages
import TintypeStores

/// `cache.stats`: how much each tier holds.
struct CacheStats: RPCMethod {
    let name = "cache.stats"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        let tier = params["tier"]?.string.flatMap { CacheTier(rawValue: $0) }
        call.run(in: services.scope) { () async throws(TintypeError) in
            var object = JSONObject()
            for one in tier.map({ [$0] }) ?? CacheTier.allCases { object[one.rawValue] = Self.json(try await services.cache.statistics(of: one)) }
            return .object(object)
        }
    }

    private static func json(_ statistics: StoreStatistics) -> JSON {
        ["count": JSON(statistics.count), "bytes": JSON(statistics.bytes), "capacity": statistics.capacity.map { JSON($0) } ?? .null]
    }
}
