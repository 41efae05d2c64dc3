import TintypeCore
import TintypeTransport
import TintypeQueue

/// Checks whether the worker's queues exist. Nobody submits to a queue with a mistyped name, so the log and `workers.list` report it. Lives on the loop.
@Loop final class QueueWatch {
    private let names: [String]
    private let redis: RedisNodes
    private let scope: TaskScope
    private let logger: Logger
    /// Called with the names of all queues and shards after each check.
    var onNames: (@Loop ([String]) -> Void)?
    private var missing: [String] = []
    private var hints = ""
    private var timer: LoopTimer?
    private var logThrottle = LogThrottle()

    /// The time between two checks while a queue is missing: it may be created later.
    private static let interval = Duration.seconds(5)

    init(_ names: [String], redis: RedisNodes, scope: TaskScope, logger: Logger) {
        (self.names, self.redis, self.scope, self.logger) = (names, redis, scope, logger)
    }

    /// The reason why no work can come: none of the queues exists. nil while Redis could not be asked.
    var reason: String? { missing.count == names.count ? "there is no queue \(missing.joined(separator: ", "))\(hints)" : nil }

    /// Checks now, and again and again while a queue is missing.
    func look() async {
        timer = nil
        do throws(RedisError) {
            let there = try await Queue.names(redis)
            onNames?(there)
            missing = names.filter { !there.contains($0) }
            hints = missing.lazy.map { NearestName.hint($0, among: there) }.first { !$0.isEmpty } ?? ""
            for name in missing where logThrottle.shouldLog(name) {
                logger.warning("there is no such queue: nothing can be submitted to it\(NearestName.hint(name, among: there))", ["queue": name])
            }
            if !missing.isEmpty { try await Queue.announce(missing: missing, redis) }
        } catch {
            // The next connection checks again. The timer does so as well, because not every refusal ends a connection.
        }
        guard !missing.isEmpty else { return logThrottle.end() }
        timer = LoopTimer(after: Self.interval) { [weak self] in self?.lookSoon() }
    }

    func lookSoon() { scope.run("look for the queues") { [weak self] in await self?.look() } }

    func stop() { timer = nil }
}
