import Shared

/// The check behind `system.validate`: one at a time, for all who ask meanwhile. Each would be thousands of calls and a connection of its own.
///
/// Lives on the loop. A check goes on when those who asked for it have left; it has a page in memory, and one connection to Redis.
@Loop
final class Validation {
    private typealias Found = Result<[QueueInspection.Violation], RedisError>

    private let endpoint: RedisEndpoint
    private let coordinator: String
    private let scope: TaskScope
    private let logger: Logger
    private var running: OneShot<Found>?

    init(_ endpoint: RedisEndpoint, coordinator: String, scope: TaskScope, logger: Logger) {
        (self.endpoint, self.coordinator, self.scope, self.logger) = (endpoint, coordinator, scope, logger)
    }

    /// What breaks a rule in any queue. Who asks while a check runs gets its answer, though some was looked at before the question.
    func violations() async throws(RedisError) -> [QueueInspection.Violation] {
        let check = running ?? begin()
        guard let found = try? await check.wait() else { throw .unavailable("the request was withdrawn") }
        return try found.get()
    }

    private func begin() -> OneShot<Found> {
        let check = OneShot<Found>()
        running = check
        scope.run("validate") { [self] in
            let found: Found
            do throws(RedisError) {
                found = .success(try await look())
            } catch {
                found = .failure(error)
            }
            running = nil
            check.complete(.success(found))
        }
        return check
    }

    /// By a connection of its own: nobody waits behind the thousands of calls.
    private func look() async throws(RedisError) -> [QueueInspection.Violation] {
        let redis = RedisClient(endpoint, name: "\(coordinator)-validate", logger: logger, requirement: QueueSchema.requirement)
        redis.start()
        defer { redis.stop() }
        try await redis.untilConnected(within: .seconds(5))
        return try await QueueInspection.violations(of: try await Queue.names(redis).map { Queue(name: $0, redis: redis) }, redis: redis)
    }
}
