import TintypeCore
import TintypeImages
import TintypeStores

/// The decision about a source, given its cache entry. A pure value.
enum SourcePlan: Sendable, Hashable {
    /// The entry is used. If it is stale, it is revalidated afterwards for later requests.
    case serve(asksAfterwards: Bool)
    /// The origin is asked for the whole source.
    case download
    /// The origin is asked whether the entry has changed.
    case ask
    /// The request forbids to ask the origin, and there is no usable entry.
    case refuse(CacheMiss)

    /// - Parameters:
    ///   - reason: why there is no entry.
    ///   - isFit: whether the entry meets the request's requirements. If not, the origin may have a new version.
    init(_ entry: CachedSource?, _ use: CacheUse, at now: Double, orElse reason: CacheMiss = .absent, isFit: Bool = true) {
        switch use.mode {
        case .reload: self = .download
        case .only:
            if use.ttl ?? 0 < 0 {
                self = .refuse(.ttlUnset)
            } else if let entry, use.reads {
                let isFresh = entry.left(at: now, ttl: use.ttl) > 0
                self =
                    !isFresh
                    ? .refuse(.expired)
                    : entry.version != use.version ? .refuse(.version) : isFit ? .serve(asksAfterwards: false) : .refuse(.unfit)
            } else {
                self = .refuse(reason)
            }
        case .normal, .revalidate:
            guard let entry, use.reads, entry.version == use.version, use.ttl ?? 0 >= 0 else {
                self = .download
                return
            }
            if !isFit {
                self = entry.validators.isEmpty ? .download : .ask
            } else if use.mode == .normal, entry.left(at: now, ttl: use.ttl) > 0 {
                self = .serve(asksAfterwards: false)
            } else if use.mode == .normal, !entry.isOfTheFuture(at: now),
                entry.allowsStale(at: now, ttl: use.ttl, said: entry.freshness.staleWhileRevalidate, wished: use.staleWhileRevalidate)
            {
                self = .serve(asksAfterwards: true)
            } else {
                self = entry.validators.isEmpty ? .download : .ask
            }
        }
    }

    /// Whether the entry may be served because the origin fails with this error (RFC 5861 §4). The origin cannot be reached, or answers with a server error.
    static func mayServeStale(_ entry: CachedSource?, _ use: CacheUse, for error: TintypeError, at now: Double) -> Bool {
        guard let entry, use.mode == .normal, use.reads, use.ttl ?? 0 >= 0, entry.version == use.version,
            entry.allowsStale(at: now, ttl: use.ttl, said: entry.freshness.staleIfError, wished: use.staleIfError)
        else { return false }
        return error.name.kind == .network || error.name == .httpStatus && [500, 502, 503, 504].contains(error.details["status"]?.int)
    }
}
