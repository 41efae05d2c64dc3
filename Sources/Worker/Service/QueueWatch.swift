import TintypeCore
import TintypeTransport
import TintypeQueue

/// Looks whether the queues that a worker serves are there. To one of a mistyped name nobody submits: it is said here, and by `workers.list`. Lives
/// on the loop.
@Loop final class QueueWatch {
    private let names: [String]
    private let redis: RedisNodes
    private let scope: TaskScope
    private let logger: Logger
    private var missing: [String] = []
    private var hints = ""
    private var timer: LoopTimer?
    private var trouble = RepeatedTrouble()

    /// Somebody may make them later.
    private static let interval = Duration.seconds(5)

    init(_ names: [String], redis: RedisNodes, scope: TaskScope, logger: Logger) {
        (self.names, self.redis, self.scope, self.logger) = (names, redis, scope, logger)
    }

    /// Why nothing can come: none of the queues is there. nil as long as Redis could not be asked.
    var reason: String? { missing.count == names.count ? "there is no queue \(missing.joined(separator: ", "))\(hints)" : nil }

    /// Looks now, and as long as one is missing again and again.
    func look() async {
        timer = nil
        do throws(RedisError) {
            let there = try await Queue.names(redis)
            missing = names.filter { !there.contains($0) }
            hints = missing.lazy.map { NearestName.hint($0, among: there) }.first { !$0.isEmpty } ?? ""
            for name in missing where trouble.isNews(name) {
                logger.warning("there is no such queue: nothing can be submitted to it\(NearestName.hint(name, among: there))", ["queue": name])
            }
            if !missing.isEmpty { try await Queue.announce(missing: missing, redis) }
        } catch {
            // The next connection looks again, and what was missing is looked for all the same: not every refusal ends a connection.
        }
        guard !missing.isEmpty else { return trouble.end() }
        timer = LoopTimer(after: Self.interval) { [weak self] in self?.lookSoon() }
    }

    func lookSoon() { scope.run("look for the queues") { [weak self] in await self?.look() } }

    func stop() { timer = nil }
}
