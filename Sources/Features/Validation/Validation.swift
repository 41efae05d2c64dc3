import Coordinator
import TintypeCore
import TintypeTransport
import TintypeQueue

/// The check behind `system.validate`. Simultaneous callers share one check, because each takes thousands of calls and a connection of its own.
///
/// Lives on the loop. A check keeps one page in memory and one connection to Redis.
@Loop
final class Validation {
    private typealias Found = Result<[QueueInspection.Violation], RedisError>

    private let topology: any RedisTopology
    private let coordinator: String
    private let logger: Logger
    private let checking: SingleFlight<Found>

    init(_ topology: any RedisTopology, coordinator: String, scope: TaskScope, logger: Logger) {
        (self.topology, self.coordinator, self.logger) = (topology, coordinator, logger)
        checking = SingleFlight("validate", in: scope)
    }

    /// Returns the violated invariants of all queues.
    func violations() async throws(RedisError) -> [QueueInspection.Violation] {
        let found = await checking.value { [self] in
            do throws(RedisError) { return .success(try await look()) } catch { return .failure(error) }
        }
        guard let found else { throw .unavailable("the request was canceled") }
        return try found.get()
    }

    /// Checks on connections of its own, so that no other command waits behind the thousands of calls.
    private func look() async throws(RedisError) -> [QueueInspection.Violation] {
        let redis = RedisNodes(topology, name: "\(coordinator)-validate", logger: logger, requirement: QueueSchema.requirement)
        redis.start()
        defer { redis.stop() }
        try await redis.untilConnected(within: .seconds(5))
        return try await QueueInspection.violations(of: try await Queue.names(redis).map { Queue(name: $0, redis: redis) }, redis: redis)
    }
}
