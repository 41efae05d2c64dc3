import TintypeCore
import TintypeTransport
import TintypeQueue

/// The end of a run that did not succeed, and the report of any end to Redis.
extension FetchRunner {
    /// How long the worker may still report a run to Redis after it gave up the lease because Redis did not answer. The fencing token protects the next run.
    /// Nobody reaps the run while Redis is away, and nobody does so for the time of a lease afterwards.
    private static let afterSilence = Duration.seconds(600)

    /// How long a run without a descriptor or memory keeps its place before it is released. The taken place makes the worker claim less meanwhile.
    private static let withoutRoom = Duration.seconds(1)

    /// How long a stopping worker tries to release a run.
    private static let whileStopping = Duration.seconds(5)

    func giveUp(_ error: TintypeError) async -> String {
        switch ending {
        case .lost: return "stale"
        case .expired, .givenBack, .yielded:
            reservation.release()
            await keepRest()
            return await release() ? "returned" : "stale"
        case .cancelled:
            _ = await finish(.cancelled)
            if let brokenDownload { await parts.loader.cache.giveBack(brokenDownload.digest) }
            return "cancelled"
        case nil where error.isOfRoom || error.isOfDescriptors && parts.shortage.note(parts.context.logger):
            reservation.release()
            await keepRest()
            try? await Loop.sleep(Self.withoutRoom)
            if ending != nil { return await giveUp(error) }
            return await release() ? "returned" : "stale"
        case nil:
            noteFailure(error)
            if error.isRetryable { await keepRest() }
            let busy = error.busyHost
            let answer = await finish(.failure(error, retryAfter: busy?.seconds), listing: parts.blacklist.listing(of: error, url: url), busyHost: busy?.host)
            if let busy, answer?.isEnd == true { await hold(busy.host, busy.seconds) }
            return switch answer {
            case .again: "retried"
            case .stale: "stale"
            case .duplicate, nil: error.isRetryable ? "retried" : "failed"
            case .done, .withdrawn, .more, .keepLonger, .purged: "failed"
            }
        }
    }

    /// Counts and logs why the run has failed.
    func noteFailure(_ error: TintypeError) {
        parts.context.metrics.add(.errors, labels: error.name.rawValue, error.phase.rawValue)
        parts.context.logger.info(
            "a fetch failed", ["fetch": claimed.lease.fetch, "host": claimed.host, "attempt": claimed.attempt, "error": error.description])
    }

    /// Reports the end of the run to Redis. Repeats the report until Redis answers or the run is lost; a repetition does no harm.
    /// - Returns: nil if the run was lost before Redis answered.
    func finish(_ outcome: FetchOutcome, listing: BlacklistListing? = nil, busyHost: String? = nil) async -> FinishAnswer? {
        // After a cancellation nobody waits for the source.
        if ending == nil { await writes.done() }
        await reporter.flush()
        // A script that fails three times will always fail. The lease then ends and another worker tries.
        let answer = try? await queue.node.retrying(
            RedisPatience(refusals: 2, backoff: Backoff()),
            after: {
                parts.context.logger.warning("a fetch could not be finished", ["fetch": claimed.lease.fetch, "error": "\($0)"])
                return true
            }
        ) { () async throws(RedisError) -> FinishAnswer? in
            isOurs ? try await queue.finish(claimed.lease, outcome, listing: listing, busyHost: busyHost) { spans?.link($0) } : nil
        }
        if answer?.isEnd == true { parts.ended.note(claimed.lease, in: queue, outcome, listing: listing, busyHost: busyHost) }
        return answer
    }

    /// Throttles a host in all queues. Redis is asked once: if it does not answer, the next request to the host brings the same `Retry-After` again.
    /// - Parameter here: whether to throttle the host in this fetch's own queue too.
    func hold(_ host: String, _ seconds: Double, here: Bool = false) async {
        do throws(RedisError) {
            if here { try await queue.hold(host, seconds: seconds) }
            try await queue.holdElsewhere(host, seconds: seconds)
        } catch {
            parts.context.logger.warning("a host that sent Retry-After could not be throttled in all queues", ["host": host, "error": "\(error)"])
        }
    }

    /// Throttles a host in all queues while this run goes on at a mirror. The run does not wait for the queues. Waiting fetches of the host that have
    /// a mirror go on there.
    func leaveAlone(_ host: String, _ seconds: Double) { parts.context.scope.run("hold \(host)") { [self] in await hold(host, seconds, here: true) } }

    /// Whether this worker may still report the run to Redis. For a canceled run this is the time that its lease would have lasted.
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
            isOurs ? try await queue.release(claimed.lease) : false
        }
        return isReleased ?? false
    }
}
