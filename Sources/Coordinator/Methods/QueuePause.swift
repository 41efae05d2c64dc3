import TintypeCore
import TintypeTransport
import TintypeQueue

/// `queue.pause`: stops new claims; running work goes on.
struct QueuePause: RPCMethod {
    let name = "queue.pause"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        services.answer(call, params["queue"]?.string ?? "") { queue async throws(RedisError) in try await queue.pause()?.json }
    }
}
