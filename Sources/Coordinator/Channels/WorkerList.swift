import TintypeCore
import TintypeTransport
import TintypeQueue

/// The workers of all queues, as `workers.list` shows them.
enum WorkerList {
    /// A worker that has not been heard of for this long has lost its leases.
    private static let silence = 10.0

    @Loop
    static func read(_ lanes: Lanes) async throws(TintypeError) -> [JSON] {
        let (workers, now) = try await lastBeats(lanes)
        return workers.map { json($0, silent: max(0, Double(now - $0.beat.seen) / 1000)) }
    }

    /// What the workers that live say of their codecs: `{vips, decode, encode}` each. Those that have not said it yet are left out.
    @Loop
    static func codecs(_ lanes: Lanes) async throws(TintypeError) -> [JSON] {
        let (workers, now) = try await lastBeats(lanes)
        return workers.filter { $0.isOfUse && Double(now - $0.beat.seen) <= silence * 1000 }.compactMap { $0.beat.info["codecs"] }
    }

    /// The queues that a worker serves and nobody has.
    @Loop
    static func missingQueues(of worker: String, _ lanes: Lanes) async throws(TintypeError) -> [String] {
        try await lastBeats(lanes).workers.first { $0.id == worker }?.missing ?? []
    }

    /// A worker by what it last said, in whichever queue.
    private struct Seen {
        let id: String
        var beat: (info: JSON, seen: Int64)
        /// Whether it serves a queue that is there.
        var isOfUse = false
        /// Those that are not.
        var missing: [String] = []
    }

    /// The last beat of each, and what the clock that they are by shows now: that of Redis, which ours need not agree with.
    @Loop
    private static func lastBeats(_ lanes: Lanes) async throws(TintypeError) -> (workers: [Seen], now: Int64) {
        var found: [String: Seen] = [:]
        func take(_ queue: Queue, isMissing: Bool) async throws(RedisError) {
            for worker in try await queue.workers() {
                var seen = found[worker.id] ?? Seen(id: worker.id, beat: (worker.info, worker.seen))
                if worker.seen > seen.beat.seen { seen.beat = (worker.info, worker.seen) }
                if isMissing { seen.missing.append(queue.name) } else { seen.isOfUse = true }
                found[worker.id] = seen
            }
        }
        do throws(RedisError) {
            try await lanes.each { queue throws(RedisError) in try await take(queue, isMissing: false) }
            for name in try await Queue.missing(lanes.redis) { try await take(lanes.queue(name), isMissing: true) }
            let now = try await Queue.clock(lanes.redis)
            return (found.values.sorted { $0.id < $1.id }, now)
        } catch {
            throw TintypeError(error)
        }
    }

    /// - Parameter silent: seconds since its last beat.
    private static func json(_ seen: Seen, silent: Double) -> JSON {
        var worker = seen.beat.info.object ?? JSONObject()
        worker["id"] = .string(seen.id)
        if !seen.missing.isEmpty { worker["missingQueues"] = .array(seen.missing.map { .string($0) }) }
        // For `formats.list`.
        worker["codecs"] = nil
        worker["seenSeconds"] = JSON((silent * 1000).rounded() / 1000)
        if silent > silence { worker["state"] = "lost" } else if worker["state"] == nil { worker["state"] = "running" }
        return .object(worker)
    }
}
