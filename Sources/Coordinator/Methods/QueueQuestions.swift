package import TintypeCore
package import TintypeQueue
package import TintypeTransport

/// Asks Redis about queues for methods, and reports its failures in their terms.
@Loop
package struct QueueQuestions {
    package let registry: QueueRegistry
    package let scope: TaskScope
    package let logger: Logger

    /// Answers a call with the result of `body` for a queue; nil means that the queue does not exist.
    package func answer(_ call: Call, _ name: String, _ body: @escaping @Loop (WholeQueue) async throws(RedisError) -> JSON?) {
        call.run(in: scope) { () async throws(TintypeError) in try await ask(name, body) }
    }

    /// Returns the result of `body` for a queue.
    /// - Throws: `unknownQueue` if the result is nil; the error of Redis.
    package func ask(_ name: String, _ body: @Loop (WholeQueue) async throws(RedisError) -> JSON?) async throws(TintypeError) -> JSON {
        // Another coordinator may have changed its settings as a whole just now.
        _ = try? await registry.names()
        let answer = try await logger.translating("asking about a queue") { () async throws(RedisError) in try await body(registry.whole(name)) }
        guard let answer else { throw QueueRegistry.unknown(name) }
        return answer
    }

    /// Answers a call with the result of `body` for one queue or for all.
    package func answer(_ call: Call, ofQueue name: String?, _ body: @escaping @Loop ([Queue]) async throws(RedisError) -> JSON) {
        call.run(in: scope) { () async throws(TintypeError) in
            let names = try await registry.names()
            if let name, !names.contains(name) { throw QueueRegistry.unknown(name) }
            return try await logger.translating("asking about queues") { () async throws(RedisError) in
                try await body(name.map { registry.whole($0).parts } ?? names.map { registry.queue($0) })
            }
        }
    }
}

extension Core {
    /// Asks Redis about queues.
    package var questions: QueueQuestions { QueueQuestions(registry: queues.registry, scope: process.scope, logger: process.logger) }
}
