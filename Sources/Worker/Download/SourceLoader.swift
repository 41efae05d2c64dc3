package import TintypeCore
package import TintypeTransport
package import TintypeImages
import TintypeQueue
import TintypeStores

/// Brings the bytes of a source into the worker, from a `data:` URL, a file, the source cache or over HTTP, and decrypts them. Lives on the loop.
@Loop package final class SourceLoader {
    let transfers: TransferPool
    let cache: SourceCache
    let policy: DownloadPolicy
    let cookies: (any CookieSource)?
    let lists: AccessLists
    let files: BlockingPool
    let metrics: Metrics
    private let staleAsks = BackgroundRevalidation()
    var throttledHosts = ThrottledHosts()

    /// - Parameter files: the pool that reads files.
    package init(
        transfers: TransferPool, cache: SourceCache, policy: DownloadPolicy = DownloadPolicy(), cookies: (any CookieSource)? = nil, lists: AccessLists,
        files: BlockingPool, metrics: Metrics
    ) {
        (self.transfers, self.cache, self.policy, self.cookies, self.files) = (transfers, cache, policy, cookies, files)
        (self.lists, self.metrics) = (lists, metrics)
    }

    /// Stops background revalidations, because the worker stops.
    package func stopAsking() { staleAsks.stop() }

    /// Waits until no background revalidation is under way.
    package func asksEnded() async { await staleAsks.ended() }

    /// Loads a whole source or, for a probe, only as far as its header. Cancelling the task ends the download at once.
    /// - Parameters:
    ///   - use: the cache options.
    ///   - acceptance: the widest acceptance of all receipts.
    ///   - reservation: the budget part that counts the bytes. The download pauses when there is no room.
    ///   - reporter: hears of the response and of progress.
    ///   - host: the host of the address that is tried first; nil: the addresses are tried in order.
    ///   - writes: takes the writes to the cache, which then run beside the next phases. Without it the method returns after the write.
    ///   - isForPictures: whether a picture is wanted. The origin is then asked for pictures, and a cached source that no decoder could read is not used again.
    ///   - busy: called with each host that sends `Retry-After` while there is another address, and with its seconds.
    ///   - broken: gets the received part of a download that broke off and can be resumed; called before the method throws.
    /// - Throws: the errors of `TransferPool.run`, `invalidURL`, `limitExceeded` and `cacheMiss`; all except the last have the phase download.
    package func load(
        _ source: Source, _ use: CacheUse = CacheUse(), accepting acceptance: Acceptance, at host: String? = nil, reservation: ByteReservation,
        reporter: FetchReporter, writes: SourceWrites? = nil, isForPictures: Bool = true,
        busy: @escaping @Loop (_ host: String, _ seconds: Double) -> Void = { _, _ in },
        broken: @escaping @Loop (BrokenDownload) -> Void = { _ in }
    ) async throws(TintypeError) -> LoadedSource {
        reservation.beginDownload()
        defer { reservation.endDownload() }
        var acceptance = acceptance
        acceptance.maxBytes = min(acceptance.maxBytes, policy.maxSource)
        let context = LoadContext(
            source: source, use: use, acceptance: acceptance, host: host ?? source.host, reservation: reservation, reporter: reporter,
            writes: writes, isForPictures: isForPictures, busy: busy, broken: broken)
        var loaded: LoadedSource
        do throws(TintypeError) {
            loaded = try await load(context)
        } catch {
            reservation.giveBack()
            throw source.fetch.retryOn?.judged(error) ?? error
        }
        loaded.limits.isPrivate = loaded.limits.isPrivate || source.isPersonal
        // The cache keeps the encrypted bytes.
        if let name = source.fetch.decrypt {
            let (keys, bytes, url) = (policy.keys, loaded.bytes, loaded.answer?.url ?? loaded.info.finalURL)
            (loaded.bytes, loaded.info.sha256) = try await Loop.work(on: bytes.count) { () throws(TintypeError) in
                let plain = try keys.decrypt(bytes, name, from: url)
                return (plain, Digest.sha256Hex(plain))
            }
            loaded.info.bytes = loaded.bytes.count
        }
        return loaded
    }

    /// The parameters of one load, and the callbacks.
    struct LoadContext {
        let source: Source
        let use: CacheUse
        let acceptance: Acceptance
        let host: String
        let reservation: ByteReservation
        let reporter: FetchReporter
        let writes: SourceWrites?
        let isForPictures: Bool
        let busy: @Loop (_ host: String, _ seconds: Double) -> Void
        let broken: @Loop (BrokenDownload) -> Void
        /// The beginning that was found when the source was not.
        var beginning: KeptBeginning?
    }

    private func load(_ context: LoadContext) async throws(TintypeError) -> LoadedSource {
        let (source, use) = (context.source, context.use)
        guard source.mayBeKept else {
            if source.extent == .exif, let kept = try await kept(context) { return kept }
            // The source is never kept, so without the network only addresses that need none can serve it.
            if use.mode == .only, source.addresses.contains(where: \.kind.isRemote) { throw CacheMiss.absent.error }
            return try await load(context, nil, isAsked: false)
        }
        let found =
            use.reads && use.mode != .reload
            ? try await find(source.digest, context, resumes: source.fetch.resumes && use.mode != .only && use.refusal == nil) : SourceCache.Found()
        var (entry, reason) = (found.entry, found.reason)
        var context = context
        context.beginning = found.beginning
        // The origin may have new bytes by now. The kept ones are as broken as before.
        if let kept = entry, kept.isSpoiled, context.isForPictures {
            context.reservation.remove(kept.bytes.count)
            (entry, reason) = (nil, .unreadable)
        }
        let now = WallClock.now
        var isFit = true
        if let bytes = entry?.bytes, let requirement = use.requirement { isFit = await Loop.work(on: bytes.count) { requirement.isMet(by: bytes) } }
        let plan = SourcePlan(entry, use, at: now, orElse: reason, isFit: isFit)
        metrics.add(.cacheLookups, labels: "sources", plan.word)
        switch plan {
        case .refuse(let reason): throw reason.error
        case .serve(let asksAfterwards):
            guard let entry else { throw CacheMiss.absent.error }
            if asksAfterwards, use.refusal == nil { ask(context, entry) }
            return served(entry, context, at: now)
        case .download, .ask: if let refusal = use.refusal { throw TintypeError(json: refusal) }
        }
        do throws(TintypeError) {
            let loaded = try await load(context, entry, isAsked: plan == .ask)
            // The entry is freed.
            if let entry, loaded.origin != .sources { context.reservation.remove(entry.bytes.count) }
            return loaded
        } catch {
            guard isFit, SourcePlan.mayServeStale(entry, use, for: error, at: WallClock.now), let entry else { throw error }
            metrics.add(.cacheLookups, labels: "sources", "stale")
            return served(entry, context, at: now)
        }
    }

    // MARK: The cache

    /// Returns the kept whole source for a request that wants a part of it, if the origin does not have to be asked.
    private func kept(_ context: LoadContext) async throws(TintypeError) -> LoadedSource? {
        let (whole, use) = (try context.source.whole(), context.use)
        guard whole.mayBeKept, use.reads, use.mode != .reload, let entry = try await find(whole.digest, context).entry else { return nil }
        let now = WallClock.now
        guard !entry.isSpoiled, case .serve = SourcePlan(entry, use, at: now) else {
            context.reservation.remove(entry.bytes.count)
            return nil
        }
        metrics.add(.cacheLookups, labels: "sources", "hit")
        return served(entry, context, at: now)
    }

    /// Returns the entry under a digest, with its bytes counted, or the reason why there is none.
    private func find(_ digest: String, _ context: LoadContext, resumes: Bool = false) async throws(TintypeError) -> SourceCache.Found {
        try await context.reservation.arrive({ [cache] in await cache.find(digest, resumes: resumes) }, size: { $0.entry?.bytes.count ?? 0 })
    }

    private func served(_ entry: CachedSource, _ context: LoadContext, at now: Double) -> LoadedSource {
        context.reporter.download(received: Int64(entry.bytes.count), expected: Int64(entry.bytes.count))
        return loaded(entry, at: now)
    }

    func loaded(_ entry: CachedSource, at now: Double) -> LoadedSource {
        var loaded = LoadedSource(info: entry.info, bytes: entry.bytes, contentType: entry.contentType, timings: TransferTimings())
        loaded.origin = .sources
        loaded.limits = entry.limits
        (loaded.freshUntil, loaded.storedAt) = (entry.freshUntil(at: now), entry.storedAt)
        return loaded
    }

    /// Revalidates a source that was just served stale, for later requests. Nobody hears of the outcome.
    private func ask(_ context: LoadContext, _ entry: CachedSource) {
        let source = context.source
        guard let address = source.addresses.first(where: entry.isFrom) else { return }
        staleAsks.begin(host: address.host) { [self] in
            guard await cache.beginAsk(source.digest) else { return nil }
            let failure = await askOrigin(context, entry, at: address)
            await cache.endAsk(source.digest, pause: BackgroundRevalidation.pause(after: failure))
            return failure
        }
    }

    /// - Returns: the failure; nil on success.
    private func askOrigin(_ context: LoadContext, _ entry: CachedSource, at address: SourceAddress) async -> TintypeError? {
        let source = context.source
        let reservation = context.reservation.another()
        defer { reservation.release() }
        var asked = source
        // The timeouts of the request are not used: nobody waits here, and others may want the place.
        asked.fetch.timeouts.idle = min(asked.fetch.timeouts.idle, BackgroundRevalidation.idle)
        asked.fetch.timeouts.total = min(asked.fetch.timeouts.total, BackgroundRevalidation.total)
        do throws(TintypeError) {
            let download = try Download(
                asked, at: address, accepting: context.acceptance, policy, entry: entry.validators.isEmpty ? nil : entry, partial: nil,
                asPicture: context.isForPictures)
            // Another worker may have revalidated between our look at the cache and our claim.
            let present = try await reservation.arrive({ [cache] in await cache.entry(source.digest) }, size: { $0?.bytes.count ?? 0 })
            guard present?.storedAt ?? 0 <= entry.storedAt else { return nil }
            reservation.giveBack()
            let brought = try await run(download, gate: reservation.gate, onHead: { _ in }, onBytes: { count, _, _ in reservation.verdict(count) })
            try reservation.check()
            _ = await keep(brought, source, context.use, entry, nil, by: nil, since: context.reporter.since)
            return nil
        } catch {
            return error
        }
    }
}

extension SourcePlan {
    /// The plan as a label of metrics.
    var word: String {
        switch self {
        case .serve(let asksAfterwards): asksAfterwards ? "stale" : "hit"
        case .ask: "expired"
        case .download, .refuse: "miss"
        }
    }
}
