import Shared

/// `cache.clear`: empties a tier, or all; the memory tiers of all coordinators.
struct CacheClear: RPCMethod {
    let name = "cache.clear"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        let tier = params["tier"]?.string.flatMap { CacheTier(rawValue: $0) }
        call.run(in: services.scope) { () async throws(TintypeError) in
            var freed = StoreStatistics()
            for one in tier.map({ [$0] }) ?? CacheTier.allCases.reversed() { freed += try await clear(one) }
            return ["removed": JSON(freed.count), "bytes": JSON(freed.bytes)]
        }
    }

    private func clear(_ tier: CacheTier) async throws(TintypeError) -> StoreStatistics {
        switch tier {
        case .memory: return services.cacheNews.tell(.clear)
        case .sources: return try await services.sources.clear()
        case .results:
            try await forgetIndex()
            let freed = try await services.store.clear()
            services.cacheNews.tell(.distrust)
            return freed
        }
    }

    /// The index first: a result without an entry is made anew, an entry without a result costs a detour.
    private func forgetIndex() async throws(TintypeError) {
        for name in try await services.lanes.names() {
            do throws(RedisError) {
                try await services.lanes.queue(name).forgetAllResults()
            } catch {
                services.logger.refused("clearing the index of results", error)
                throw TintypeError(error)
            }
        }
    }
}
