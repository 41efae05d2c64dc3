import Shared

/// `system.validate`: every rule of the queues checked on the live Redis, one queue at a moment.
struct SystemValidate: RPCMethod {
    let name = "system.validate"
    let services: Services

    /// Redis does nothing else while it shows a queue whole: about half a second for this many fetches.
    static let largest = 100_000

    func begin(_ call: Call, _ params: JSON) {
        call.run(in: services.scope) { () async throws(TintypeError) in
            var violations: [JSON] = []
            for name in try await services.lanes.names() {
                for violation in try await check(services.lanes.queue(name)) { violations.append(.string("\(name): \(violation)")) }
            }
            return ["ok": .bool(violations.isEmpty), "violations": .array(violations)]
        }
    }

    @Loop private func check(_ queue: Queue) async throws(TintypeError) -> [String] {
        do throws(RedisError) {
            let info = try await queue.info()
            let size = info.map { $0.queued + $0.delayed + $0.running + $0.dead } ?? 0
            if size <= Self.largest { return QueueInvariants.violations(in: try await queue.dump()) }
        } catch {
            services.logger.refused("validating a queue", error)
            throw TintypeError(error)
        }
        throw TintypeError(
            .limitExceeded, .queue, "queue \(queue.name) is too long to be read in one go without stopping Redis for everybody; try when it is shorter",
            details: ["limit": "fetches", "allowed": JSON(Self.largest)])
    }
}
