import TintypeCore
import TintypeTransport
import TintypeQueue

/// Removes unused queues when the limit on queues is reached.
///
/// It runs only then, because a queue that was made today may be used tomorrow. Each look asks about every queue, so callers share a look. After a
/// look without success, the next one waits for a while. Lives on the loop.
@Loop
final class UnusedQueueCollector {
    /// The limit. Each queue costs each coordinator a check every second.
    nonisolated static let most = 1000
    /// The number of queues removed by one look.
    private static let page = 10
    /// The time without a look after one that removed nothing.
    var pause = Duration.seconds(10)

    private let registry: QueueRegistry
    private let logger: Logger
    private let looking: SingleFlight<Bool>
    private var nextLook = ContinuousClock.now

    init(registry: QueueRegistry, scope: TaskScope, logger: Logger) {
        (self.registry, self.logger) = (registry, logger)
        looking = SingleFlight("room for queues", in: scope)
    }

    /// - Returns: Whether there is room now.
    func collect() async -> Bool {
        guard looking.isUnderWay || nextLook <= .now else { return false }
        return await looking.value { [self] in await look() } ?? false
    }

    private func look() async -> Bool {
        var gone: [String] = []
        await logger.attempt("making room for a queue") { () async throws(RedisError) in gone = try await take() }
        if gone.isEmpty { nextLook = .now + pause } else { logger.notice("removed unused queues", ["queues": gone.joined(separator: ",")]) }
        return !gone.isEmpty
    }

    private func take() async throws(RedisError) -> [String] {
        var gone: [String] = []
        let names = try await Queue.names(registry.redis)
        // Queues with several shards were made on purpose, and are not removed.
        let whole = Set(names.filter(ShardNames.isShard).map(ShardNames.queue))
        for name in names where name != "default" && registry[name] == nil && gone.count < Self.page && !whole.contains(ShardNames.queue(of: name)) {
            // The requests of a group may name a queue that has no fetch of them yet, and a request may start during this look.
            let groups = RedisArgument.string(QueueKeys.shared.prefix + "gl")
            guard try await registry.redis.node(for: QueueKeys.shared).command(["EXISTS", groups]).int == 0 else { return gone }
            do throws(RedisError) {
                if try await registry.queue(name).unmake() { gone.append(name) }
            } catch {
                // A queue of another schema is not removed.
                guard case .foreignQueue = error else { throw error }
            }
        }
        return gone
    }
}
