import TintypeCore

/// The failure of a command: it has no answer, or an error.
package enum RedisError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Not connected, or the server is loading, read-only or failing over. The command was not executed.
    case unavailable(String)
    /// The command was sent, but the connection broke before the answer. It may have been executed.
    case connectionLost(String)
    /// The command was sent, and no answer came in time, so the connection was given up. It may have been executed.
    case timedOut
    /// The server refused the command because its memory is full.
    case outOfMemory
    /// The keys in this Redis have another schema than ours (`RedisSchema`). The command was not executed.
    case otherSchema(String)
    /// The keys of one queue have another schema, while all other keys have ours. The command was not executed.
    case foreignQueue(String, schema: String)
    /// Any other error reply.
    case reply(String)
    /// A URL that is not a Redis URL.
    case invalidURL(String)

    /// Whether to repeat an idempotent command once the connection is back.
    package var isRetryable: Bool {
        switch self {
        case .unavailable, .connectionLost, .timedOut, .otherSchema: true
        case .outOfMemory, .foreignQueue, .reply, .invalidURL: false
        }
    }

    /// Whether the command may have been executed, now or in a moment: it was sent, and its answer is unknown.
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
            "the keys of queue \(queue) are of schema \(found), and this program knows schema \(RedisSchema.number). "
                + "Serve it with a version that knows them, or migrate it (docs/operations.md, A new version)"
        case .reply(let text): "Redis refused: \(text)"
        case .invalidURL(let wanted): "not a Redis URL: \(wanted)"
        }
    }
}
