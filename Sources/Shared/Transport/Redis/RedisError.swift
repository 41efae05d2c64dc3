/// Why a command has no answer, or a bad one.
package enum RedisError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Not connected, or the server is loading, read-only or failing over: the command was not executed.
    case unavailable(String)
    /// Sent, but the connection broke before the answer: the command may have been executed.
    case connectionLost(String)
    /// Sent, and no answer in time; the connection was given up. The command may have been executed.
    case timedOut
    /// Refused because the server's memory is full.
    case outOfMemory
    /// The keys in it are of this schema, and of another one than ours (`RedisSchema`): the command was not executed.
    case otherSchema(String)
    /// The keys of one queue are of this schema, and all else is as we know it: the command was not executed.
    case foreignQueue(String, schema: String)
    /// Any other error reply.
    case reply(String)
    /// A URL that names no Redis.
    case invalidURL(String)

    /// Whether an idempotent command should simply be repeated once the connection is back.
    package var isRetryable: Bool {
        switch self {
        case .unavailable, .connectionLost, .timedOut, .otherSchema: true
        case .outOfMemory, .foreignQueue, .reply, .invalidURL: false
        }
    }

    /// Whether the command may have been executed, now or in a moment: it was sent, and its answer is not known.
    package var mayHaveRun: Bool {
        switch self {
        case .connectionLost, .timedOut: true
        case .unavailable, .outOfMemory, .otherSchema, .foreignQueue, .reply, .invalidURL: false
        }
    }

    package var description: String {
        switch self {
        case .unavailable(let reason): "Redis is out of reach: \(reason)"
        case .connectionLost(let reason): "the connection to Redis broke: \(reason)"
        case .timedOut: "Redis did not answer in time"
        case .outOfMemory: "Redis is out of memory"
        case .otherSchema(let found): "the keys in this Redis are of schema \(found), and this program knows schema \(RedisSchema.number)"
        case .foreignQueue(let queue, let found):
            "the keys of queue \(queue) are of schema \(found), and this program knows schema \(RedisSchema.number): "
                + "have a version that knows them serve it, or change it over (docs/operations.md, A new version)"
        case .reply(let text): "Redis refused: \(text)"
        case .invalidURL(let wanted): "not a Redis URL: \(wanted)"
        }
    }
}
