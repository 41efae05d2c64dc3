import Shared

/// `cache.clear`: empties a tier, or all; the memory tiers of all coordinators.
struct CacheClear: RPCMethod {
    let name = "cache.clear"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        let tier = params["tier"]?.string.flatMap { CacheTier(rawValue: $0) }
        call.run(in: services.scope) { () async throws(TintypeError) in
            var freed = StoreStatistics()
            if tier != .memory {
                try await forgetIndex()
                freed = try await services.store.clear()
                services.cacheNews.tell(.distrust)
            }
            if tier != .results {
                let memory = services.cacheNews.tell(.clear)
                freed.count += memory.count
                freed.bytes += memory.bytes
            }
            return ["removed": JSON(freed.count), "bytes": JSON(freed.bytes)]
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
