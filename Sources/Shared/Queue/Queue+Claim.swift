extension Queue {
    /// Takes the best waiting fetches there is room for.
    /// - Parameters:
    ///   - worker: its id, as `beat` gives it.
    ///   - count: as many as the worker has permits for.
    package func claim(worker: String, count: Int) async throws(RedisError) -> ClaimAnswer {
        let reply = try await run(
            scripts.claim, [.string(JSON.string(worker).text), .int(Int64(count)), .int(Self.lease.milliseconds)])
        guard let items = reply.array, let due = items.first?.int else { throw Self.unexpected(scripts.claim, reply) }
        var fetches: [ClaimedFetch] = []
        for item in items.dropFirst() {
            guard let fetch = Self.claimed(item.array ?? []) else { throw Self.unexpected(scripts.claim, reply) }
            fetches.append(fetch)
        }
        return ClaimAnswer(fetches: fetches, nextDueMilliseconds: due < 0 ? nil : Int(due))
    }

    private nonisolated static func claimed(_ words: [RedisReply]) -> ClaimedFetch? {
        guard words.count == 9, let fid = words[0].string, let token = words[1].int, let attempt = words[2].int, let host = words[3].string,
            let queued = words[4].int, let left = words[5].int, let watched = words[6].int, let owed = words[8].array
        else { return nil }
        let needs = renditions(owed)
        return ClaimedFetch(
            held: Held(fetch: fid, token: token), attempt: Int(attempt), host: host, fetch: needs.fetch, renditions: needs.owed,
            wantsProgress: watched == 1, queuedSeconds: Double(queued) / 1000, deadlineSeconds: Double(left) / 1000,
            resultTTL: words[7].int.map { Double($0) / 1000 })
    }

    /// A flat list of digest, "<receipts> <rendition JSON>", perhaps with "source", fetch JSON.
    nonisolated static func renditions(_ words: [RedisReply]) -> (fetch: String, owed: [OwedRendition]) {
        var fetch = ""
        var owed: [OwedRendition] = []
        for index in stride(from: 0, to: words.count - 1, by: 2) {
            guard let digest = words[index].string, let text = words[index + 1].string else { continue }
            if digest == "source" {
                fetch = text
            } else if let space = text.firstIndex(of: " ") {
                owed.append(OwedRendition(digest: digest, json: String(text[text.index(after: space)...])))
            }
        }
        return (fetch, owed)
    }

    /// Says that a worker lives and holds these runs; at least every 3 s, once for all of them, also when it holds none.
    /// - Parameter info: what `workers.list` shows of it.
    package func beat(worker: String, info: JSON, _ held: [Held]) async throws(RedisError) -> BeatAnswer {
        var arguments: [RedisArgument] = [.string(worker), .string(info.text), .int(Self.lease.milliseconds)]
        for run in held { arguments += [.string(run.fetch), .int(run.token)] }
        let reply = try await run(scripts.beat, arguments)
        let lists = (reply.array ?? []).map { list in (list.array ?? []).compactMap(\.string) }
        guard lists.count == 3 else { throw Self.unexpected(scripts.beat, reply) }
        return BeatAnswer(lost: lists[0], cancelled: lists[1], watched: lists[2])
    }

    /// Gives a run back: queued again at its old place, not charged. For a worker that stops.
    /// - Returns: false if the run was not this worker's any more.
    @discardableResult
    package func release(_ held: Held) async throws(RedisError) -> Bool {
        try await run(scripts.release, [.string(held.fetch), .int(held.token)]).string != "STALE"
    }

    /// Sleeps until one of the queues may have something to claim, or the time is over. Then claim: the wake-up itself brings nothing.
    /// - Parameter blocking: a client of its own; it serves nothing else meanwhile.
    /// - Returns: the name of the queue that woke the worker; nil if the time is over.
    package static func waitForWork(blocking: RedisClient, _ queues: [Queue], for time: Duration) async throws(RedisError) -> String? {
        let seconds = Double(max(10, time.milliseconds)) / 1000
        let arguments: [RedisArgument] = ["BZPOPMIN"] + queues.map { .string($0.keys.marker) } + [.string("\(seconds)")]
        let woken = try await blocking.block(arguments, for: time).array?.first?.string
        return queues.first { $0.keys.marker == woken }?.name
    }
}
