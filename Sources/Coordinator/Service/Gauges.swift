import TintypeCore
import TintypeStores
import TintypeTransport

/// The metrics of this process that are looked up instead of counted, at each scrape.
@Loop
final class Gauges {
    private let core: Core
    private let dispatcher: Dispatcher
    private let lag: LoopLag
    private var timer: LoopTimer?

    init(_ core: Core, dispatcher: Dispatcher) {
        self.core = core
        self.dispatcher = dispatcher
        lag = LoopLag(core.process.metrics, core.process.logger)
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
        let metrics = core.process.metrics
        metrics.sampleProcess(role: "coordinator", start: core.process.startedAt, descriptors: Descriptors.limit)
        metrics.set(.rpcInFlight, Double(dispatcher.inFlight))
        metrics.set(.answerBytes, Double(core.receipts.answers.bytes))
        metrics.set(.answersWaiting, Double(core.receipts.answers.waitingCount))
        metrics.set(.receiptsLive, Double(core.receipts.table.count))
        metrics.set(.httpUnsentBytes, Double(core.http.unsent.used))
        core.access.clients.sample()
        let memory = core.storage.memory.statistics
        metrics.set(.cacheBytes, Double(memory.bytes), labels: "memory")
        metrics.set(.cacheEntries, Double(memory.count), labels: "memory")
        metrics.set(.redisConnected, core.queues.redis.isConnected ? 1 : 0, labels: "commands")
        metrics.set(.redisConnected, core.queues.channels.isConnected ? 1 : 0, labels: "subscriber")
        core.queues.redis.primaryStatus.sample(metrics)
    }

    private func look() {
        core.process.scope.run("trim memory") { [memory = core.storage.memory] in await memory.trim() }
        core.access.clients.sweep()
    }
}
