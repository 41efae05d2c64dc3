package import TintypeCore
package import TintypeTransport

extension TintypeError {
    /// Makes the error for a client after a failure of Redis. An error reply is a mistake of ours or of an operator, so its text stays in the log.
    package init(_ error: RedisError) {
        if let reason = error.refusalToWrite {
            self.init(.unavailable, .queue, "Redis \(reason.now), and accepts nothing new: repeat the request later", details: ["retryAfter": 5])
            return
        }
        switch error {
        case .unavailable, .connectionLost, .timedOut:
            self.init(.unavailable, .queue, "Redis is unreachable: repeat the request later", details: ["retryAfter": 1])
        case .otherSchema:
            self.init(
                .unavailable, .queue, "the keys in Redis have another schema than this coordinator: use another coordinator, or try again later",
                details: ["retryAfter": 5])
        case .foreignQueue(let queue, _):
            self.init(
                .unavailable, .queue, "the keys of queue \(queue) have another schema than this coordinator: use another coordinator, or try again later",
                details: ["retryAfter": 5])
        case .outOfMemory:
            self.init(.overloaded, .queue, "Redis is out of memory: try again later", details: ["retryAfter": 5])
        case .reply, .invalidURL:
            self.init(.internalError, .queue, "Redis refused a command: the coordinator's log has the details")
        }
    }
}

extension RedisError {
    /// Asks Redis, and throws its failure in the terms of clients.
    @Loop
    package static func translating<Answer>(_ body: @Loop () async throws(RedisError) -> Answer) async throws(TintypeError) -> Answer {
        do throws(RedisError) { return try await body() } catch { throw TintypeError(error) }
    }

    /// The error of a request whose deadline passed while Redis refused writes; Redis may accept them again by now. nil for any other error.
    var lateness: TintypeError? {
        refusalToWrite.map {
            TintypeError(
                .unavailable, .queue, "the deadline has passed, and Redis \($0.past) at that time: repeat the request",
                details: ["retryAfter": 5, "attempts": 0])
        }
    }

    /// The reason why Redis answers but refuses writes, as Redis states it. Waiting work stands still then, because no worker can claim or finish it.
    fileprivate var refusalToWrite: (now: String, past: String)? {
        guard case .unavailable(let text) = self else { return nil }
        return switch RedisErrorReply(text) {
        case .diskFailed: ("cannot write to its disk, which may be full", "could not write to its disk, which may have been full,")
        case .tooFewReplicas: ("has fewer replicas than it requires", "had fewer replicas than it requires")
        case .readOnly: ("is a replica of another Redis", "was a replica of another Redis")
        case .outOfMemory, .loading, .primaryDown, .clusterDown, .unblocked, .busy, .redirect, .crossSlot, .unknownScript, .notPermitted, .schema, .other: nil
        }
    }
}

extension RedisNode {
    /// Repeats a call until Redis has answered, and logs the refusals of Redis.
    /// - Parameters:
    ///   - what: The name of the action for the log.
    ///   - isOver: Asked after each failure; true ends the tries.
    package func retrying<Answer>(
        _ what: StaticString, until limit: ContinuousClock.Instant, _ logger: Logger, unless isOver: @Loop () -> Bool = { false },
        _ body: @Loop () async throws(RedisError) -> Answer
    ) async throws(RedisError) -> Answer {
        try await retrying(
            RedisPatience(until: limit),
            after: {
                logger.refused(what, $0)
                return !isOver()
            }, body)
    }
}

extension Logger {
    /// Asks Redis, and throws its failure in the terms of clients. The log has the refusals.
    /// - Parameter what: The name of the action for the log.
    @Loop
    package func translating<Answer>(_ what: StaticString, _ body: @Loop () async throws(RedisError) -> Answer) async throws(TintypeError) -> Answer {
        try await RedisError.translating { () async throws(RedisError) in
            do throws(RedisError) { return try await body() } catch {
                refused(what, error)
                throw error
            }
        }
    }

    /// Does what no client waits for, and logs the refusals of Redis.
    @Loop
    package func attempt(_ what: StaticString, _ body: @Loop () async throws(RedisError) -> Void) async {
        do throws(RedisError) { try await body() } catch { refused(what, error) }
    }

    /// Logs an error of Redis that clients are told less about. The reaper logs queues of another schema.
    package func refused(_ what: StaticString, _ error: RedisError) {
        if case .foreignQueue = error { return }
        guard !error.isRetryable, error != .outOfMemory else { return }
        self.error("Redis refused a command", ["doing": "\(what)", "error": error])
    }
}
