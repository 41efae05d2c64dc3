import TintypeCore
import TintypeTransport
import TintypeQueue

/// The check behind `system.validate`: one for all who ask meanwhile. Each would be thousands of calls and a connection of its own.
///
/// Lives on the loop. It has a page in memory, and one connection to Redis.
@Loop
final class Validation {
    private typealias Found = Result<[QueueInspection.Violation], RedisError>

    private let endpoint: RedisEndpoint
    private let coordinator: String
    private let logger: Logger
    private let checking: SharedRun<Found>

    init(_ endpoint: RedisEndpoint, coordinator: String, scope: TaskScope, logger: Logger) {
        (self.endpoint, self.coordinator, self.logger) = (endpoint, coordinator, logger)
        checking = SharedRun("validate", in: scope)
    }

    /// What breaks a rule in any queue.
    func violations() async throws(RedisError) -> [QueueInspection.Violation] {
        let found = await checking.value { [self] in
            do throws(RedisError) { return .success(try await look()) } catch { return .failure(error) }
        }
        guard let found else { throw .unavailable("the request was withdrawn") }
        return try found.get()
    }

    /// By connections of its own: nobody waits behind the thousands of calls.
    private func look() async throws(RedisError) -> [QueueInspection.Violation] {
        let redis = RedisNodes(endpoint, name: "\(coordinator)-validate", logger: logger, requirement: QueueSchema.requirement)
        redis.start()
        defer { redis.stop() }
        try await redis.untilConnected(within: .seconds(5))
        return try await QueueInspection.violations(of: try await Queue.names(redis).map { Queue(name: $0, redis: redis) }, redis: redis)
    }
}
