import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

/// What the operator lays down in Redis: limits of queues that nobody has configured otherwise, and what redirects are judged by.
@Loop
final class OperatorDefaults {
    /// Waiting fetches of queues that nobody configured otherwise.
    let maxQueued: Int
    private let lanes: Lanes
    private let admission: Admission
    private let scope: TaskScope
    private let logger: Logger

    init(maxQueued: Int, lanes: Lanes, admission: Admission, scope: TaskScope, logger: Logger) {
        self.maxQueued = maxQueued
        (self.lanes, self.admission) = (lanes, admission)
        (self.scope, self.logger) = (scope, logger)
    }

    /// Says all of it, to every queue. To be called at each connect, and when it changes.
    func tell() {
        scope.run("limits of queues") { [self] in
            do {
                try await lanes.each { queue throws(RedisError) in try await set(of: queue) }
            } catch {
                logger.info("the limits of queues could not be set; they are at the next connect", ["error": "\(error)"])
            }
            do {
                try await tell(admission.rules.access)
            } catch {
                logger.warning(
                    "what redirects are judged by could not be laid down; it is at the next connect, and until then none is followed", ["error": "\(error)"])
            }
        }
    }

    /// The limits for what nobody has configured in a queue.
    func set(of queue: Queue) async throws(RedisError) {
        try await queue.setDefaults(maxQueued: maxQueued, hostLimits: admission.rules.hostLimits)
    }

    /// Lays down for workers what redirects are judged by. Until it has, they follow none of fetches that are asked for under it.
    private func tell(_ access: AccessList) async throws(RedisError) {
        guard let digest = access.digest else { return }
        _ = try await lanes.redis.node(for: AccessList.tag).command(["HSET", .string(AccessList.key), .string(digest), .string(access.text)])
    }
}
