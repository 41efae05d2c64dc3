import TintypeCore
import TintypeTransport
import TintypeQueue

/// The check whether Redis has memory for another request.
///
/// Receipts, fetches, groups and dead letters stay for minutes to a week, and clients choose their length. Redis knows the total, so it is asked
/// once a second, and bytes that are sent in between are added. The scripts do not count, because they could not subtract entries that expire. See
/// docs/decisions/ceilings.md.
@Loop
final class RedisRoom {
    /// The bytes that a request takes in Redis besides its own text.
    private nonisolated static let overhead = 2048
    private nonisolated static let interval = Duration.seconds(1)
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
    private var timer: LoopTimer?

    init(redis: RedisNodes, most: Int?, scope: TaskScope) {
        (self.redis, self.most, self.scope) = (redis.node(for: QueueKeys.shared), most, scope)
        reading = SingleFlight("memory of Redis", in: scope)
    }

    func start() {
        timer = LoopTimer(after: Self.interval, repeating: true) { [weak self] in
            guard let self, redis.isConnected, !reading.isUnderWay else { return }
            scope.run("memory of Redis") { await self.read() }
        }
    }

    func stop() { timer = nil }

    /// The bytes that new requests may fill. There is no limit until Redis has answered.
    private var budget: Int { most ?? memory?.budget ?? .max }
    private func fits(_ bytes: Int, of client: String) -> Bool {
        (memory?.used ?? 0) + added + bytes <= shares.limit(of: client, in: budget, at: Seconds.monotonic)
    }

    /// Whether more than half of the budget is used. Receipts are then kept for a shorter time, so that one client's receipts expire before others
    /// are refused.
    var isPressed: Bool { (memory?.used ?? 0) + added > budget / 2 }

    /// Counts a request that is about to be sent.
    /// - Parameters:
    ///   - bytes: The length of its text.
    ///   - client: The client whose part of the memory it uses (`Session.sharer`).
    /// - Throws: `overloaded` if there is no memory for it.
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

    private func read() async {
        _ = await reading.value { [self] in
            guard let text = try? await redis.command(["INFO", "memory"]).string, let found = RedisMemory(info: text) else { return }
            (memory, readAt, added) = (found, .now, 0)
        }
    }
}
