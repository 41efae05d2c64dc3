package import TintypeCore
package import TintypeTransport
package import TintypeImages

/// A fetch that has failed for good: its transient failures used up all attempts, or it has killed two workers. Kept for a week, at most 1000 per queue.
package struct DeadLetter: Sendable {
    /// The fetch's id.
    package let id: String
    /// The host that the fetch waited for or ran at.
    package let host: String
    /// Epoch ms.
    package let diedAt: Int64
    /// Runs that were counted as attempts.
    package let attempts: Int
    /// The error that its receipts ended with.
    package let error: JSON
    /// The fetch as the worker gets it: canonical JSON. It may hold secrets and is never shown.
    package let fetch: String
    /// Whether the whole fetch is kept. A fetch with credentials is not, and cannot be tried again.
    package let isWhole: Bool
    /// The same work under a receipt of its own that no client waits for. Its id is derived from the fetch, so retrying a letter twice is one retry.
    package let submission: Submission

    /// How long a retry may wait and run.
    private static let deadline = 3600.0

    /// - Parameter words: one item of the answer of `dead-letters.lua`.
    /// - Returns: nil if no script has written the item.
    init?(_ words: [RedisReply]) {
        guard words.count == 13, let id = words[0].string, let diedAt = words[1].int, let attempts = words[2].int, let error = words[3].string,
            let host = words[4].string, let priority = words[5].int, let order = words[6].string, let source = words[7].string,
            let maxAttempts = words[8].int, let base = words[9].int, let ceiling = words[10].int, let time = words[11].string.flatMap({ ResultTime(word: $0) }),
            let owed = words[12].array
        else { return nil }
        let needs = Queue.renditions(owed)
        (self.id, self.host, self.diedAt, self.attempts, fetch) = (id, host, diedAt, Int(attempts), needs.fetch)
        let whole = try? JSON(parsing: needs.fetch)
        isWhole = whole?["bare"] == nil
        self.error = (try? JSON(parsing: error)) ?? .null
        var submission = Submission(
            receipt: "retry-\(id)", coordinator: "", fingerprint: "retry-\(id)", source: source, host: host, fetch: needs.fetch,
            renditions: needs.owed.map { .init(name: $0.digest, digest: $0.digest, json: $0.json) })
        submission.priority = Int(priority)
        submission.order = QueueOrder(rawValue: order)
        submission.deadlineSeconds = Self.deadline
        submission.maxAttempts = Int(maxAttempts)
        (submission.retryBaseMilliseconds, submission.retryMaxMilliseconds) = (Int(base), Int(ceiling))
        submission.keepsSource = CacheUse(canonical: whole?["cache"]).writes
        if let source = whole.flatMap({ try? Source(canonical: $0) }) {
            if source.fetch.timeouts != FetchOptions.Timeouts() { submission.timeouts = source.fetch.timeouts }
            if source.mirrorHosts.contains(host) || source.host == host { (submission.host, submission.mirrors) = (source.host, source.mirrorHosts) }
        }
        submission.resultTime = time
        submission.readResults = false
        submission.blacklist = .retry
        submission.terms.isDetached = true
        submission.isChosen = true
        self.submission = submission
    }

    /// The entry in `dead.list`. Its URL has no parts that may be secret.
    package var json: JSON {
        return [
            "id": .string(id), "url": Queue.shownURL(ofFetch: fetch).map { .string($0) } ?? .null, "error": error, "attempts": JSON(attempts),
            "at": JSON(Double(diedAt) / 1000), "retryable": .bool(isWhole),
        ]
    }
}

extension Queue {
    /// Returns dead letters, newest first.
    /// - Parameter after: the end of the page before.
    package func deadLetters(limit: Int, after: ListCursor? = nil) async throws(RedisError) -> ListPage<DeadLetter> {
        try await page(.deadLetters, limit, after) { DeadLetter($0) }
    }

    /// Queues these dead letters again, each under a receipt of its own, and removes the letters. Repeating the call after a break is harmless.
    /// - Returns: the number of fetches queued. Ids that are no dead letters are skipped, and letters whose credentials were removed.
    package func retry(dead ids: [String]) async throws(RedisError) -> Int {
        guard !ids.isEmpty else { return 0 }
        let found = try await run(.deadLetters, [0, "", ""] + ids.map { .string($0) }).array ?? []
        var retried = 0
        for letter in found.dropFirst(3).compactMap({ DeadLetter($0.array ?? []) }) where letter.isWhole {
            let token = Digest.randomHex(bytes: 8)
            // If another request uses the id of this receipt, the letter stays.
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

    /// Removes these dead letters.
    /// - Returns: how many of the ids were dead letters.
    package func discard(dead ids: [String]) async throws(RedisError) -> Int {
        guard !ids.isEmpty else { return 0 }
        return Int(try await run(.deadLettersRemove, ids.map { .string($0) }).int ?? 0)
    }
}
