import TintypeCore
import TintypeTransport
import TintypeQueue

/// `queue.resume`: ends a pause.
struct QueueResume: RPCMethod {
    let name = "queue.resume"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        services.answer(call, params["queue"]?.string ?? "") { queue async throws(RedisError) in try await queue.resume()?.json }
    }
}
