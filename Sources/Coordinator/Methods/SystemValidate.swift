import Shared

/// `system.validate`: every rule of the queues checked on the live Redis, one queue at a moment.
struct SystemValidate: RPCMethod {
    let name = "system.validate"
    let services: Services

    /// Redis does nothing else while it shows all that lasts, and looks through all its keys for that: measured, 4 µs each.
    static let largest = 600_000

    func begin(_ call: Call, _ params: JSON) {
        call.run(in: services.scope) { () async throws(TintypeError) in
            var violations: [JSON] = []
            for name in try await services.lanes.names() {
                for violation in try await check(services.lanes.queue(name)) { violations.append(.string("\(name): \(violation)")) }
            }
            return ["ok": .bool(violations.isEmpty), "violations": .array(violations)]
        }
    }

    private func violations(in dump: QueueDump) -> [String] { QueueInvariants.violations(in: dump) + OverdueWork.violations(in: dump) }

    @Loop private func check(_ queue: Queue) async throws(TintypeError) -> [String] {
        do throws(RedisError) {
            if try await services.redis.command(["DBSIZE"]).int ?? 0 <= Int64(Self.largest) {
                let violations = violations(in: try await queue.dump(isWhole: false))
                // A worker may be between the marker it has taken and its claim: then there is none at this moment, and no harm.
                guard !violations.isEmpty, violations.allSatisfy({ $0.hasPrefix("Q9") }) else { return violations }
                try? await Loop.sleep(.milliseconds(100))
                return self.violations(in: try await queue.dump(isWhole: false))
            }
        } catch {
            services.logger.refused("validating a queue", error)
            throw TintypeError(error)
        }
        throw TintypeError(
            .limitExceeded, .queue, "Redis holds too many keys to look through them in one go without stopping everybody else; try when it is emptier",
            details: ["limit": "keys", "allowed": JSON(Self.largest)])
    }
}
