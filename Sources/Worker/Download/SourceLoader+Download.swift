import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeStores
import PNG

/// Downloads: the addresses of a source in turn, the request to each, and the decision about the kept parts of the answer.
extension SourceLoader {
    /// Loads the source from the first address that has it.
    func load(_ context: LoadContext, _ entry: CachedSource?, isAsked: Bool) async throws(TintypeError) -> LoadedSource {
        var failures = MirrorFailures()
        var context = context
        let addresses = context.source.addresses(beginningAt: context.host)
        // Without another address the queue has let this fetch through, and the queue knows best when the host's time is over.
        let hasOther = addresses.contains { throttledHosts.refusal(of: $0, at: .now) == nil }
        for address in addresses {
            do throws(TintypeError) {
                if hasOther, let refusal = throttledHosts.refusal(of: address, at: .now) {
                    failures.add(refusal, of: address)
                    continue
                }
                switch address.kind {
                case .data:
                    let data = try await Loop.work(on: address.url.utf8.count) { () throws(TintypeError) in try DataURL(address.url) }
                    return try await hold(data.bytes, type: data.mediaType, address, context)
                case .color(let plain):
                    let bytes = try await onFiles { PlainPicture.png(plain.color, width: plain.width, height: plain.height) }
                    return try await hold(bytes, type: "image/png", address, context)
                case .file(let path): return try await hold(try await read(path, context.acceptance), type: nil, address, context)
                case .upload(let upload): return try await hold(try await read(upload, context.reservation), type: nil, address, context)
                case .http: break
                case .object: try policy.buckets.check(address)
                }
                let loaded = try await download(address, context, entry, isAsked: isAsked && entry?.isFrom(address) == true)
                metrics.add(.downloads, labels: "succeeded")
                metrics.observe(.downloadSeconds, loaded.timings.total)
                return loaded
            } catch {
                let error = error.seen(at: address).about(url: address.url)
                if address.kind.isRemote { metrics.add(.downloads, labels: error.name == .cancelled ? "cancelled" : "failed") }
                guard error.name != .cancelled, !error.isOfShortage, context.reservation.end == nil else { throw error }
                failures.add(error, of: address)
                throttledHosts.note(error, at: .now)
                if addresses.count > 1, let busy = error.busyHost { context.busy(busy.host, busy.seconds) }
                startOver(context.reservation, entry)
                // The download may have changed it.
                context.beginning = nil
            }
        }
        throw failures.error
    }

    /// Resets the counted bytes. Bytes of the cached entry stay counted, because the entry is in memory until the end.
    private func startOver(_ reservation: ByteReservation, _ entry: CachedSource?) {
        reservation.giveBack()
        reservation.add(entry?.bytes.count ?? 0)
    }

    private func read(_ path: String, _ acceptance: Acceptance) async throws(TintypeError) -> [UInt8] {
        guard let root = policy.fileRoot else { throw RootedFile.refusal("this worker has no --file-root") }
        return try await onFiles { try RootedFile.read(path, below: root, atMost: acceptance.maxBytes) }
    }

    /// Reads the bytes of an upload, once there is room for them.
    /// - Parameter reservation: counts the bytes while they arrive; `hold` counts them from then on.
    private func read(_ upload: UploadedSource, _ reservation: ByteReservation) async throws(TintypeError) -> [UInt8] {
        let bytes = try await reservation.arrive({ [cache] () async throws(TintypeError) in try await cache.uploaded(upload) }, size: { $0.count })
        reservation.remove(bytes.count)
        return bytes
    }

    /// Makes, reads or hashes bytes outside of the loop.
    private func onFiles<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws(TintypeError) -> T {
        do {
            return try await files.run(body)
        } catch {
            throw error as? TintypeError ?? TintypeError(.cancelled, .download, "the worker stops")
        }
    }

    /// Accepts bytes that came without a server.
    private func hold(_ bytes: [UInt8], type: String?, _ address: SourceAddress, _ context: LoadContext) async throws(TintypeError) -> LoadedSource {
        let shown = RedactedURL(address.url).description
        if let refusal = context.acceptance.refusal(of: bytes, head: nil, type: type, url: shown, hadCredentials: false) { throw refusal }
        context.reservation.add(bytes.count)
        context.reporter.download(received: Int64(bytes.count), expected: Int64(bytes.count))
        var info = SourceInfo(url: shown, finalURL: shown, status: nil, bytes: bytes.count)
        // A long upload takes as much time as many turns of the loop.
        info.sha256 = await Loop.work(on: bytes.count) { Digest.sha256Hex(bytes) }
        return LoadedSource(info: info, bytes: bytes, contentType: type, timings: TransferTimings())
    }

    /// - Parameter isAsked: whether to revalidate `entry` instead of asking for the whole source.
    private func download(_ address: SourceAddress, _ context: LoadContext, _ entry: CachedSource?, isAsked: Bool) async throws(TintypeError) -> LoadedSource {
        let (source, reservation, reporter) = (context.source, context.reservation, context.reporter)
        try policy.check(source.fetch)
        let resumes = source.fetch.resumes && source.mayBeKept
        let keepsBeginnings = resumes && context.use.writes && context.use.ttl.map { $0 > 0 } ?? true
        var known = context.beginning?.partial
        if context.beginning == nil, resumes { known = await cache.partial(source.digest) }
        var partial = known.flatMap { mayGoOn(with: $0, at: address, context, isAsked ? entry : nil) ? $0 : nil }
        // If this worker dies of the partial download, the next workers know it.
        if partial != nil, await !cache.take(source.digest) { partial = nil }
        while true {
            let isAsked = isAsked && partial == nil
            let download = try Download(
                source, at: address, accepting: context.acceptance, policy, entry: isAsked ? entry : nil, partial: partial,
                asPicture: context.isForPictures)
            if let partial { reservation.add(partial.bytes.count) }
            reporter.arrived = { [weak download] in download?.show(to: $0) }
            do throws(TintypeError) {
                let brought = try await run(
                    download, gate: reservation.gate,
                    onSent: { reporter.upload(sent: $0, of: download.request.body?.count ?? 0) },
                    onHead: { head in
                        if head.status != 304 || !isAsked { reporter.response(head) }
                        reporter.observer?.begin()
                    },
                    onBytes: { [metrics] count, received, expected in
                        let verdict = reservation.verdict(count)
                        guard case .proceed = verdict else { return verdict }
                        metrics.add(.downloadBytes, Double(count))
                        reporter.download(received: received, expected: expected, resumedFrom: download.resumedFrom)
                        if keepsBeginnings, let part = download.checkpoint() {
                            context.broken(BrokenDownload(partial: part, digest: source.digest, fetch: reporter.fetch, since: reporter.since, isLive: true))
                        }
                        return .proceed
                    }, onGrown: { if let observer = reporter.observer { download.show(to: observer) } })
                try reservation.check()
                reporter.arrived = nil
                reporter.observer?.end()
                if known != nil || download.hasCheckpoint || cache.isWriting(source.digest) { await cache.forgetPartial(source.digest) }
                var loaded = await keep(brought, source, context.use, entry, context.writes, by: reporter.record, since: reporter.since)
                loaded.isUnchanged = entry.map { $0.info.sha256 == loaded.info.sha256 }
                return loaded
            } catch {
                // A canceled run gives the beginning back at its end, where it may still wait for the store.
                if partial != nil, error.name != .cancelled { await cache.giveBack(source.digest) }
                // The kept beginning is useless: the length differs under the same validator, or the server does not support ranges.
                if partial != nil, error.name == .httpStatus, [206, 416].contains(error.details["status"]?.int) {
                    startOver(reservation, entry)
                    partial = nil
                    await cache.forgetPartial(source.digest)
                    continue
                }
                if keepsBeginnings, error.isRetryable || error.name == .cancelled, let part = download.partialSource() {
                    context.broken(BrokenDownload(partial: part, digest: source.digest, fetch: reporter.fetch, since: reporter.since, isLive: false))
                }
                throw error
            }
        }
    }

    /// Whether a download resumes from a kept beginning.
    /// - Parameter entry: the entry that would be revalidated otherwise.
    private func mayGoOn(with part: PartialSource, at address: SourceAddress, _ context: LoadContext, _ entry: CachedSource?) -> Bool {
        // A beginning from one mirror cannot be resumed at another.
        guard part.url == address.shown else { return false }
        // A request that bypasses the cache may still resume this fetch's own partial download.
        if context.use.mode == .reload || !context.use.reads { return part.fetch == context.reporter.fetch }
        // The beginning came in answer to the same revalidation, so the entry is known to be out of date.
        return entry.map { part.storedAt >= $0.storedAt } ?? true
    }

    /// Runs one exchange with the origin. Uses the cookies of a jar, if there is one, and writes their changes back.
    func run(
        _ download: Download, gate: TransferGate, onSent: @escaping @Loop (_ sent: Int64) -> Void = { _ in }, onHead: @escaping @Loop (TransferHead) -> Void,
        onBytes: @escaping @Loop (_ count: Int, _ received: Int64, _ expected: Int64?) -> TransferVerdict, onGrown: @escaping @Loop () -> Void = {}
    ) async throws(TintypeError) -> Download.Outcome {
        let summary = try await withCookies(of: download.source) { [transfers, lists] cookies async throws(TintypeError) in
            try await transfers.run(
                download.request, gate: gate, cookies: cookies,
                onRedirect: { url async throws(TintypeError) in try await lists.check(url, by: download.source.access) },
                onSent: onSent,
                onHead: { head in
                    download.begin(head)
                    onHead(head)
                },
                onBytes: { part, received, expected in
                    let verdict = onBytes(part.count, received, expected)
                    guard case .proceed = verdict else { return verdict }
                    guard download.append(part) else { return .stop }
                    onGrown()
                    return .proceed
                })
        }
        return download.end(summary)
    }

    private func withCookies(
        of source: Source, _ transfer: @Loop (TransferCookies?) async throws(TintypeError) -> TransferSummary
    ) async throws(TintypeError) -> TransferSummary {
        guard let jar = source.fetch.cookies else { return try await transfer(nil) }
        guard let cookies else { throw .missing("CookieJars", .download) }
        let before = try await cookies.read(jar, of: source.scope)
        let sent = TransferCookies(lines: Array(before.values))
        let result: Result<TransferSummary, TintypeError>
        do throws(TintypeError) { result = .success(try await transfer(sent)) } catch { result = .failure(error) }
        await cookies.write(jar, of: source.scope, from: before, to: sent.lines)
        return try result.get()
    }

    /// The request headers that the key of the source does not cover: of cookies the key holds only the name of the jar.
    private func unkeyed(of source: Source) -> Set<String> { source.fetch.cookies == nil ? [] : ["cookie"] }

    /// Returns the downloaded source, after keeping it if that is allowed.
    /// - Parameters:
    ///   - fetch: the Redis key of the fetch; nil if the download belongs to no fetch, so that nobody cancels it.
    ///   - since: when the run began that asked the origin, in epoch ms of Redis.
    func keep(
        _ brought: Download.Outcome, _ source: Source, _ use: CacheUse, _ entry: CachedSource?, _ writes: SourceWrites?, by fetch: String?,
        since: Int64
    ) async -> LoadedSource {
        let (head, ttl, isOnes) = (brought.head, use.ttl, source.scope != nil)
        if brought.isUnchanged, let entry {
            var renewed = entry.freshened(
                head.headers, behind: head.hops, requestedAt: brought.requestedAt, receivedAt: brought.receivedAt, unkeyed: unkeyed(of: source))
            renewed.freshness.bound(by: source.fetch.lifetime, from: brought.receivedAt)
            renewed.since = since
            let isAllowed = Freshness.allowsSharing(renewed.fields, isOnes: isOnes) && head.allowsSharing(isOnes: isOnes)
            if !isAllowed { renewed.freshness.isAlwaysAsked = true }
            var loaded = self.loaded(renewed, at: brought.receivedAt)
            loaded.timings = brought.loaded.timings
            if !isAllowed, ttl == nil {
                await cache.forget(source.digest)
            } else if use.writes {
                await write(renewed, as: source.digest, use, writes)
            }
            return loaded
        }
        var loaded = brought.loaded
        var freshness = Freshness(
            head.headers, behind: head.hops, requestedAt: brought.requestedAt, receivedAt: brought.receivedAt, unkeyed: unkeyed(of: source))
        freshness.bound(by: source.fetch.lifetime, from: brought.receivedAt)
        loaded.limits = freshness.limits(isPrivate: !head.allowsSharing(isOnes: false), isUnkept: !head.allowsSharing(isOnes: true))
        let isAllowed = head.allowsKeeping(isOnes: isOnes)
        // Results of other statuses may be kept too, unless the origin forbids it. Other methods than GET need the origin's explicit permission.
        let mayLast = head.allowsSharing(isOnes: isOnes) && (source.fetch.method == "GET" || Freshness.isExplicit(head.headers))
        loaded.freshUntil = mayLast ? freshness.until : -.infinity
        loaded.storedAt = brought.receivedAt
        // Kept for requests that name a TTL of their own. For all others the entry counts as always stale.
        if !isAllowed { freshness.isAlwaysAsked = true }
        guard use.writes, source.mayBeKept else { return loaded }
        guard ttl.map({ $0 > 0 && Freshness.keptStatus.contains(head.status) }) ?? isAllowed else {
            // The origin has replaced the kept source by one that may not be kept. Without this step the old one would still be served, fresh or stale, for
            // as long as it was once allowed.
            let isKnownAbsent = entry == nil && use.reads && use.mode != .reload
            if (200...299).contains(head.status), !head.allowsSharing(isOnes: isOnes), !isKnownAbsent { await cache.forget(source.digest) }
            return loaded
        }
        var kept = CachedSource(
            info: loaded.info, contentType: loaded.contentType, bytes: loaded.bytes, freshness: freshness, storedAt: brought.receivedAt,
            version: use.version, fields: Freshness.fields(of: head.headers))
        (kept.fetch, kept.since) = (fetch, since)
        kept.isBehindPrivate = loaded.limits.isPrivate && Freshness.allowsSharing(head.headers, isOnes: false)
        await write(kept, as: source.digest, use, writes)
        return loaded
    }

    private func write(_ source: CachedSource, as digest: String, _ use: CacheUse, _ writes: SourceWrites?) async {
        guard let writes else { return await cache.keep(source, as: digest, for: use) }
        writes.begin(digest) { [cache] in await cache.keep(source, as: digest, for: use) }
    }
}
