import TintypeCore
import TintypeTransport
import TintypeQueue

/// The reaper: every second it ends leases, deadlines and coordinators in every queue whose time is over. Any coordinator may do this, unless it
/// was away itself (`ReaperGracePeriod`).
@Loop
final class Reaper {
    private let registry: QueueRegistry
    private let scope: TaskScope
    private let metrics: Metrics
    private let logger: Logger
    private var timer: LoopTimer?
    private var isReaping = false
    private var warmUp: ReaperGracePeriod
    /// The number of checks in a row that found a coordinator silent, by queue and coordinator. One check proves nothing after a machine stood
    /// still: all coordinators were silent then, and the live ones had no time for a heartbeat.
    private var silentLooks: [String: Int] = [:]
    /// Dead coordinators whose receipts must be canceled, by queue and coordinator. They are handled one after another, so that half of Redis' time
    /// stays for other work.
    private var abandoned: [(key: String, coordinator: String, queue: Queue)] = []
    private var logThrottle = LogThrottle()

    /// The checks, one a second, after which a silent coordinator counts as dead.
    nonisolated static let looks = 6

    init(registry: QueueRegistry, scope: TaskScope, metrics: Metrics, logger: Logger) {
        self.registry = registry
        warmUp = ReaperGracePeriod(lease: registry.times.lease)
        self.scope = scope
        self.metrics = metrics
        self.logger = logger
    }

    func start() {
        timer = LoopTimer(after: .seconds(1), repeating: true) { [weak self] in self?.tick() }
    }

    func stop() { timer = nil }

    private func tick() {
        let mayReap = warmUp.mayReap(at: .now, connectedSince: registry.redis.connectedSince)
        guard mayReap || warmUp.latest(at: .now) == nil, registry.redis.isConnected, !isReaping else { return }
        isReaping = true
        scope.run("reap") { [weak self] in
            if mayReap { await self?.reap() } else { await self?.readClock() }
            self?.isReaping = false
        }
    }

    /// Reads the clock long before the first check. Its progress until then shows whether it was set.
    private func readClock() async {
        let asked = ContinuousClock.now
        guard let words = try? await registry.redis.node(for: QueueKeys.shared).command(["TIME"]).array?.compactMap(\.int), words.count == 2,
            (0...HTTPDate.last).contains(words[0])
        else {
            return
        }
        warmUp.read(clock: words[0] * 1000 + words[1] / 1000, asked: asked)
    }

    /// Checks every queue once.
    func reap() async {
        guard let names = try? await registry.names() else { return }
        var silent: [String: Int] = [:]
        defer { silentLooks = silent }
        for name in names {
            do throws(RedisError) {
                let done = try await reapAll(name)
                guard !done.hasJumped else {
                    warmUp.jumped(at: .now)
                    return logger.warning("the clock of Redis was set forward; no worker is declared dead for one lease", ["clock": done.clock])
                }
                if done.expiredLeases > 0 {
                    metrics.add(.reaped, Double(done.expiredLeases), labels: "leases")
                    logger.warning("requeued runs of workers without heartbeats", ["queue": name, "fetches": done.expiredLeases])
                }
                if done.askedToYield > 0 {
                    metrics.add(.reaped, Double(done.askedToYield), labels: "places")
                    logger.info("asked runs to release their permits for clients with fewer runs", ["queue": name, "fetches": done.askedToYield])
                }
                if done.deadlines > 0 { metrics.add(.reaped, Double(done.deadlines), labels: "deadlines") }
                for coordinator in done.goneCoordinators where coordinator != registry.coordinator {
                    let key = "\(name) \(coordinator)"
                    silent[key] = silentLooks[key, default: 0] + 1
                    if silent[key] ?? 0 >= Self.looks { abandon(coordinator, of: registry.queue(name), as: key) }
                }
            } catch {
                if case .foreignQueue = error, logThrottle.shouldLog("\(error)") {
                    logger.error("a queue has another schema; it is left untouched, and the other queues are served", ["queue": name, "error": error])
                }
                logger.refused("reaping", error)
            }
        }
    }

    /// The most pages of one queue in one check, so that the other queues are checked too.
    private static let maxPages = 100

    /// Reads pages until nothing is late: a dead coordinator may have left a hundred thousand deadlines.
    private func reapAll(_ name: String) async throws(RedisError) -> ReapAnswer {
        var turn = PagingPause()
        var all = try await page(of: name)
        var pages = 1
        var last = all
        while max(last.expiredLeases, last.deadlines, last.promoted) >= Queue.reapPage, pages < Self.maxPages, await turn.pause() {
            last = try await page(of: name)
            all.expiredLeases += last.expiredLeases
            all.deadlines += last.deadlines
            all.askedToYield += last.askedToYield
            pages += 1
        }
        return all
    }

    private func page(of name: String) async throws(RedisError) -> ReapAnswer {
        let asked = ContinuousClock.now
        let answer = try await registry.queue(name).reap(notAfter: warmUp.latest(at: asked))
        warmUp.read(clock: answer.clock, asked: asked)
        return answer
    }

    /// Cancels the receipts beside the checks: a coordinator may have left a million of them, and other queues must not wait.
    private func abandon(_ coordinator: String, of queue: Queue, as key: String) {
        guard !abandoned.contains(where: { $0.key == key }) else { return }
        abandoned.append((key, coordinator, queue))
        if abandoned.count == 1 { scope.run("abandon") { [weak self] in await self?.abandonAll() } }
    }

    private func abandonAll() async {
        while let (_, coordinator, queue) = abandoned.first, !Task.isCancelled {
            do throws(RedisError) {
                let count = try await queue.abandon(coordinator: coordinator)
                if count > 0 {
                    metrics.add(.reaped, Double(count), labels: "receipts")
                    logger.warning(
                        "canceled the receipts of a dead coordinator",
                        ["queue": queue.name, "coordinator": coordinator, "receipts": count])
                }
            } catch { logger.refused("reaping", error) }
            abandoned.removeFirst()
        }
    }
}
