import TintypeCore
import TintypeTransport
import TintypeQueue
import TintypeStores

/// The metrics that are looked up instead of counted. The values of this process are set at each scrape, those of the queues every 5 s, so that a
/// scrape never waits.
@Loop
final class Gauges {
    private let services: Services
    private let dispatcher: Dispatcher
    private let lag: LoopLag
    private var timer: LoopTimer?
    private var isLooking = false
    private var looks = 0

    /// The states that workers report (`workers.list`), and that of one whose lease is over.
    private static let states = ["starting", "running", "quiet", "draining", "stopped", "lost", "other"]

    init(_ services: Services, dispatcher: Dispatcher) {
        self.services = services
        self.dispatcher = dispatcher
        lag = LoopLag(services.metrics)
    }

    func start() {
        lag.start()
        timer = LoopTimer(after: .seconds(5), repeating: true) { [weak self] in self?.look() }
    }

    func stop() {
        timer = nil
        lag.stop()
    }

    /// Sets the values that this process knows itself.
    func sample() {
        let metrics = services.metrics
        metrics.sampleProcess(role: "coordinator", start: services.startedAt, descriptors: Descriptors.limit)
        metrics.set(.rpcInFlight, Double(dispatcher.inFlight))
        metrics.set(.receiptsLive, Double(services.receipts.count))
        services.clients.sample()
        let memory = services.memory.statistics
        metrics.set(.cacheBytes, Double(memory.bytes), labels: "memory")
        metrics.set(.cacheEntries, Double(memory.count), labels: "memory")
        metrics.set(.redisConnected, services.redis.isConnected ? 1 : 0, labels: "commands")
        metrics.set(.redisConnected, services.channels.isConnected ? 1 : 0, labels: "subscriber")
        services.redis.standing.sample(metrics)
    }

    private func look() {
        services.memory.trim()
        services.clients.sweep()
        guard !isLooking else { return }
        isLooking = true
        services.scope.run("gauges") { [weak self] in
            await self?.readQueues()
            await self?.readWorkers()
            self?.isLooking = false
        }
    }

    private func readQueues() async {
        var infos: [QueueInfo] = []
        for name in await services.registry.upkept() where !ShardNames.isShard(name) {
            if let info = try? await services.registry.whole(name).info() { infos.append(info) }
        }
        // Without Redis, the last values stay.
        guard !infos.isEmpty else { return }
        let metrics = services.metrics
        for gauge in [Metric.queueFetches, .queueOldestSeconds, .queuePaused, .queueLimit, .queueHeldHosts, .queueBlacklisted] { metrics.reset(gauge) }
        for info in infos {
            for (state, count) in [("queued", info.queued), ("delayed", info.delayed), ("running", info.running), ("dead", info.dead)] {
                metrics.set(.queueFetches, Double(count), labels: info.name, state)
            }
            metrics.set(.queueOldestSeconds, info.oldestQueuedSeconds ?? 0, labels: info.name)
            metrics.set(.queuePaused, info.paused ? 1 : 0, labels: info.name)
            metrics.set(.queueLimit, Double(info.limits.maxConcurrent), labels: info.name, "concurrent")
            metrics.set(.queueLimit, Double(info.limits.maxConcurrentPerHost), labels: info.name, "perHost")
            metrics.set(.queueLimit, Double(info.limits.maxQueued), labels: info.name, "queued")
            metrics.set(.queueHeldHosts, Double(info.heldHosts.count), labels: info.name)
            metrics.set(.queueBlacklisted, Double(info.blacklisted), labels: info.name)
        }
    }

    /// Reads the workers at the first look, and at each third one, since their reports are long.
    private func readWorkers() async {
        defer { looks += 1 }
        guard looks % 3 == 0 else { return }
        var found: [(queue: String, states: [String: Int])] = []
        for name in await services.registry.upkept() where !ShardNames.isShard(name) {
            // Each worker of a queue serves its first shard.
            if let states = try? await workerStates(of: services.registry.whole(name).parts[0]) { found.append((name, states)) }
        }
        guard !found.isEmpty else { return }
        services.metrics.reset(.workers)
        for (name, states) in found {
            for state in Self.states { services.metrics.set(.workers, Double(states[state] ?? 0), labels: name, state) }
        }
    }

    /// Returns the number of workers by their state. A worker without a heartbeat within a lease is lost.
    private func workerStates(of queue: Queue) async throws(RedisError) -> [String: Int] {
        let silent = try await queue.clock() - services.registry.times.lease.milliseconds
        var counts: [String: Int] = [:]
        for worker in try await queue.workers() {
            let state = worker.seen < silent ? "lost" : worker.info["state"]?.string ?? "running"
            counts[Self.states.contains(state) ? state : "other", default: 0] += 1
        }
        return counts
    }
}
