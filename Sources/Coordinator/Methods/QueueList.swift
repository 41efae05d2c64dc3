import TintypeCore
import TintypeTransport
import TintypeQueue

/// `queue.list`: every queue.
struct QueueList: RPCMethod {
    let name = "queue.list"
    let services: Services

    func begin(_ call: Call, _ params: JSON) {
        call.run(in: services.scope) { () async throws(TintypeError) in
            var infos: [JSON] = []
            do throws(RedisError) {
                try await services.lanes.each { queue throws(RedisError) in if let info = try await queue.info() { infos.append(info.json) } }
            } catch {
                services.logger.refused("listing queues", error)
                throw TintypeError(error)
            }
            return .array(infos)
        }
    }
}
