import Shared

/// The workers of all queues, as `workers.list` shows them.
enum WorkerList {
    /// A worker that has not been heard of for this long has lost its leases.
    private static let silence = 10.0

    @Loop
    static func read(_ lanes: Lanes) async throws(TintypeError) -> [JSON] {
        let (workers, now) = try await lastBeats(lanes)
        return workers.map { json($0.id, $0.info, silent: max(0, Double(now - $0.seen) / 1000)) }
    }

    /// What the workers that live say of their codecs: `{vips, decode, encode}` each. Those that have not said it yet are left out.
    @Loop
    static func codecs(_ lanes: Lanes) async throws(TintypeError) -> [JSON] {
        let (workers, now) = try await lastBeats(lanes)
        return workers.filter { Double(now - $0.seen) <= silence * 1000 }.compactMap { $0.info["codecs"] }
    }

    /// The last beat of each, and what the clock that they are by shows now: that of Redis, which ours need not agree with.
    @Loop
    private static func lastBeats(_ lanes: Lanes) async throws(TintypeError) -> (workers: [(id: String, info: JSON, seen: Int64)], now: Int64) {
        var found: [String: (info: JSON, seen: Int64)] = [:]
        do throws(RedisError) {
            try await lanes.each { queue throws(RedisError) in
                for worker in try await queue.workers() where worker.seen >= found[worker.id]?.seen ?? 0 {
                    found[worker.id] = (worker.info, worker.seen)
                }
            }
            let now = try await Queue.clock(lanes.redis)
            return (found.sorted { $0.key < $1.key }.map { ($0.key, $0.value.info, $0.value.seen) }, now)
        } catch {
            throw TintypeError(error)
        }
    }

    /// - Parameter silent: seconds since its last beat.
    static func json(_ id: String, _ info: JSON, silent: Double) -> JSON {
        var worker = info.object ?? JSONObject()
        worker["id"] = .string(id)
        // For `formats.list`.
        worker["codecs"] = nil
        worker["seenSeconds"] = JSON((silent * 1000).rounded() / 1000)
        if silent > silence { worker["state"] = "lost" } else if worker["state"] == nil { worker["state"] = "running" }
        return .object(worker)
    }
}
