import TintypeCore
import TintypeTransport
import TintypeQueue

/// Whether Redis has room for another request.
///
/// Receipts, fetches, groups and dead letters stay for minutes to a week, and clients choose how long they are. Redis knows what all of it
/// takes: it is asked once a second, and what is sent meanwhile is added. Nothing is counted in the scripts, where what expires by
/// itself could not be taken off again. See docs/decisions/ceilings.md.
@Loop
final class RedisRoom {
    /// Besides its words a request takes so much in Redis.
    private nonisolated static let overhead = 2048
    private nonisolated static let interval = Duration.seconds(1)
    /// Whoever would be refused has Redis asked anew, unless that was just done.
    private nonisolated static let patience = Duration.milliseconds(50)

    private let redis: RedisNode
    /// The operator's limit.
    private let most: Int?
    private let reading: SharedRun<Void>
    private let scope: TaskScope
    private var memory: RedisMemory?
    private var readAt = ContinuousClock.now
    /// Sent since.
    private var added = 0
    private var shares = RoomShares()
    private var timer: LoopTimer?

    init(redis: RedisNodes, most: Int?, scope: TaskScope) {
        (self.redis, self.most, self.scope) = (redis.node(for: QueueKeys.shared), most, scope)
        reading = SharedRun("memory of Redis", in: scope)
    }

    func start() {
        timer = LoopTimer(after: Self.interval, repeating: true) { [weak self] in
            guard let self, redis.isConnected, !reading.isUnderWay else { return }
            scope.run("memory of Redis") { await self.read() }
        }
    }

    func stop() { timer = nil }

    /// What new requests may fill; no limit as long as Redis has not said.
    private var budget: Int { most ?? memory?.budget ?? .max }
    private func fits(_ bytes: Int, of client: String) -> Bool {
        (memory?.used ?? 0) + added + bytes <= shares.limit(of: client, in: budget, at: Seconds.monotonic)
    }

    /// Whether more than half of it is full: receipts are kept for less then, so that what one client has left passes before others are refused.
    var isPressed: Bool { (memory?.used ?? 0) + added > budget / 2 }

    /// Takes note of a request that is about to be sent.
    /// - Parameters:
    ///   - bytes: how long its words are.
    ///   - client: whose share of the room it takes (`Session.sharer`).
    /// - Throws: `overloaded` if there is no room for it.
    func take(_ bytes: Int, of client: String) async throws(TintypeError) {
        let bytes = bytes + Self.overhead
        if !fits(bytes, of: client), readAt + Self.patience < .now || memory == nil { await read() }
        guard fits(bytes, of: client) else {
            throw TintypeError(
                .overloaded, .queue,
                "Redis holds \(ByteSize.text(memory?.used ?? 0)) of the \(ByteSize.text(budget)) that requests may fill (--max-queue-bytes); try again in 5 s",
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
