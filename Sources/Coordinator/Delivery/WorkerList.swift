import Shared

/// The workers of all queues, as `workers.list` shows them.
enum WorkerList {
    /// A worker that has not been heard of for this long has lost its leases.
    private static let silence = 10.0

    @Loop
    static func read(_ lanes: Lanes) async throws(TintypeError) -> [JSON] {
        var found: [String: (info: JSON, seen: Int64)] = [:]
        for name in try await lanes.names() {
            do throws(RedisError) {
                for worker in try await lanes.queue(name).workers() where worker.seen >= found[worker.id]?.seen ?? 0 {
                    found[worker.id] = (worker.info, worker.seen)
                }
            } catch {
                throw TintypeError(error)
            }
        }
        let now = Seconds.epoch
        return found.sorted { $0.key < $1.key }.map { json($0.key, $0.value.info, silent: max(0, now - Double($0.value.seen) / 1000)) }
    }

    /// - Parameter silent: seconds since its last beat.
    static func json(_ id: String, _ info: JSON, silent: Double) -> JSON {
        var worker = info.object ?? JSONObject()
        worker["id"] = .string(id)
        worker["seenSeconds"] = JSON((silent * 1000).rounded() / 1000)
        if silent > silence { worker["state"] = "lost" } else if worker["state"] == nil { worker["state"] = "running" }
        return .object(worker)
    }
}
