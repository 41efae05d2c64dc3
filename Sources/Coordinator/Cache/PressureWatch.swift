import TintypeCore
import TintypeTransport
import TintypeStores

/// Empties the memory tier when memory is short. Looks once a second at files that the kernel makes up, which blocks nobody. Lives on the loop.
@Loop
final class PressureWatch {
    private static let interval = Duration.seconds(1)

    private let memory: MemoryTier
    private var pressure: MemoryPressure
    private let read: @Loop () -> MemoryReading
    private let now: @Loop () -> Double
    private let logger: Logger
    private var timer: LoopTimer?

    /// - Parameters:
    ///   - mostResident: resident bytes from which on the tier is emptied; nil: the kernel's limits are enough.
    ///   - read: what is looked at.
    ///   - now: monotonic seconds.
    init(
        _ memory: MemoryTier, mostResident: Int?, logger: Logger, read: @escaping @Loop () -> MemoryReading,
        now: @escaping @Loop () -> Double = { Seconds.monotonic }
    ) {
        (self.memory, pressure, self.logger) = (memory, MemoryPressure(mostResident: mostResident), logger)
        (self.read, self.now) = (read, now)
    }

    /// Looks at this process and its control group.
    convenience init(_ memory: MemoryTier, mostResident: Int?, logger: Logger) {
        let folder = MemoryReading.groupFolder()
        self.init(memory, mostResident: mostResident, logger: logger, read: { MemoryReading.now(of: folder) })
    }

    func start() {
        timer = LoopTimer(after: Self.interval, repeating: true) { [weak self] in self?.look() }
    }

    func stop() { timer = nil }

    /// One look.
    func look() {
        guard let cause = pressure.judge(read(), at: now()) else { return }
        let freed = memory.shed()
        guard freed.count > 0 else { return }
        logger.notice("memory is short: the memory tier was emptied", ["cause": cause.rawValue, "images": freed.count, "bytes": freed.bytes])
    }
}
