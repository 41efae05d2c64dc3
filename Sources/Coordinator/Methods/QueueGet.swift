import TintypeCore
import TintypeTransport
import TintypeQueue

/// `queue.get`: one look at a queue.
struct QueueGet: RPCMethod {
    let name = "queue.get"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        services.answer(call, params["queue"]?.string ?? "") { queue async throws(RedisError) in try await queue.info()?.json }
    }
}

extension Services {
    /// Answers a call with what `body` brings of a queue; nil means that there is no such queue.
    func answer(_ call: Call, _ name: String, _ body: @escaping @Loop (Queue) async throws(RedisError) -> JSON?) {
        call.run(in: scope) { [self] () async throws(TintypeError) in try await ask(name, body) }
    }

    /// What `body` brings of a queue.
    /// - Throws: `unknownQueue` where that is nil; what Redis has against it.
    func ask(_ name: String, _ body: @Loop (Queue) async throws(RedisError) -> JSON?) async throws(TintypeError) -> JSON {
        do throws(RedisError) {
            if let answer = try await body(lanes.queue(name)) { return answer }
        } catch {
            logger.refused("asking about a queue", error)
            throw TintypeError(error)
        }
        throw Lanes.unknown(name)
    }
}
