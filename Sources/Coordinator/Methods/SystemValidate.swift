import Shared

/// `system.validate`: every rule of the queues checked on the live Redis, which goes on with its work.
struct SystemValidate: RPCMethod {
    let name = "system.validate"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        call.run(in: services.scope) { () async throws(TintypeError) in
            do throws(RedisError) {
                let violations = try await check()
                return ["ok": .bool(violations.isEmpty), "violations": .array(violations)]
            } catch {
                services.logger.refused("validating a queue", error)
                throw TintypeError(error)
            }
        }
    }

    /// By a connection of its own: nobody waits behind the thousands of calls.
    @Loop private func check() async throws(RedisError) -> [JSON] {
        let redis = RedisClient(
            services.redis.endpoint, name: "\(services.lanes.coordinator)-validate", logger: services.logger,
            requirement: QueueSchema.requirement)
        redis.start()
        defer { redis.stop() }
        try await redis.untilConnected(within: .seconds(5))
        var violations: [JSON] = []
        var seen: [Queue] = []
        for name in try await Queue.names(redis) {
            let queue = Queue(name: name, redis: redis)
            do throws(RedisError) {
                for violation in try await QueueInspection.violations(of: queue, beside: seen) { violations.append(.string("\(name): \(violation)")) }
                seen.append(queue)
            } catch {
                guard case .foreignQueue = error else { throw error }
                violations.append(.string("\(name): \(error)"))
            }
        }
        return violations
    }
}
