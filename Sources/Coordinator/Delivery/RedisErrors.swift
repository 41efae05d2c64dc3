import Shared

extension TintypeError {
    /// What a client is told when Redis failed us. An error reply is our own fault, or an operator's: its text stays in the log.
    init(_ error: RedisError) {
        switch error {
        case .unavailable(let text) where text.hasPrefix("MISCONF"):
            self.init(
                .unavailable, .queue, "Redis cannot write to its disk, which may be full, and takes nothing new; the request may be repeated",
                details: ["retryAfter": 5])
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

extension Logger {
    /// Writes down an error of Redis that a client is told less about. Of a queue of another version the reaper tells.
    func refused(_ what: StaticString, _ error: RedisError) {
        if case .foreignQueue = error { return }
        guard !error.isRetryable, error != .outOfMemory else { return }
        self.error("Redis refused a command", ["doing": "\(what)", "error": error])
    }
}
