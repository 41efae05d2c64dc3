package import TintypeCore
package import TintypeTransport
package import TintypeImages

/// A fetch that was given up: its transient failures were used up, or it has killed two workers. Kept a week, the last thousand of a queue.
package struct DeadLetter: Sendable {
    /// The fetch's id.
    package let id: String
    /// Epoch ms.
    package let diedAt: Int64
    /// Runs that were charged.
    package let attempts: Int
    /// The error its receipts ended with.
    package let error: JSON
    /// The fetch as the worker gets it: canonical JSON. It may hold secrets and is never shown.
    package let fetch: String
    /// Whether it is still known whole: what held credentials is not, and cannot be tried again.
    package let isWhole: Bool
    /// The same work once more, under a receipt of its own that nobody waits for: retrying a letter twice is the same retry.
    package let submission: Submission

    /// How long a retry may wait and run.
    private static let deadline = 3600.0

    /// - Parameter words: as `letters.lua` answers them. - Returns: nil for what no script has written.
    init?(_ words: [RedisReply]) {
        guard words.count == 13, let id = words[0].string, let diedAt = words[1].int, let attempts = words[2].int, let error = words[3].string,
            let host = words[4].string, let priority = words[5].int, let order = words[6].string, let source = words[7].string,
            let maxAttempts = words[8].int, let base = words[9].int, let ceiling = words[10].int, let ttl = words[11].int,
            let owed = words[12].array
        else { return nil }
        let needs = Queue.renditions(owed)
        (self.id, self.diedAt, self.attempts, fetch) = (id, diedAt, Int(attempts), needs.fetch)
        isWhole = (try? JSON(parsing: needs.fetch))?["bare"] == nil
        self.error = (try? JSON(parsing: error)) ?? .null
        var submission = Submission(
            receipt: "retry-\(id)", coordinator: "", fingerprint: "retry-\(id)", source: source, host: host, fetch: needs.fetch,
            renditions: needs.owed.map { .init(name: $0.digest, digest: $0.digest, json: $0.json) })
        submission.priority = Int(priority)
        submission.order = QueueOrder.allCases.first { $0.letter == order }
        submission.deadlineSeconds = Self.deadline
        submission.maxAttempts = Int(maxAttempts)
        (submission.retryBaseMilliseconds, submission.retryMaxMilliseconds) = (Int(base), Int(ceiling))
        submission.keepsSource = CacheUse(canonical: (try? JSON(parsing: needs.fetch))?["cache"]).writes
        if let source = (try? JSON(parsing: needs.fetch)).flatMap({ try? Source(canonical: $0) }) {
            if source.fetch.timeouts != FetchOptions.Timeouts() { submission.timeouts = source.fetch.timeouts }
            if source.mirrorHosts.contains(host) || source.host == host { (submission.host, submission.mirrors) = (source.host, source.mirrorHosts) }
        }
        submission.resultTTL = Double(ttl) / 1000
        submission.readResults = false
        submission.blacklist = .retry
        submission.terms.isDetached = true
        submission.isChosen = true
        self.submission = submission
    }

    /// As `dead.list` shows it: the URL without what may be secret.
    package var json: JSON {
        let source = (try? JSON(parsing: fetch)).flatMap { try? Source(canonical: $0) }
        return [
            "id": .string(id), "url": source.map { .string("\(RedactedURL($0.url))") } ?? .null, "error": error, "attempts": JSON(attempts),
            "at": JSON(Double(diedAt) / 1000), "retryable": .bool(isWhole),
        ]
    }
}

extension Queue {
    /// Dead letters, newest first.
    /// - Parameter after: where the answer before has ended.
    package func deadLetters(limit: Int, after: ListCursor? = nil) async throws(RedisError) -> ListPage<DeadLetter> {
        try await page(scripts.letters, limit, after) { DeadLetter($0) }
    }

    /// Queues these once more, each under a receipt of its own, and takes the letters away. Repeating it after a break is harmless.
    /// - Returns: how many were queued; ids that are no dead letters are passed over, and letters whose credentials are gone.
    package func retry(dead ids: [String]) async throws(RedisError) -> Int {
        guard !ids.isEmpty else { return 0 }
        let found = try await run(scripts.letters, [0, "", ""] + ids.map { .string($0) }).array ?? []
        var retried = 0
        for letter in found.dropFirst(3).compactMap({ DeadLetter($0.array ?? []) }) where letter.isWhole {
            let token = Digest.randomHex(bytes: 8)
            // Where somebody else uses the name of its receipt the letter stays.
            guard try await reserve(letter.submission, token: token) else { continue }
            switch try await submit(letter.submission) {
            case .queued, .again, .finished: retried += try await discard(dead: [letter.id])
            case .full:
                try await giveBack(letter.submission, token: token)
                return retried
            case .mismatch, .indexed, .listed, .unknownQueue: continue
            }
        }
        return retried
    }

    /// - Returns: how many of these were dead letters.
    package func discard(dead ids: [String]) async throws(RedisError) -> Int {
        guard !ids.isEmpty else { return 0 }
        return Int(try await run(scripts.discard, ids.map { .string($0) }).int ?? 0)
    }
}
