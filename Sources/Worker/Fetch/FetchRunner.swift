import TintypeCore
package import TintypeTransport
import TintypeImages
package import TintypeQueue
import TintypeStores
import ImageHeads

/// The run of one fetch, from its claim to its end: source → header guard → pixels → store → rendition → finish.
///
/// The task is canceled if the lease ends during a phase. The report to Redis then runs in another task, so that it is not lost. Lives on the loop.
@Loop package final class FetchRunner {
    /// The parts of the worker that its runs use.
    package struct Parts: Sendable {
        let loader: SourceLoader
        let budget: ByteBudget
        let making: RenditionMaker.Parts
        /// Decides which failures put a source on the blacklist.
        let blacklist: BlacklistRules
        let ended: EndedRuns
        let shortage = DescriptorExhaustion()
        let previews: (@Loop (WatchedDownload) -> any DownloadObserver)?
        let context: WorkerContext
    }

    let claimed: ClaimedFetch
    let queue: Queue
    let parts: Parts
    let reservation: ByteReservation
    /// The spans of the run, if its trace is sent.
    let spans: RunSpans?
    private let started = ContinuousClock.now
    private var phases = PhaseTimes()
    var ending: LeaseEnd?
    var endedAt: ContinuousClock.Instant?
    private var task: Task<Void, Never>?
    /// Whether the task is in a phase, in which it can be canceled.
    private var isCancellable = false
    /// Whether at least one rendition has failed.
    private var hasFailures = false
    /// The received part of a download that broke off.
    private(set) var brokenDownload: BrokenDownload?
    private var origin = ResultOrigin.remote
    /// The URL of the source, for the blacklist.
    var url = ""
    let writes: SourceWrites
    private var source: Source?
    /// Whether at least one receipt has got its result.
    private var hasServed = false
    /// Whether a download is under way that previews may show.
    private var mayShow = false

    package init(_ claimed: ClaimedFetch, queue: Queue, parts: Parts) {
        (self.claimed, self.queue, self.parts) = (claimed, queue, parts)
        reservation = parts.budget.begin()
        writes = SourceWrites(parts.context.scope)
        spans = RunSpans(claimed, queue: queue.publicName, parts.context.tracer)
    }

    lazy var reporter = FetchReporter(
        queue: queue, lease: claimed.lease, interval: claimed.progressInterval, scope: parts.context.scope
    ) { [weak self] answer in
        switch answer {
        case .ok: break
        case .previews(let options): self?.show(options)
        case .stale: self?.end(.lost)
        case .cancel: self?.end(.cancelled)
        }
    }

    /// Starts the run, in the next turn of the loop.
    /// - Parameter ended: called at the end.
    /// - Returns: a task that ends when Redis knows the end of the run, or when the run no longer belongs to this worker.
    @discardableResult
    package func run(_ keeper: LeaseKeeper, claimedAt: ContinuousClock.Instant, _ ended: @escaping @Loop () -> Void = {}) -> Task<Void, Never> {
        let task = TraceContext.within(spans?.context ?? claimed.traces.first) {
            parts.context.scope.run("fetch \(claimed.lease.fetch)") { [self] in
                await toItsEnd(keeper, claimedAt)
                ended()
            }
        }
        self.task = task
        return task
    }

    private func toItsEnd(_ keeper: LeaseKeeper, _ claimedAt: ContinuousClock.Instant) async {
        let listener = LeaseKeeper.Listener(
            onEnd: { [weak self] in self?.end($0) }, onWatched: { [weak self] in self?.reporter.interval = $0 },
            onYield: { [weak self] in self?.yield() }, phase: { [weak self] in self?.phase ?? .download })
        keeper.hold(claimed.lease, claimedAt: claimedAt, listener)
        parts.context.metrics.observe(.fetchQueuedSeconds, claimed.queuedSeconds, labels: queue.publicName)
        do throws(TintypeError) {
            await close(keeper, try await allPhases())
        } catch {
            if ending == nil { spans?.fail(error) }
            // A canceled task stays canceled, so everything that it awaits from here on would fail. A new task reports the end.
            await parts.context.scope.run("end of \(claimed.lease.fetch)") { [self] in await close(keeper, giveUp(redacted(error))) }.value
        }
    }

    /// - Parameter outcome: the end of the run as a label of metrics.
    private func close(_ keeper: LeaseKeeper, _ outcome: String) async {
        keeper.drop(claimed.lease)
        if writes.areUnderWay {
            // A store that hangs must not keep a permit.
            let limit = LoopTimer(after: Self.keepingTime) { [writes] in
                writes.cancel()
                writes.letGo()
            }
            await writes.done()
            limit.cancel()
        }
        if ending == .cancelled, !hasServed { await takeBack() }
        reservation.release()
        parts.context.metrics.add(.fetchesFinished, labels: queue.publicName, outcome)
        parts.context.metrics.observe(.fetchSeconds, (ContinuousClock.now - started) / .seconds(1), labels: outcome, trace: spans?.context)
        if outcome == "succeeded" { phases.count(in: parts.context.metrics) }
        spans?.end(outcome)
    }

    /// Removes the bytes that a canceled run has stored. Nobody reads them since Redis knows of the cancellation. An indexed result belongs to another
    /// fetch as well, so it stays. Another run may put and index its own bytes after the look at the index: only bytes of this run are removed.
    private func takeBack() async {
        for key in writes.keys { await parts.loader.cache.forget(key, by: reporter.record) }
        for (key, mark) in writes.results {
            do {
                if try await !queue.isIndexed(key) { try await parts.making.results.store.remove(mark) }
            } catch {
                parts.context.logger.warning("a result of a canceled fetch stays in the store until it expires", ["key": key, "error": "\(error)"])
            }
        }
    }

    /// Runs all phases in order and reports the end. If a rendition joins meanwhile, it is made from the same source.
    /// - Returns: the end of the run as a label of metrics.
    private func allPhases() async throws(TintypeError) -> String {
        var owed = claimed.renditions.map(ReadRendition.init)
        var maker: RenditionMaker?
        while true {
            var unreported: [MadeRendition] = []
            do throws(TintypeError) {
                let present: RenditionMaker
                if let maker { present = maker } else { present = try await load(owed) }
                maker = present
                unreported = try await make(owed, present)
            } catch {
                guard maker == nil, ending == nil, Acceptance.isRefusal(error) else { throw error }
                unreported = refuse(owed, redacted(error))
            }
            switch await finish(&unreported, maker) {
            case .more(let joined, let seconds):
                hasServed = hasServed || !hasFailures
                maker?.keep(for: seconds)
                owed = joined.map(ReadRendition.init)
            case .withdrawn:
                end(.cancelled)
                return "cancelled"
            case .done, .again, .duplicate: return hasFailures ? "failed" : "succeeded"
            case .stale, .keepLonger, .purged, nil: return "stale"
            }
        }
    }

    // MARK: The phases

    /// Loads the source for all of these renditions.
    /// - Throws: why the source could not be loaded.
    private func load(_ owed: [ReadRendition]) async throws(TintypeError) -> RenditionMaker {
        let fetch = try JSON(queued: claimed.fetch)
        url = fetch["url"]?.string ?? ""
        var use = CacheUse(canonical: fetch["cache"])
        use.writes = claimed.keepsSource
        var source = try Source(canonical: fetch)
        source.access = fetch["access"]?.string
        self.source = source
        reporter.secrets = SecretScrubber(of: source)
        if let timeouts = claimed.timeouts { source.fetch.timeouts = timeouts }
        let acceptance = Acceptance.maxGenerous(owed.map(\.acceptance))
        for (host, seconds) in claimed.resting { parts.loader.throttledHosts.note(host, seconds, at: .now) }
        // Encrypted bytes cannot be previewed before their end.
        mayShow = source.fetch.decrypt == nil
        defer {
            mayShow = false
            reporter.observer?.end()
            reporter.observer = nil
        }
        let began = WallClock.now
        let loaded: LoadedSource
        do throws(TintypeError) {
            loaded = try await cancellable { () throws(TintypeError) in
                try await parts.loader.load(
                    source, use, accepting: acceptance, at: claimed.host, reservation: reservation, reporter: reporter, writes: writes,
                    isForPictures: owed.contains(where: \.isPicture), busy: { [self] in leaveAlone($0, $1) },
                    broken: { [weak self] in self?.take($0) })
            }
        } catch {
            spans?.failed(error, from: claimed.host, began: began)
            throw error
        }
        spans?.loaded(loaded, from: claimed.host, began: began)
        phases.take(loaded.timings)
        origin = ResultOrigin(from: loaded.origin)
        origin.isNotModified = loaded.isUnchanged ?? false
        if use.mode == .revalidate { origin.isUpdated = !origin.isNotModified }
        let layers = LayerLoader(
            loader: parts.loader, making: parts.making, reservation: reservation, writes: writes, use: use, access: source.access, reporter: reporter
        ) { [self] host, seconds in await hold(host, seconds, here: true) }
        return RenditionMaker(
            source: loaded, ttl: claimed.resultTime, use: use, fetch: claimed.lease.fetch, parts: parts.making, layers: layers, reporter: reporter,
            reservation: reservation, writes: writes, spans: spans, owner: source.scope
        ) { [source, isPrivate = loaded.limits.isPrivate || loaded.hadCredentials] in
            CredentialStripper.hides(source, as: fetch, isPrivate: isPrivate)
        }
    }

    /// Starts previews of the download that is under way.
    private func show(_ options: PreviewOptions) {
        guard mayShow, reporter.observer == nil, let previews = parts.previews else { return }
        let observer = previews(
            WatchedDownload(options: options, queue: queue, lease: claimed.lease, owner: source?.scope) { [weak reporter] in reporter?.arrived?($0) })
        reporter.observer = observer
        // Much of the source may have come before the wish came from Redis.
        reporter.arrived?(observer)
    }

    private func take(_ broken: BrokenDownload) {
        guard broken.isLive else { return brokenDownload = broken }
        parts.context.scope.run("keep the beginning of \(claimed.lease.fetch)") { [parts] in await parts.loader.cache.keep(broken) }
    }

    /// Keeps the received part of a broken download. This happens before Redis hears of the end, so that the next run can resume.
    func keepRest() async {
        if let brokenDownload { await parts.loader.cache.keep(brokenDownload) }
        brokenDownload = nil
    }

    /// Fails all owed renditions with an error of acceptance. A rendition that joined meanwhile with another acceptance gets the same error in those terms.
    private func refuse(_ owed: [ReadRendition], _ error: TintypeError) -> [MadeRendition] {
        hasFailures = true
        spans?.fail(error)
        reservation.giveBack()
        // Receipts without a retry get their answer at once. The host is throttled for all others.
        if let busy = error.busyHost { leaveAlone(busy.host, busy.seconds) }
        noteFailure(error)
        let listing = parts.blacklist.listing(of: error, url: url)
        return owed.map { one in
            MadeRendition(outcome: RenditionOutcome(one.digest, .failure(one.acceptance.restating(error)), listing: listing))
        }
    }

    /// Makes the owed renditions and reports each as soon as it is done, so that no receipt waits for the rendition of another.
    /// - Returns: the unreported renditions: the last one, which is reported with the end, and those that Redis did not take.
    private func make(_ owed: [ReadRendition], _ maker: RenditionMaker) async throws(TintypeError) -> [MadeRendition] {
        var unreported: [MadeRendition] = []
        let all = Double(owed.count)
        let sorted = ReadRendition.sorted(owed)
        for (index, one) in sorted.enumerated() {
            let part = Double(index) / all...Double(index + 1) / all
            var made = try await cancellable { () throws(TintypeError) in try await maker.make(one, part: part, before: sorted[(index + 1)...]) }
            phases.take(maker.takePhases())
            hasFailures = hasFailures || made.hasFailed
            if made.isSourceSpoiled {
                // First, so that a client that asks again after the error gets the source from its origin.
                await writes.done()
                if let source { await parts.loader.cache.spoil(source.digest, sha256: maker.source.info.sha256) }
            }
            let isLast = index == owed.count - 1
            if !isLast, await report(&made, maker) {
                reservation.removeResult(made.picture?.bytes.count ?? 0)
            } else {
                unreported.append(made)
            }
        }
        return unreported
    }

    /// - Returns: whether Redis has taken the report.
    private func report(_ made: inout MadeRendition, _ maker: RenditionMaker) async -> Bool {
        await writes.done()
        await reporter.flush()
        if await isPurgedBehindRedirect(maker) { made = await maker.keepBriefly(made) }
        while true {
            do throws(RedisError) {
                switch try await queue.rendition(claimed.lease, made.outcome, metrics: phases.json, from: origin) {
                case .ok:
                    hasServed = hasServed || !made.hasFailed
                    return true
                case .stale: end(.lost)
                case .cancel: end(.cancelled)
                case .keepLonger(let time):
                    maker.keep(for: time)
                    made = await maker.keepLonger(made)
                    continue
                case .purged:
                    made = await maker.keepBriefly(made)
                    continue
                }
            } catch {
                parts.context.logger.info("a rendition could not be reported", ["fetch": claimed.lease.fetch, "error": "\(error)"])
            }
            return false
        }
    }

    /// Whether the URL that redirects have led to was purged since the run began. The marks in Redis go by the URLs of the request alone.
    private func isPurgedBehindRedirect(_ maker: RenditionMaker) async -> Bool {
        let info = maker.source.info
        guard info.finalURL != info.url else { return false }
        return await parts.loader.cache.isPurged(info.finalURL, since: claimed.lease.since)
    }

    /// Ends the run and reports the remaining renditions.
    private func finish(_ made: inout [MadeRendition], _ maker: RenditionMaker?) async -> FinishAnswer? {
        if let maker, await isPurgedBehindRedirect(maker) {
            for index in made.indices { made[index] = await maker.keepBriefly(made[index]) }
        }
        while true {
            let answer = await finish(.success(metrics: phases.json, made.map(\.outcome), from: origin))
            guard let maker else { return answer }
            switch answer {
            case .keepLonger(let time):
                maker.keep(for: time)
                for index in made.indices { made[index] = await maker.keepLonger(made[index]) }
            case .purged: for index in made.indices { made[index] = await maker.keepBriefly(made[index]) }
            case .done, .again, .withdrawn, .more, .duplicate, .stale, nil: return answer
            }
            phases.take(maker.takePhases())
        }
    }

    // MARK: The end

    /// Runs a phase so that the end of the lease cancels the phase.
    private func cancellable<T>(_ body: @Loop () async throws(TintypeError) -> T) async throws(TintypeError) -> T {
        guard ending == nil else { throw Self.stopped }
        isCancellable = true
        defer { isCancellable = false }
        do throws(TintypeError) {
            let value = try await body()
            if ending != nil { throw Self.stopped }
            return value
        } catch {
            throw ending == nil ? error : Self.stopped
        }
    }

    /// The error without its secrets, for clients.
    private func redacted(_ error: TintypeError) -> TintypeError { reporter.secrets.hide(in: error) }

    /// How long the remaining writes of an ended run may take.
    private static let keepingTime = Duration.seconds(2)
    private static let stopped = TintypeError(.cancelled, .download, "the fetch was stopped")

    /// Whether the run downloads its source or another picture, or waits for one of them.
    private var isLoading: Bool { reservation.isDownloading || reservation.needs > 0 }

    /// The phase that heartbeats report. A run that has loaded everything is not asked to yield.
    private var phase: Phase { isLoading ? .download : reporter.current }

    /// Gives the place to a waiting fetch of another client, if this run would only wait for an origin. A fetch that all have paused yields too. Later phases
    /// go on: no pixels are made twice.
    private func yield() {
        guard ending == nil, isLoading else { return }
        parts.context.logger.info(
            "a fetch yields its place to a fetch of another client that runs fewer, or is paused", ["fetch": claimed.lease.fetch, "host": claimed.host])
        end(.yielded)
    }

    private func end(_ reason: LeaseEnd) {
        // A stopping worker does not wait for a Redis that is away. And the lease of a yielding run may be lost before the run has yielded.
        guard ending == nil || ending == .expired && reason == .givenBack || ending == .yielded else { return }
        (ending, endedAt) = (reason, .now)
        if isCancellable { task?.cancel() }
        // A run that has served a receipt keeps its source, and a run that begins again keeps the loaded source.
        if reason != .yielded, reason != .cancelled || !hasServed { writes.cancel() }
        writes.letGo()
    }
}
