import TintypeCore
import TintypeTransport
import TintypeStores

/// Empties the memory tier when memory is short. Once a second it reads files of the kernel that never block. Lives on the loop.
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
    ///   - maxResident: The resident bytes above which the tier is emptied; nil: only the kernel's limits count.
    ///   - read: Reads the memory use.
    ///   - now: Monotonic seconds.
    init(
        _ memory: MemoryTier, maxResident: Int?, logger: Logger, read: @escaping @Loop () -> MemoryReading,
        now: @escaping @Loop () -> Double = { Seconds.monotonic }
    ) {
        (self.memory, pressure, self.logger) = (memory, MemoryPressure(maxResident: maxResident), logger)
        (self.read, self.now) = (read, now)
    }

    /// Watches this process and its control group.
    convenience init(_ memory: MemoryTier, maxResident: Int?, logger: Logger) {
        let folder = MemoryReading.groupFolder()
        self.init(memory, maxResident: maxResident, logger: logger, read: { MemoryReading.now(of: folder) })
    }

    func start() {
        timer = LoopTimer(after: Self.interval, repeating: true) { [weak self] in self?.look() }
    }

    func stop() { timer = nil }

    /// Checks the memory once.
    func look() {
        guard let cause = pressure.judge(read(), at: now()) else { return }
        let freed = memory.shed()
        guard freed.count > 0 else { return }
        logger.notice("memory is short; emptied the memory tier", ["cause": cause.rawValue, "images": freed.count, "bytes": freed.bytes])
    }
}
