package import TintypeCore
package import TintypeTransport
import TintypeImages

extension Queue {
    /// Publishes events of a running fetch to its receipts.
    package func progress(_ lease: RunLease, _ events: [FetchEvent]) async throws(RedisError) -> ProgressAnswer {
        var arguments: [RedisArgument] = [.string(lease.fetch), .int(lease.token)]
        for event in events { arguments += [.string(event.type.text), .string(event.body.fragment)] }
        return try Self.progressAnswer(.progress, await run(.progress, arguments))
    }

    /// Reports one rendition while the worker still makes others. Receipts that now have all their renditions end.
    /// - Parameter metrics: as in `FetchOutcome.success`, as far as known.
    package func rendition(
        _ lease: RunLease, _ outcome: RenditionOutcome, metrics: JSONObject = JSONObject(), from: ResultOrigin = .remote
    ) async throws(RedisError) -> RenditionAnswer {
        let arguments = ScriptArguments(
            .rendition, [.fetch: .string(lease.fetch), .token: .int(lease.token), .facts: .string(Self.facts(metrics, from))], items: Self.items(outcome))
        let reply = try await judged(.rendition, lease, arguments.words)
        if let time = Self.keep(reply) { return .keepLonger(time) }
        if RunReply(reply) == .purged { return .purged }
        switch try Self.progressAnswer(.rendition, reply) {
        case .ok, .previews: return .ok
        case .stale: return .stale
        case .cancel: return .cancel
        }
    }

    /// Ends a run. Repeat the call until it is answered: a repetition is harmless, and a late one is refused.
    /// - Parameters:
    ///   - listing: the entry that puts the source on the blacklist if this failure ends the fetch.
    ///   - busyHost: the host that sent `Retry-After`. None of its fetches is claimed for the failure's `retryAfter`.
    ///   - onTraces: called with the places of its requests in their traces, those that joined it included, unless the run was canceled or there are none.
    package func finish(
        _ lease: RunLease, _ outcome: FetchOutcome, listing: BlacklistListing? = nil, busyHost: String? = nil,
        onTraces: ([TraceContext]) -> Void = { _ in }
    ) async throws(RedisError) -> FinishAnswer {
        let script: QueueScript
        let words: [RedisArgument]
        switch outcome {
        case .success(let metrics, let renditions, let from):
            script = .finish
            let options: KeyValuePairs<ScriptOption, RedisArgument?> = [
                .fetch: .string(lease.fetch), .token: .int(lease.token), .facts: .string(Self.facts(metrics, from)),
            ]
            words = ScriptArguments(script, options, items: renditions.flatMap(Self.items)).words
        case .failure(let error, let retryAfter):
            script = .fail
            let options: KeyValuePairs<ScriptOption, RedisArgument?> = [
                .fetch: .string(lease.fetch), .token: .int(lease.token), .failure: .string(Self.uncharged(error)), .retryable: .flag(error.isRetryable),
                .retryAfter: .int(Self.milliseconds(retryAfter ?? 0), unless: 0), .jitter: dice(), .listing: listing.map { .string($0.text) },
                .listingTime: listing.map { .int(Self.milliseconds($0.seconds)) }, .host: .ifAny(retryAfter ?? 0 > 0 ? busyHost : nil),
            ]
            words = ScriptArguments(script, options).words
        case .cancelled:
            script = .release
            words = [.string(lease.fetch), .int(lease.token)]
        }
        // Redis writes replies to its clients in the order in which it came to owe them (`clients_pending_write`), the newest first. With this reply
        // owed, Redis wakes the coordinators that the script informs before it wakes this worker, which only has to tidy up. Where few cores serve many
        // processes, they would wait behind this worker.
        node.sendWithoutReply(["PING"])
        let reply = try await judged(script, lease, words)
        if let time = Self.keep(reply) { return .keepLonger(time) }
        let answer = reply.array ?? [reply]
        switch RunReply(reply) {
        case .ok, .again:
            if answer.count > 1 { onTraces(Self.traces(answer[1])) }
            return RunReply(reply) == .again ? .again : .done
        case .void: return .withdrawn
        case .duplicate: return .duplicate
        case .stale: return .stale
        case .purged: return .purged
        case .more:
            guard answer.count > 1, let time = answer[1].string.flatMap({ ResultTime(word: $0) }) else { throw Self.unexpected(script) }
            return .more(Self.renditions(Array(answer.dropFirst(2))).owed, resultTime: time)
        case .cancel, .late, .part, .keep, nil: throw Self.unexpected(script)
        }
    }

    /// Runs a script that reports the end or progress of a run. A late result must not complete a receipt whose deadline has passed, so such receipts
    /// are expired first, and the script runs again. That is rare, so `expire` is a script of its own, and the others need not carry its functions.
    /// One call ends a few hundred receipts at most, so that others can use Redis in between. A worker that is killed there leaves a run that the reaper
    /// takes: the receipts that have not ended wait for the next run.
    func judged(_ script: QueueScript, _ lease: RunLease, _ arguments: [RedisArgument]) async throws(RedisError) -> RedisReply {
        while true {
            let reply = try await run(script, arguments)
            let word = RunReply(reply)
            guard word == .part || word == .late else { return reply }
            if word == .late { _ = try await run(.expire, [.string(lease.fetch)]) }
        }
    }

    /// Throttles a host that sent `Retry-After` during a run that continues: a mirror replaces the host, or it served only an overlay picture.
    package func hold(_ host: String, seconds: Double) async throws(RedisError) {
        _ = try await run(.throttle, [.string(host), .int(Self.milliseconds(seconds))])
    }

    /// Throttles a host in every other queue too: the host does not know of queues, and all workers ask it. `finish` has throttled it in this queue. A
    /// queue that is made meanwhile learns of the pause when it asks the host.
    package func holdElsewhere(_ host: String, seconds: Double) async throws(RedisError) {
        for name in try await Self.names(redis) where name != self.name {
            let other = Queue(name: name, redis: redis, scripts: scripts, times: times)
            other.clock = clock
            try await other.hold(host, seconds: seconds)
        }
    }

    private nonisolated static func keep(_ reply: RedisReply) -> ResultTime? {
        guard let words = reply.array, words.count == 2, RunReply(reply) == .keep else { return nil }
        return words[1].string.flatMap { ResultTime(word: $0) }
    }

    private nonisolated static func items(_ outcome: RenditionOutcome) -> [RedisArgument] {
        switch outcome.result {
        case .success(let info, let source, let description, let time):
            [
                .string(outcome.digest), "made", .string(JSON.object(info).text), .string(JSON.object(source).text),
                .string(description.map { JSON.object($0).text } ?? ""), .string(time.word),
            ]
        case .failure(let error):
            [
                .string(outcome.digest), "failed", .string(uncharged(error)), "", .string(outcome.listing?.text ?? ""),
                .int(milliseconds(outcome.listing?.seconds ?? 0)),
            ]
        }
    }

    /// Prepares an error for the scripts, which write the true number of attempts and the causes of earlier failures.
    private nonisolated static func uncharged(_ error: TintypeError) -> String { error.adding("attempts", 0).json.text }

    /// Writes the facts of a run. The scripts add `queued` and `total` for each receipt.
    private nonisolated static func facts(_ metrics: JSONObject, _ from: ResultOrigin) -> String {
        var metrics = metrics
        metrics["queued"] = nil
        metrics["total"] = nil
        var text = JSONWriter(capacity: 512)
        from.write(to: &text)
        text.raw("\n")
        text.value(.object(metrics))
        return String(decoding: text.bytes, as: UTF8.self)
    }

    private nonisolated static func progressAnswer(_ script: QueueScript, _ reply: RedisReply) throws(RedisError) -> ProgressAnswer {
        switch RunReply(reply) {
        case .ok: return .ok
        case .stale: return .stale
        case .cancel: return .cancel
        case .again, .void, .duplicate, .late, .part, .more, .keep, .purged: throw unexpected(script)
        case nil:
            guard let options = reply.string.flatMap({ PreviewOptions(queued: $0) }) else { throw unexpected(script) }
            return .previews(options)
        }
    }

    /// Returns a number from 0 to 1 for a script, since scripts have no random numbers.
    func dice() -> RedisArgument { .string("\(jitter ?? Double(Int.random(in: 0...1000)) / 1000)") }
}
