package import TintypeCore
package import TintypeTransport
import TintypeImages

extension Queue {
    /// Claims the best waiting fetches for which there is room.
    /// - Parameters:
    ///   - worker: the id of the worker, as in `beat`.
    ///   - count: the number of free permits of the worker.
    package func claim(worker: String, count: Int) async throws(RedisError) -> ClaimAnswer {
        try Self.claimAnswer(await run(.claim, claimArguments(worker, count)))
    }

    private nonisolated func claimArguments(_ worker: String, _ count: Int) -> [RedisArgument] {
        [.string(JSON.string(worker).text), .int(Int64(count)), .int(times.lease.milliseconds)]
    }

    private nonisolated static func claimAnswer(_ reply: RedisReply) throws(RedisError) -> ClaimAnswer {
        guard let items = reply.array, let due = items.first?.int else { throw unexpected(.claim, reply) }
        var fetches: [ClaimedFetch] = []
        for item in items.dropFirst() {
            guard let fetch = claimed(item.array ?? []) else { throw unexpected(.claim, reply) }
            fetches.append(fetch)
        }
        return ClaimAnswer(fetches: fetches, nextDueMilliseconds: due < 0 ? nil : Int(due))
    }

    private nonisolated static func claimed(_ words: [RedisReply]) -> ClaimedFetch? {
        guard words.count == 12, let fid = words[0].string, let token = words[1].int, let attempt = words[2].int, let host = words[3].string,
            let queued = words[4].int, let left = words[5].int, let pace = words[6].int, let time = words[7].string.flatMap({ ResultTime(word: $0) }),
            let owed = words[8].array,
            let keeps = words[10].int, let rests = words[11].array
        else { return nil }
        let needs = renditions(owed)
        return ClaimedFetch(
            lease: RunLease(fetch: fid, token: token), attempt: Int(attempt), host: host, fetch: needs.fetch, renditions: needs.owed,
            progressInterval: pace > 0 ? .milliseconds(pace) : nil, queuedSeconds: Double(queued) / 1000, deadlineSeconds: Double(left) / 1000,
            timeouts: words[9].string.flatMap { FetchOptions.Timeouts(queued: $0) }, resultTime: time, keepsSource: keeps == 1,
            resting: resting(rests))
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
    ///   - isQuiet: whether the worker drains, as it was last told. It counts if Redis has forgotten the worker.
    package func beat(
        worker: String, info: JSON, _ leases: [RunLease], phases: [RunLease: Phase] = [:], isQuiet: Bool = false
    ) async throws(RedisError) -> BeatAnswer {
        var arguments = ScriptArguments(.workerHeartbeat, capacity: 9 + 3 * leases.count)
        arguments.add(.worker, worker)
        arguments.add(.info, info.text)
        arguments.add(.lease, .int(times.lease.milliseconds))
        arguments.add(.drains, if: isQuiet)
        arguments.add(items: leases.flatMap { [.string($0.fetch), .int($0.token), .string((phases[$0] ?? .download).rawValue)] })
        let reply = try await run(arguments)
        let lists = (reply.array ?? []).map { list in (list.array ?? []).compactMap(\.string) }
        guard lists.count == 5, let quiet = reply.array?[3].int else { throw Self.unexpected(.workerHeartbeat, reply) }
        var watched: [String: Duration] = [:]
        for index in stride(from: 0, to: lists[2].count - 1, by: 2) {
            if let pace = Int64(lists[2][index + 1]) { watched[lists[2][index]] = .milliseconds(pace) }
        }
        return BeatAnswer(lost: lists[0], cancelled: lists[1], watched: watched, yielding: lists[4], isQuiet: quiet == 1)
    }

    /// Tells a worker to drain for this queue, or to claim again.
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

    /// Sleeps until one of the queues may have work, or the time is over, and then claims.
    ///
    /// The claims are sent together with the wait, so Redis runs them the moment it has popped a marker. Claims after the wake-up would cost a round
    /// trip and a turn of a busy worker for each fetch that finds its worker idle. A claim may be old when its answer arrives. A process that was
    /// stopped meanwhile learns at its next heartbeat which runs it has lost.
    /// - Parameters:
    ///   - blocking: connections used for nothing else while they wait.
    ///   - claims: the queues to claim from, and how many fetches to claim at most, each at least 1.
    /// - Returns: the queue whose marker was popped, nil if the time was over or Redis refused to wait; and the answer of each claim.
    /// - Throws: if Redis has done nothing.
    package static func sleep(
        blocking: RedisNodes, _ queues: [Queue], claiming claims: [(queue: Queue, count: Int)], worker: String, for time: Duration
    ) async throws(RedisError) -> (woken: String?, refusal: RedisError?, claims: [Result<ClaimAnswer, RedisError>]) {
        let results = await blocking.pop(
            anyOf: queues.map { ($0.keys.tag, $0.keys.marker) }, within: time,
            then: claims.map { ($0.queue.keys.tag, $0.queue.scripts[.claim].command(keys: $0.queue.scriptKeys, $0.queue.claimArguments(worker, $0.count))) })
        let answers = results.dropFirst().map { result -> Result<ClaimAnswer, RedisError> in
            do throws(RedisError) { return .success(try claimAnswer(result.get())) } catch { return .failure(error) }
        }
        var refusal: RedisError?
        if case .failure(let error) = results[0] {
            if answers.allSatisfy({ (try? $0.get()) == nil }) { throw error }
            refusal = error
        }
        let woken = (try? results[0].get())?.array?.first?.string
        return (queues.first { $0.keys.marker == woken }?.name, refusal, answers)
    }

    /// Wakes a worker that sleeps on `blocking`. Its claims are answered as usual.
    /// - Returns: false if the worker did not sleep at this moment.
    package func wake(_ blocking: RedisNodes) async throws(RedisError) -> Bool { try await redis.unblock(blocking) }
}
