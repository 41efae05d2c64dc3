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
    private var timer: LoopTimer?
    private var isLooking = false

    init(_ services: Services, dispatcher: Dispatcher) {
        self.services = services
        self.dispatcher = dispatcher
    }

    func start() {
        timer = LoopTimer(after: .seconds(5), repeating: true) { [weak self] in self?.look() }
    }

    func stop() { timer = nil }

    /// Sets the values that this process knows itself.
    func sample() {
        let metrics = services.metrics
        metrics.sampleProcess(role: "coordinator", start: services.startedAt)
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
        for gauge in [Metric.queueFetches, .queueOldestSeconds, .queuePaused] { metrics.reset(gauge) }
        for info in infos {
            for (state, count) in [("queued", info.queued), ("delayed", info.delayed), ("running", info.running), ("dead", info.dead)] {
                metrics.set(.queueFetches, Double(count), labels: info.name, state)
            }
            metrics.set(.queueOldestSeconds, info.oldestQueuedSeconds ?? 0, labels: info.name)
            metrics.set(.queuePaused, info.paused ? 1 : 0, labels: info.name)
        }
    }
}
