import TintypeTransport

/// The work of a coordinator beside requests: expired leases, lent permits, its metrics and its memory.
@Loop
final class Housekeeping {
    private let reaper: Reaper
    private let lender: ConcurrencyAllocator
    private let gauges: Gauges
    private let redisMemory: RedisMemoryGuard
    private let pressure: PressureWatch
    /// Gives the free pages inside of the heap back to the kernel once a minute. A few bytes that stay can hold the pages of a long answer, which is gone
    /// otherwise. Trimming 60 MiB of free pages took 2 to 5 ms.
    private var heap: LoopTimer?

    /// - Parameter maxResident: As in `PressureWatch`.
    init(_ core: Core, _ gauges: Gauges, maxResident: Int?) {
        let (queues, process) = (core.queues, core.process)
        (self.gauges, redisMemory) = (gauges, queues.memory)
        reaper = Reaper(registry: queues.registry, scope: process.scope, metrics: process.metrics, logger: process.logger)
        lender = ConcurrencyAllocator(registry: queues.registry, defaults: queues.defaults, scope: process.scope, logger: process.logger)
        pressure = PressureWatch(core.storage.memory, maxResident: maxResident, logger: process.logger)
    }

    func start() {
        reaper.start()
        lender.start()
        gauges.start()
        redisMemory.start()
        pressure.start()
        heap = LoopTimer(after: .seconds(60), repeating: true) { trimHeap() }
    }

    func stop() {
        reaper.stop()
        lender.stop()
        gauges.stop()
        redisMemory.stop()
        pressure.stop()
        heap = nil
    }
}
