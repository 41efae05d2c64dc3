import TintypeCore
import TintypeTransport

extension TintypeError {
    /// What a client is told when Redis failed us. An error reply is our own fault, or an operator's: its text stays in the log.
    init(_ error: RedisError) {
        if let reason = error.refusalToWrite {
            self.init(.unavailable, .queue, "Redis \(reason.now), and takes nothing new; the request may be repeated", details: ["retryAfter": 5])
            return
        }
        switch error {
        case .unavailable, .connectionLost, .timedOut:
            self.init(.unavailable, .queue, "Redis is out of reach; the request may be repeated", details: ["retryAfter": 1])
        case .otherSchema:
            self.init(
                .unavailable, .queue, "the keys in Redis are of another version than this coordinator; ask another one, or later",
                details: ["retryAfter": 5])
        case .foreignQueue(let queue, _):
            self.init(
                .unavailable, .queue, "the keys of queue \(queue) in Redis are of another version than this coordinator; ask another one, or later",
                details: ["retryAfter": 5])
        case .outOfMemory:
            self.init(.overloaded, .queue, "Redis is out of memory; try again later", details: ["retryAfter": 5])
        case .reply, .invalidURL:
            self.init(.internalError, .queue, "Redis refused a command; the coordinator's log has the details")
        }
    }
}

extension RedisError {
    /// What is told of a request whose time has passed while Redis wrote nothing down: by then it may write again. nil for any other error.
    var lateness: TintypeError? {
        refusalToWrite.map {
            TintypeError(
                .unavailable, .queue, "the deadline has passed, and Redis \($0.past) at that time; the request may be repeated",
                details: ["retryAfter": 5, "attempts": 0])
        }
    }

    /// Why Redis is there and writes nothing down, by its own word. What waits stands still then: nobody can claim or finish it.
    fileprivate var refusalToWrite: (now: String, past: String)? {
        guard case .unavailable(let text) = self else { return nil }
        return switch RedisErrorReply(text) {
        case .diskFailed: ("cannot write to its disk, which may be full", "could not write to its disk, which may have been full,")
        case .tooFewReplicas: ("has fewer replicas than it is to write to", "had fewer replicas than it is to write to")
        case .readOnly: ("is a replica of another one", "was a replica of another one")
        case .outOfMemory, .loading, .primaryDown, .clusterDown, .unblocked, .busy, .tryAgain, .unknownScript, .notPermitted, .schema, .other: nil
        }
    }
}

extension RedisNode {
    /// Does something again until Redis has answered it, and writes down what Redis refuses.
    /// - Parameters:
    ///   - what: what is done, for the log.
    ///   - isOver: asked after each failure; true ends it.
    func retrying<Answer>(
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
    /// Writes down an error of Redis that a client is told less about. Of a queue of another version the reaper tells.
    func refused(_ what: StaticString, _ error: RedisError) {
        if case .foreignQueue = error { return }
        guard !error.isRetryable, error != .outOfMemory else { return }
        self.error("Redis refused a command", ["doing": "\(what)", "error": error])
    }
}
