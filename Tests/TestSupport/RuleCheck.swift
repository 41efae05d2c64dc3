import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
package import Testing

extension RedisServer {
    /// Checks that every queue keeps every rule, as the last step of a test: no failure of the test explains a violation. Violations are recorded as
    /// issues. A killed or frozen server is not checked, and neither is one when the test's time is up.
    /// - Parameter sourceLocation: the end of the test.
    package func checkRules(sourceLocation: SourceLocation) async {
        guard isUp, !Task.isCancelled else { return }
        do {
            for breach in try await breaches() { Issue.record("\(breach)", sourceLocation: sourceLocation) }
        } catch {
            Issue.record("the rules of the queues could not be looked at: \(error)", sourceLocation: sourceLocation)
        }
    }

    /// Returns a sentence for each rule that does not hold. It checks the keys of `system.validate`, and also ended entries.
    package func breaches() async throws -> [String] { try await found() }

    @Loop private func found() async throws -> [String] {
        let redis = RedisNodes(
            try RedisEndpoint(url), name: "test-rules", logger: Logger(label: "test", level: .error), scripts: QueueScripts.shipped.all)
        redis.start()
        defer { redis.stop() }
        try await redis.untilConnected(within: .seconds(30))
        let queues = try await Queue.names(redis).map { Queue(name: $0, redis: redis) }
        var breaches = Set(try await QueueInspection.violations(of: queues, redis: redis).map(\.description))
        for queue in queues {
            let dump = try await queue.dump()
            for sentence in await Task.detached(operation: { QueueInvariants.violations(in: dump) }).value { breaches.insert("\(queue.name): \(sentence)") }
        }
        return breaches.sorted()
    }
}
