import TintypeCore
import TintypeImages
import TintypeStores

/// What is done about a source, given what is kept of it. A pure value.
enum SourcePlan: Sendable, Hashable {
    /// What is kept is used. If it is stale its origin is asked afterwards, for whoever comes next.
    case serve(asksAfterwards: Bool)
    /// The origin is asked for all of it.
    case download
    /// The origin is asked whether it has changed.
    case ask
    /// Nothing can be had without asking.
    case refuse(CacheMiss)

    /// - Parameters:
    ///   - reason: why there is no entry.
    ///   - isFit: whether it is what the request requires: else its origin may have changed it.
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

    /// Whether what is kept may stand in for an origin that fails with this error (RFC 5861 §4): one that cannot be reached, or says that it
    /// is its own fault.
    static func mayStandIn(_ entry: CachedSource?, _ use: CacheUse, for error: TintypeError, at now: Double) -> Bool {
        guard let entry, use.mode == .normal, use.reads, use.ttl ?? 0 >= 0, entry.version == use.version,
            entry.allowsStale(at: now, ttl: use.ttl, said: entry.freshness.staleIfError, wished: use.staleIfError)
        else { return false }
        switch error.name {
        case .dns, .connect, .connectionLost, .timeout: return true
        case .httpStatus: return error.details["status"]?.int.map { [500, 502, 503, 504].contains($0) } ?? false
        case .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError, .invalidURL, .denied, .blacklisted,
            .contentType, .jsonInvalid, .tls, .authFailed, .tooManyRedirects, .badImageData, .unsupportedFormat, .limitExceeded,
            .transformFailed, .encodeFailed, .decryptFailed, .storeFailed, .cacheMiss, .cancelled, .superseded, .deadlineExceeded,
            .workerLost, .overloaded, .unauthenticated, .forbidden, .shuttingDown, .unavailable, .unknownReceipt, .unknownGroup,
            .unknownQueue:
            return false
        }
    }
}
