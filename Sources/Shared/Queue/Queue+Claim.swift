package import TintypeCore
package import TintypeTransport
import TintypeImages

extension Queue {
    /// Claims the best waiting fetches for which there is room.
    /// - Parameters:
    ///   - worker: the id of the worker, as in `beat`.
    ///   - count: the number of free permits of the worker.
    ///   - waits: whether the claim waits for a slot that moves (`RedisNode.command`).
    package func claim(worker: String, count: Int, waits: Bool = true) async throws(RedisError) -> ClaimAnswer {
        try Self.claimAnswer(await run(.claim, claimArguments(worker, count), waits: waits))
    }

    private func claimArguments(_ worker: String, _ count: Int) -> [RedisArgument] {
        [.string(JSON.string(worker).text), .int(Int64(count)), .int(times.lease.milliseconds)] + preferredHosts.map { .string($0) }
    }

    private nonisolated static func claimAnswer(_ reply: RedisReply) throws(RedisError) -> ClaimAnswer {
        guard let items = reply.array, let due = items.first?.int else { throw unexpected(.claim) }
        var fetches: [ClaimedFetch] = []
        for item in items.dropFirst() { fetches.append(try known(claimed(item.array ?? []), of: .claim)) }
        return ClaimAnswer(fetches: fetches, nextDueMilliseconds: due < 0 ? nil : Int(due))
    }

    private nonisolated static func claimed(_ words: [RedisReply]) -> ClaimedFetch? {
        guard words.count == 13, let fid = words[0].string, let token = words[1].int, let attempt = words[2].int, let host = words[3].string,
            let queued = words[4].int, let left = words[5].int, let pace = words[6].int, let time = words[7].string.flatMap({ ResultTime(word: $0) }),
            let owed = words[8].array,
            let keeps = words[10].int, let rests = words[11].array
        else { return nil }
        let needs = renditions(owed)
        return ClaimedFetch(
            lease: RunLease(fetch: fid, token: token), attempt: Int(attempt), host: host, fetch: needs.fetch, renditions: needs.owed,
            progressInterval: pace > 0 ? .milliseconds(pace) : nil, queuedSeconds: Double(queued) / 1000, deadlineSeconds: Double(left) / 1000,
            timeouts: words[9].string.flatMap { FetchOptions.Timeouts(queued: $0) }, resultTime: time, keepsSource: keeps == 1,
            resting: resting(rests), traces: traces(words[12]))
    }

    /// Reads a list of `traceparent`.
    nonisolated static func traces(_ word: RedisReply) -> [TraceContext] {
        guard let text = word.string, !text.isEmpty else { return [] }
        return text.split(separator: " ").compactMap { TraceContext(parent: String($0)) }
    }

    /// Reads a flat list of host, ms.
    private nonisolated static func resting(_ words: [RedisReply]) -> [String: Double] {
        var hosts: [String: Double] = [:]
        for index in stride(from: 0, to: words.count - 1, by: 2) {
            if let host = words[index].string, let left = words[index + 1].int { hosts[host] = Double(left) / 1000 }
        }
        return hosts
    }

    /// Reads a flat list of digest, "<receipts> <rendition JSON>", perhaps with "source", fetch JSON.
    nonisolated static func renditions(_ words: [RedisReply]) -> (fetch: String, owed: [OwedRendition]) {
        var fetch = ""
        var owed: [OwedRendition] = []
        for index in stride(from: 0, to: words.count - 1, by: 2) {
            guard let digest = words[index].string, let text = words[index + 1].string else { continue }
            if digest == "source" {
                fetch = text
            } else if let space = text.utf8.firstIndex(of: UInt8(ascii: " ")) {
                owed.append(OwedRendition(digest: digest, json: String(text[text.utf8.index(after: space)...])))
            }
        }
        return (fetch, owed)
    }

    /// Sends a worker's heartbeat, which renews the leases of these runs. Call it at least every 3 s, once for all runs, also without any.
    /// - Parameters:
    ///   - info: the entry of the worker in `workers.list`.
    ///   - phases: the phases of the runs. A run without one is downloading.
    ///   - isQuiet: whether the worker drains, by the last message to it. It counts if Redis has forgotten the worker.
    package func beat(
        worker: String, info: JSON, _ leases: [RunLease], phases: [RunLease: Phase] = [:], isQuiet: Bool = false
    ) async throws(RedisError) -> BeatAnswer {
        let reply = try await run(
            .workerHeartbeat,
            [.worker: .string(worker), .info: .string(info.text), .lease: .int(times.lease.milliseconds), .drains: .flag(isQuiet)],
            items: leases.flatMap { [.string($0.fetch), .int($0.token), .string((phases[$0] ?? .download).rawValue)] })
        let lists = (reply.array ?? []).map { list in (list.array ?? []).compactMap(\.string) }
        guard lists.count == 5, let quiet = reply.array?[3].int else { throw Self.unexpected(.workerHeartbeat) }
        var watched: [String: Duration] = [:]
        for index in stride(from: 0, to: lists[2].count - 1, by: 2) {
            if let pace = Int64(lists[2][index + 1]) { watched[lists[2][index]] = .milliseconds(pace) }
        }
        return BeatAnswer(lost: lists[0], cancelled: lists[1], watched: watched, yielding: lists[4], isQuiet: quiet == 1)
    }

    /// Asks a worker to drain for this queue, or to claim again.
    /// - Returns: false if this queue does not know the worker.
    package func quiet(worker: String, _ isQuiet: Bool) async throws(RedisError) -> Bool {
        PlainReply(try await run(.workerDrain, [.string(worker), isQuiet ? "1" : "0"])) == .ok
    }

    /// Removes a worker that stops from the list. A later heartbeat would add it again.
    package func retire(worker: String) async throws(RedisError) {
        _ = try await run(.workerRemove, [.string(worker)])
    }

    /// Releases a run: the fetch is queued again at its old place, and no attempt is counted. Used by a worker that stops, and for a run that yields to
    /// another client's.
    /// - Returns: false if the run no longer belonged to this worker.
    @discardableResult
    package func release(_ lease: RunLease) async throws(RedisError) -> Bool {
        RunReply(try await judged(.release, lease, [.string(lease.fetch), .int(lease.token)])) != .stale
    }

    /// The end of a sleep, or of its part for some of the queues.
    package struct Wake: Sendable {
        /// The queues whose markers were waited for.
        package let queues: [String]
        /// The queue whose marker was popped; nil if the time was over, another part ended this one, or Redis refused to wait.
        package let woken: String?
        /// The reason for which Redis refused to wait.
        package let refusal: RedisError?
        /// The claims that were sent with the wait, as their places in the call, and their answers.
        package let claims: [(place: Int, answer: Result<ClaimAnswer, RedisError>)]

        /// Whether Redis has done nothing.
        fileprivate var isVoid: Bool { refusal != nil && claims.allSatisfy { (try? $0.answer.get()) == nil } }
    }

    /// Sleeps until one of the queues may have work, or the time is over, and then claims.
    ///
    /// The claims are sent together with the wait, so Redis runs them the moment it has popped a marker. Claims after the wake-up would cost a round
    /// trip and a turn of a busy worker for each fetch that finds its worker idle. A claim may be old when its answer arrives. A process that was
    /// stopped meanwhile learns at its next heartbeat which runs it has lost.
    /// - Parameters:
    ///   - waits: connections used for nothing else.
    ///   - claims: the queues to claim from, and how many fetches to claim at most, each at least 1.
    ///   - woken: called at the end; in a cluster once for each queue.
    /// - Throws: if Redis has done nothing.
    package static func sleep(
        on waits: MarkerWaiter, _ queues: [Queue], claiming claims: [(queue: Queue, count: Int)], worker: String, for time: Duration,
        _ woken: @Loop (Wake) -> Void
    ) async throws(RedisError) {
        guard let redis = queues.first?.redis else { return }
        var failure: RedisError?
        var isVoid = true
        await waits.pop(
            anyOf: queues.map { MarkerWaiter.Key($0.keys.marker, of: $0.keys.tag) }, within: time,
            then: claims.map {
                let script = $0.queue.scripts[.claim]
                let words = script.command(keys: $0.queue.scriptKeys, $0.queue.claimArguments(worker, $0.count))
                return MarkerWaiter.Command(words, named: script.name, of: $0.queue.keys.tag)
            }, endedBy: redis
        ) { end in
            let over = Self.wake(end, of: queues)
            if over.isVoid { failure = failure ?? over.refusal } else { isVoid = false }
            woken(over)
        }
        if isVoid, let failure { throw failure }
    }

    private static func wake(_ end: MarkerWaiter.End, of queues: [Queue]) -> Wake {
        let part = end.keys.map { queues[$0] }
        let claims = end.others.map { place, result -> (place: Int, answer: Result<ClaimAnswer, RedisError>) in
            do throws(RedisError) { return (place, .success(try claimAnswer(result.get()))) } catch { return (place, .failure(error)) }
        }
        switch end.reply {
        case .success(let reply):
            let marker = reply.array?.first?.string
            return Wake(queues: part.map(\.name), woken: part.first { $0.keys.marker == marker }?.name, refusal: nil, claims: claims)
        case .failure(let error): return Wake(queues: part.map(\.name), woken: nil, refusal: error, claims: claims)
        }
    }

    /// Wakes a worker that sleeps. Its claims are answered as usual.
    /// - Returns: false if the worker did not sleep at this moment.
    package func wake(_ waits: MarkerWaiter) async -> Bool { await waits.end(by: redis) }
}
