package import TintypeCore
import TintypeTransport
import TintypeQueue

/// The workers of all queues, as `workers.list` shows them.
package enum WorkerList {
    /// The seconds without a heartbeat after which a worker has lost its leases.
    private static let silence = 10.0

    @Loop
    package static func read(_ registry: QueueRegistry) async throws(TintypeError) -> [JSON] {
        let (workers, _, now) = try await lastBeats(registry)
        return workers.map { json($0, silent: max(0, Double(now - $0.beat.seen) / 1000)) }
    }

    /// The heartbeats of all workers at one moment.
    package struct Reading: Sendable {
        /// As `workers.list` shows them.
        package var workers: [JSON] = []
        /// The totals of each worker by its id.
        package var totals: [String: MetricTotals] = [:]
        /// The numbers of workers of each existing queue by their state. A worker without a heartbeat within a lease is `lost`.
        package var states: [String: [String: Int]] = [:]

        package init(workers: [JSON] = []) { self.workers = workers }
    }

    /// Reads all heartbeats.
    @Loop
    package static func reading(_ registry: QueueRegistry) async throws(TintypeError) -> Reading {
        let (workers, queues, now) = try await lastBeats(registry)
        var reading = Reading(workers: workers.map { json($0, silent: max(0, Double(now - $0.beat.seen) / 1000)) })
        for queue in queues { reading.states[queue] = [:] }
        let silent = now - registry.times.lease.milliseconds
        for worker in workers {
            reading.totals[worker.id] = worker.totals
            for (queue, beat) in worker.beats { reading.states[queue, default: [:]][beat.seen < silent ? "lost" : beat.state, default: 0] += 1 }
        }
        return reading
    }

    /// Returns the codecs of the live workers: `{vips, decode, encode}` each. Workers that have not reported them yet are left out.
    @Loop
    static func codecs(_ registry: QueueRegistry) async throws(TintypeError) -> [JSON] {
        let (workers, _, now) = try await lastBeats(registry)
        return workers.filter { $0.isOfUse && Double(now - $0.beat.seen) <= silence * 1000 }.compactMap { $0.beat.info["codecs"] }
    }

    /// Returns the queues that a worker serves and that do not exist.
    @Loop
    static func missingQueues(of worker: String, _ registry: QueueRegistry) async throws(TintypeError) -> [String] {
        try await lastBeats(registry).workers.first { $0.id == worker }?.missing ?? []
    }

    /// A worker with its last heartbeat in any queue.
    private struct Seen {
        let id: String
        var beat: (info: JSON, seen: Int64)
        /// The totals of its latest heartbeat that has them.
        var totals: MetricTotals?
        /// The latest heartbeat in each existing queue. Each worker of a queue serves its first shard.
        var beats: [String: (state: String, seen: Int64)] = [:]
        /// Whether it serves an existing queue.
        var isOfUse = false
        /// The queues it serves that do not exist.
        var missing: [String] = []
    }

    /// Returns the last heartbeat of each worker, the existing queues, and the current time of Redis. The heartbeats carry the time of Redis, which can differ from the
    /// clock of this machine.
    @Loop
    private static func lastBeats(_ registry: QueueRegistry) async throws(TintypeError) -> (workers: [Seen], queues: [String], now: Int64) {
        var found: [String: Seen] = [:]
        var queues: [String] = []
        func take(_ queue: Queue, isMissing: Bool) async throws(RedisError) {
            if !isMissing, !ShardNames.isShard(queue.name) { queues.append(queue.name) }
            for worker in try await queue.workers() {
                var seen = found[worker.id] ?? Seen(id: worker.id, beat: (worker.info, worker.seen))
                if worker.seen > seen.beat.seen { seen.beat = (worker.info, worker.seen) }
                if let totals = worker.info["totals"].flatMap(MetricTotals.init) { seen.totals = totals }
                if isMissing { seen.missing.append(queue.name) } else { seen.isOfUse = true }
                if !isMissing, !ShardNames.isShard(queue.name) { seen.beats[queue.name] = (worker.info["state"]?.string ?? "running", worker.seen) }
                found[worker.id] = seen
            }
        }
        return try await RedisError.translating { () async throws(RedisError) in
            try await registry.each { queue throws(RedisError) in try await take(queue, isMissing: false) }
            for name in try await Queue.missing(registry.redis) { try await take(registry.queue(name), isMissing: true) }
            let now = try await Queue.clock(registry.redis)
            return (found.values.sorted { $0.id < $1.id }, queues, now)
        }
    }

    /// - Parameter silent: The seconds since the last heartbeat.
    private static func json(_ seen: Seen, silent: Double) -> JSON {
        var worker = seen.beat.info.object ?? JSONObject()
        worker["id"] = .string(seen.id)
        if !seen.missing.isEmpty { worker["missingQueues"] = .array(seen.missing.map { .string($0) }) }
        // `formats.list` shows the codecs, and `stats.series` the totals.
        (worker["codecs"], worker["totals"]) = (nil, nil)
        worker["seenSeconds"] = JSON((silent * 1000).rounded() / 1000)
        if silent > silence { worker["state"] = "lost" } else if worker["state"] == nil { worker["state"] = "running" }
        return .object(worker)
    }
}
