import TintypeCore
import TintypeTransport
import TintypeQueue
import TintypeStores

/// The metrics that are looked up instead of counted. The values of this process are set at each scrape. Those of queues and workers are set every 5 s
/// from the last reading of `FleetStatistics`, so that a scrape never waits.
@Loop
final class Gauges {
    private let services: Services
    private let dispatcher: Dispatcher
    private let lag: LoopLag
    private var timer: LoopTimer?

    /// The states that workers report (`workers.list`), and that of one whose lease is over.
    private static let states = ["starting", "running", "quiet", "draining", "stopped", "lost", "other"]

    init(_ services: Services, dispatcher: Dispatcher) {
        self.services = services
        self.dispatcher = dispatcher
        lag = LoopLag(services.metrics, services.logger)
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
        metrics.set(.answerBytes, Double(services.answers.bytes))
        metrics.set(.answersWaiting, Double(services.answers.waitingCount))
        metrics.set(.receiptsLive, Double(services.receipts.count))
        metrics.set(.httpUnsentBytes, Double(services.unsent.used))
        services.clients.sample()
        let memory = services.memory.statistics
        metrics.set(.cacheBytes, Double(memory.bytes), labels: "memory")
        metrics.set(.cacheEntries, Double(memory.count), labels: "memory")
        metrics.set(.redisConnected, services.redis.isConnected ? 1 : 0, labels: "commands")
        metrics.set(.redisConnected, services.channels.isConnected ? 1 : 0, labels: "subscriber")
        services.redis.standing.sample(metrics)
    }

    private func look() {
        services.scope.run("trim memory") { [memory = services.memory] in await memory.trim() }
        services.clients.sweep()
        let statistics = services.statistics
        if !statistics.queues.isEmpty { set(statistics.queues) }
        if !statistics.workers.states.isEmpty { set(statistics.workers.states) }
    }

    private func set(_ infos: [QueueInfo]) {
        let metrics = services.metrics
        let known: [Metric] = [.queueFetches, .queueOldestSeconds, .queuePaused, .queueLimit, .queueHeldHosts, .queueBlacklisted, .deadLetters]
        for metric in known { metrics.reset(metric) }
        for info in infos {
            for (state, count) in [("queued", info.queued), ("delayed", info.delayed), ("running", info.running), ("dead", info.dead)] {
                metrics.set(.queueFetches, Double(count), labels: info.name, state)
            }
            metrics.set(.queueOldestSeconds, info.oldestQueuedSeconds ?? 0, labels: info.name)
            metrics.set(.queuePaused, info.paused ? 1 : 0, labels: info.name)
            metrics.set(.queueLimit, Double(info.limits.maxConcurrent), labels: info.name, "concurrent")
            metrics.set(.queueLimit, Double(info.limits.maxConcurrentPerHost), labels: info.name, "perHost")
            metrics.set(.queueLimit, Double(info.limits.maxQueued), labels: info.name, "queued")
            metrics.set(.queueHeldHosts, Double(info.askingHosts.count), labels: info.name, "asked")
            metrics.set(.queueHeldHosts, Double(info.heldHosts.count - info.askingHosts.count), labels: info.name, "pace")
            metrics.set(.queueBlacklisted, Double(info.blacklisted), labels: info.name)
            metrics.set(.deadLetters, Double(info.deadLetters), labels: info.name)
        }
    }

    /// - Parameter states: The numbers of workers by queue and state.
    private func set(_ states: [String: [String: Int]]) {
        services.metrics.reset(.workers)
        for (queue, counts) in states {
            for state in Self.states.dropLast() { services.metrics.set(.workers, Double(counts[state] ?? 0), labels: queue, state) }
            // bounded: each worker counts once.
            let other = counts.filter { !Self.states.contains($0.key) }.values.reduce(0, +) + (counts["other"] ?? 0)
            services.metrics.set(.workers, Double(other), labels: queue, "other")
        }
    }
}
