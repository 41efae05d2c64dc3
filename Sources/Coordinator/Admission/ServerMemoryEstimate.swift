import TintypeCore
import TintypeTransport

/// The memory of one Redis server, as far as new requests may fill it. `RedisMemoryGuard` has one for each server.
@Loop
final class ServerMemoryEstimate {
    /// The bytes that a request takes in Redis besides its own text.
    private nonisolated static let overhead = 2048
    /// Before a refusal, Redis is asked again unless its last answer is newer than this.
    private nonisolated static let patience = Duration.milliseconds(50)

    private let redis: RedisNode
    /// The operator's limit.
    private let most: Int?
    private let reading: SingleFlight<Void>
    private let scope: TaskScope
    private var memory: RedisMemory?
    private var readAt = ContinuousClock.now
    /// The bytes sent since the last answer.
    private var added = 0
    private var shares = FairQuota()

    /// - Parameter redis: a tag of which the server has the keys.
    init(_ redis: RedisNode, most: Int?, scope: TaskScope) {
        (self.redis, self.most, self.scope) = (redis, most, scope)
        reading = SingleFlight("memory of Redis", in: scope)
    }

    /// The bytes that new requests may fill. There is no limit until Redis has answered.
    private var budget: Int { most ?? memory?.budget ?? .max }
    private func fits(_ bytes: Int, of client: String) -> Bool {
        (memory?.used ?? 0) + added + bytes <= shares.limit(of: client, in: budget, at: Seconds.monotonic)
    }

    /// Whether more than half of the budget is used.
    var isPressed: Bool { (memory?.used ?? 0) + added > budget / 2 }

    /// Counts a request that is about to be sent (`RedisMemoryGuard.take`).
    func take(_ bytes: Int, of client: String) async throws(TintypeError) {
        let bytes = bytes + Self.overhead
        if !fits(bytes, of: client), readAt + Self.patience < .now || memory == nil { await read() }
        guard fits(bytes, of: client) else {
            throw TintypeError(
                .overloaded, .queue,
                "Redis uses \(ByteSize.text(memory?.used ?? 0)) of the \(ByteSize.text(budget)) for requests (--max-queue-bytes): try again in 5 s",
                details: ["retryAfter": 5])
        }
        added += bytes
        shares.add(bytes, of: client, at: Seconds.monotonic)
    }

    /// Asks the server, unless a question is under way.
    func look() {
        guard redis.isConnected, !reading.isUnderWay else { return }
        scope.run("memory of Redis") { await self.read() }
    }

    private func read() async {
        _ = await reading.value { [self] in
            guard let text = try? await redis.command(["INFO", "memory"]).string, let found = RedisMemory(info: text) else { return }
            (memory, readAt, added) = (found, .now, 0)
        }
    }
}
