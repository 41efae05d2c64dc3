import TintypeCore
package import TintypeTransport
import TintypeImages
package import TintypeQueue

/// The operator's settings in Redis: limits of queues without their own, the way of public events, and the rules for redirects.
@Loop
package final class OperatorDefaults {
    /// The limit of waiting fetches in queues without one of their own.
    package let maxQueued: Int
    private let publicChannels: PublicChannels
    private let registry: QueueRegistry
    private let admission: Admission
    private let scope: TaskScope
    private let logger: Logger

    init(
        maxQueued: Int, publicChannels: PublicChannels, registry: QueueRegistry, admission: Admission, scope: TaskScope, logger: Logger
    ) {
        (self.maxQueued, self.publicChannels) = (maxQueued, publicChannels)
        (self.registry, self.admission) = (registry, admission)
        (self.scope, self.logger) = (scope, logger)
    }

    /// Writes all settings to every queue. Called at each connect, and after each change.
    package func publish() {
        scope.run("limits of queues") { [self] in
            // In a cluster, one queue's server may be away.
            for name in await registry.upkept() {
                do {
                    try await Queue.each(of: [registry.queue(name)]) { queue throws(RedisError) in try await set(of: queue) }
                } catch {
                    logger.info("the limits of a queue could not be set; trying again at the next connect", ["queue": name, "error": "\(error)"])
                }
            }
            do {
                try await publishAccessList(admission.rules.access)
            } catch {
                logger.warning("the access rules for redirects could not be stored; no redirect is followed until the next connect", ["error": "\(error)"])
            }
        }
    }

    /// Sets the defaults of a queue, or of a shard.
    package func set(of queue: Queue) async throws(RedisError) {
        guard let sharded = registry.sharded[ShardNames.queue(of: queue.name)], let index = sharded.shards.firstIndex(of: queue.name) else {
            return try await queue.setDefaults(maxQueued: maxQueued, hostLimits: admission.rules.hostLimits, publicChannels: publicChannels)
        }
        try await set(of: queue, as: index, sharded)
    }

    /// Sets the defaults of a shard.
    package func set(of shard: Queue, as index: Int, _ sharded: ShardedQueue) async throws(RedisError) {
        try await shard.setDefaults(
            maxQueued: sharded.maxQueued(maxQueued), hostLimits: sharded.limits(admission.rules.hostLimits, ofShard: index),
            publicChannels: publicChannels)
    }

    /// Stores the access rules by which workers check redirects. Until then, workers follow no redirects of fetches with these rules.
    private func publishAccessList(_ access: AccessList) async throws(RedisError) {
        guard let digest = access.digest else { return }
        _ = try await registry.redis.node(for: AccessList.tag).command(["HSET", .string(AccessList.key), .string(digest), .string(access.text)])
    }
}
