import TintypeCore
import TintypeTransport
import TintypeQueue

/// How a run ends that did not come through, and how Redis hears of any end.
extension FetchRunner {
    /// How long a run whose lease was given up for silence may still be told to Redis. The token keeps it from harming the next one, and
    /// nobody takes it for dead while Redis is away, nor a lease after.
    private static let afterSilence = Duration.seconds(600)

    /// How long a run that there is no descriptor or no memory for is held before another worker may have it, or this one once more: its place is taken
    /// meanwhile, so that less is claimed.
    private static let withoutRoom = Duration.seconds(1)

    /// How long a worker that stops tries to give a run back.
    private static let whileStopping = Duration.seconds(5)

    func giveUp(_ error: TintypeError) async -> String {
        switch ending {
        case .lost: return "stale"
        case .expired, .givenBack, .yielded:
            share.release()
            await keepRest()
            return await release() ? "returned" : "stale"
        case .cancelled:
            _ = await finish(.cancelled)
            if let rest { await tools.sourceCache.giveBack(rest.digest) }
            return "cancelled"
        case nil where error.isOfRoom || error.isOfDescriptors && tools.shortage.note(tools.logger):
            share.release()
            await keepRest()
            try? await Loop.sleep(Self.withoutRoom)
            if ending != nil { return await giveUp(error) }
            return await release() ? "returned" : "stale"
        case nil:
            tools.metrics.add(.errors, labels: error.name.rawValue, error.phase.rawValue)
            tools.logger.info(
                "a fetch failed",
                [
                    "fetch": claimed.held.fetch, "host": claimed.host, "attempt": claimed.attempt, "error": error.description,
                ])
            if error.isRetryable { await keepRest() }
            let busy = error.busyHost
            let answer = await finish(
                .failure(error, retryAfter: busy?.seconds), listing: tools.blacklist.listing(of: error, url: url), busyHost: busy?.host)
            if let busy, answer == .done || answer == .duplicate { await hold(busy.host, busy.seconds) }
            return error.isRetryable ? "retried" : "failed"
        }
    }

    /// Tells Redis how it ended, again and again until it answers or the run is lost: a repetition does no harm.
    /// - Returns: nil when it was lost first.
    func finish(_ outcome: FetchOutcome, listing: BlacklistListing? = nil, busyHost: String? = nil) async -> FinishAnswer? {
        // Nobody waits for the source of a run that was cancelled.
        if ending == nil { await writes.done() }
        await reporter.flush()
        // A script that fails three times fails for good: the lease will run out and another worker try.
        return try? await queue.node.retrying(
            RedisPatience(refusals: 2, backoff: Backoff()),
            after: {
                tools.logger.warning("a fetch could not be finished", ["fetch": claimed.held.fetch, "error": "\($0)"])
                return true
            }
        ) { () async throws(RedisError) -> FinishAnswer? in
            isOurs ? try await queue.finish(claimed.held, outcome, listing: listing, busyHost: busyHost) : nil
        }
    }

    /// A host that wants to be left alone is so in all queues. Once: whoever asks it all the same is told again.
    /// - Parameter here: whether its own queue has to be told, too.
    func hold(_ host: String, _ seconds: Double, here: Bool = false) async {
        do throws(RedisError) {
            if here { try await queue.hold(host, seconds: seconds) }
            try await queue.holdElsewhere(host, seconds: seconds)
        } catch {
            tools.logger.warning("a host that asked to wait is not held in all queues", ["host": host, "error": "\(error)"])
        }
    }

    /// A host has asked for rest whose mirror is asked now. Nobody waits until the queues know: what waits for it and has a mirror goes on there.
    func leaveAlone(_ host: String, _ seconds: Double) { tools.scope.run("hold \(host)") { [self] in await hold(host, seconds, here: true) } }

    /// Whether Redis may still be told of the run by us; of a cancelled one for as long as its lease would have lasted.
    private var isOurs: Bool {
        switch ending {
        case nil, .yielded: true
        case .cancelled: endedAt.map { ContinuousClock.now < $0 + queue.times.patience } ?? true
        case .givenBack: endedAt.map { ContinuousClock.now < $0 + Self.whileStopping } ?? true
        case .expired: endedAt.map { ContinuousClock.now < $0 + Self.afterSilence } ?? true
        case .lost: false
        }
    }

    private func release() async -> Bool {
        let isReleased = try? await queue.node.retrying(RedisPatience(backoff: Backoff())) { () async throws(RedisError) in
            isOurs ? try await queue.release(claimed.held) : false
        }
        return isReleased ?? false
    }
}
