import Shared

/// Looks whether another queue knows a receipt's id that its client has chosen: who asks for a receipt names no queue.
///
/// A look and no lock, since queues share nothing in Redis: two requests that come in the same moment are both taken. Queues are never
/// taken off their list, so its length tells whether what is remembered of it is still all; a Redis that has lost it was out of reach before,
/// and after that nothing is remembered. The list lies beside the queue `default`, whose script compares the length by itself: the usual
/// request, with one queue, costs no way to Redis of its own.
@Loop
final class ChosenIds {
    enum Verdict: Sendable {
        /// No other queue knows it. `queues`: how many were listed, for the script to compare; nil where it cannot.
        case free(queues: Int?)
        case taken
    }

    private let redis: RedisClient
    /// The list of queues as it was last read.
    private var listed: [String]?

    init(redis: RedisClient) {
        self.redis = redis
        redis.onConnected.append { [weak self] in self?.listed = nil }
    }

    /// - Parameter isStale: whether the list has been found to be another than what is remembered.
    func look(for id: String, besides queue: String, isStale: Bool) async throws(RedisError) -> Verdict {
        let hasList = queue == "default"
        let names: [String]
        if hasList, !isStale, let listed { names = listed } else { names = try await Queue.listed(redis) }
        listed = names
        let others = Set(names + ["default"]).subtracting([queue])
        for found in await ask(others, id) where try found.get() { return .taken }
        return .free(queues: hasList ? names.count : nil)
    }

    /// All at once: each is asked by itself, for their keys lie in different slots of a cluster.
    private func ask(_ queues: Set<String>, _ id: String) async -> [Result<Bool, RedisError>] {
        await withTaskGroup(of: Result<Bool, RedisError>.self) { group in
            for name in queues { group.addTask { await self.isKnown(id, in: name) } }
            var answers: [Result<Bool, RedisError>] = []
            for await answer in group { answers.append(answer) }
            return answers
        }
    }

    private func isKnown(_ id: String, in queue: String) async -> Result<Bool, RedisError> {
        do throws(RedisError) {
            return .success(try await redis.command(["EXISTS", .string(QueueKeys(queue).receipt(id))]).int == 1)
        } catch {
            return .failure(error)
        }
    }
}
