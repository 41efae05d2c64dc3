package import Shared

/// One fetch in a worker's hands, from its claim to its end: source → guard → pixels → store → rendition → finish.
///
/// The work itself runs in a task that is cancelled when the lease ends; what follows from its end, telling Redis, is not
/// cancelled, so that nothing is lost. Lives on the loop.
@Loop package final class FetchRunner {
    private let claimed: ClaimedFetch
    private let queue: Queue
    private let tools: FetchTools
    private let share: ByteBudget.Share
    private let started = ContinuousClock.now
    private var phases = PhaseTimes()
    private var ending: LeaseEnd?
    private var endedAt: ContinuousClock.Instant?
    private var work: Task<Void, Never>?

    package init(_ claimed: ClaimedFetch, queue: Queue, tools: FetchTools) {
        (self.claimed, self.queue, self.tools) = (claimed, queue, tools)
        share = tools.budget.begin()
    }

    private lazy var reporter = FetchReporter(
        queue: queue, held: claimed.held, isWatched: claimed.wantsProgress, scope: tools.scope
    ) { [weak self] answer in
        switch answer {
        case .ok: break
        case .stale: self?.end(.lost)
        case .cancel: self?.end(.cancelled)
        }
    }

    /// Runs the fetch to its end. Returns when Redis knows of it, or when it is no longer ours to tell.
    package func run(_ keeper: LeaseKeeper, claimedAt: ContinuousClock.Instant) async {
        let listener = LeaseKeeper.Listener(
            onEnd: { [weak self] in self?.end($0) }, onWatched: { [weak self] in self?.reporter.isWatched = true })
        keeper.hold(claimed.held, claimedAt: claimedAt, listener)
        tools.metrics.observe(.fetchQueuedSeconds, claimed.queuedSeconds, labels: queue.name)
        let outcome = await untilFinished()
        keeper.drop(claimed.held)
        share.release()
        tools.metrics.add(.fetchesFinished, labels: queue.name, outcome)
        tools.metrics.observe(.fetchSeconds, ContinuousClock.now - started, labels: outcome)
    }

    /// The phases in order. A rendition that somebody asked for meanwhile is made from the same source.
    /// - Returns: how it ended, as metrics call it.
    private func untilFinished() async -> String {
        do throws(TintypeError) {
            let source = try await cancellable("load") { [self] () throws(TintypeError) in try await load() }
            var owed = claimed.renditions
            while true {
                let making = owed
                let outcomes = try await cancellable("make") { [self] () throws(TintypeError) in
                    try await make(making, from: source)
                }
                switch await finish(.success(metrics: phases.json, outcomes)) {
                case .more(let joined): owed = joined
                case .done, .duplicate: return outcomes.contains(where: \.isFailure) ? "failed" : "succeeded"
                case .stale, nil: return "stale"
                }
            }
        } catch {
            return await giveUp(error)
        }
    }

    // MARK: The phases

    private func load() async throws(TintypeError) -> LoadedSource {
        let source = try Source(canonical: JSON(queued: claimed.fetch))
        let loaded = try await tools.loader.load(source, share: share, reporter: reporter)
        phases.take(loaded.timings)
        return loaded
    }

    private func make(_ owed: [OwedRendition], from source: LoadedSource) async throws(TintypeError) -> [RenditionOutcome] {
        let maker = RenditionMaker(source: source, claimed: claimed, tools: tools, reporter: reporter, share: share)
        let outcomes = try await maker.make(owed)
        phases.take(maker.phases)
        return outcomes
    }

    // MARK: The end

    /// Runs a phase so that the end of the lease cancels it.
    private func cancellable<T: Sendable>(
        _ name: String, _ body: @escaping @Loop () async throws(TintypeError) -> T
    ) async throws(TintypeError) -> T {
        guard ending == nil else { throw Self.stopped }
        let done = OneShot<T>()
        work = tools.scope.run("\(name) \(claimed.held.fetch)") {
            do throws(TintypeError) {
                done.complete(.success(try await body()))
            } catch {
                done.complete(.failure(error))
            }
        }
        defer { work = nil }
        do {
            let value = try await done.wait()
            if ending != nil { throw Self.stopped }
            return value
        } catch {
            throw ending == nil ? error as? TintypeError ?? Self.stopped : Self.stopped
        }
    }

    private static let stopped = TintypeError(.cancelled, .download, "the fetch was stopped")

    private func end(_ reason: LeaseEnd) {
        guard ending == nil else { return }
        (ending, endedAt) = (reason, .now)
        work?.cancel()
    }

    private func giveUp(_ error: TintypeError) async -> String {
        switch ending {
        case .lost, .expired: return "stale"
        case .givenBack: return await release() ? "returned" : "stale"
        case .cancelled:
            _ = await finish(.cancelled)
            return "cancelled"
        case nil:
            tools.metrics.add(.errors, labels: error.name.rawValue, error.phase.rawValue)
            tools.logger.info(
                "a fetch failed",
                [
                    "fetch": claimed.held.fetch, "host": claimed.host, "attempt": claimed.attempt, "error": error.description,
                ])
            _ = await finish(.failure(error, retryAfter: error.details["retryAfter"]?.double))
            return error.isRetryable ? "retried" : "failed"
        }
    }

    /// Tells Redis how it ended, again and again until it answers or the lease is gone: a repetition does no harm.
    /// - Returns: nil when the lease was gone first.
    private func finish(_ outcome: FetchOutcome) async -> FinishAnswer? {
        await reporter.flush()
        var backoff = Backoff()
        var refusals = 0
        while isOurs {
            do throws(RedisError) {
                return try await queue.finish(claimed.held, outcome)
            } catch {
                if !error.isRetryable { refusals += 1 }
                tools.logger.warning("a fetch could not be finished", ["fetch": claimed.held.fetch, "error": "\(error)"])
                // A script that fails three times fails for good: the lease will run out and another worker try.
                guard refusals < 3 else { return nil }
            }
            try? await Loop.sleep(backoff.next())
        }
        return nil
    }

    /// Whether the run may still be finished by us; a cancelled one for as long as its lease would have lasted.
    private var isOurs: Bool {
        switch ending {
        case nil: true
        case .cancelled, .givenBack: endedAt.map { ContinuousClock.now < $0 + LeaseKeeper.patience } ?? true
        case .lost, .expired: false
        }
    }

    private func release() async -> Bool {
        var backoff = Backoff()
        while isOurs {
            do throws(RedisError) {
                return try await queue.release(claimed.held)
            } catch {
                guard error.isRetryable else { return false }
            }
            try? await Loop.sleep(backoff.next())
        }
        return false
    }
}

extension RenditionOutcome {
    /// Whether the rendition could not be made.
    var isFailure: Bool { if case .failure = result { true } else { false } }
}

extension JSON {
    /// Reads JSON that a coordinator has put into the queue.
    /// - Throws: `internal` when it is none.
    init(queued text: String) throws(TintypeError) {
        do throws(JSONError) {
            self = try JSON(parsing: text)
        } catch {
            throw TintypeError(.internalError, .queue, "what stands in the queue is not JSON: \(error)", retryable: false)
        }
    }
}
