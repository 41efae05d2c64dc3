import TintypeCore
import TintypeQueue
import TintypeTransport

/// The reaper: every second it ends leases, deadlines and coordinators in every queue whose time is over. Any coordinator may do this, unless it
/// was away itself (`ReaperGracePeriod`). In a Redis Cluster, one queue waits while its server is away or its slot moves, and the others go on.
@Loop
final class Reaper {
    private let registry: QueueRegistry
    private let scope: TaskScope
    private let metrics: Metrics
    private let logger: Logger
    private var timer: LoopTimer?
    private var isReaping = false
    /// The grace period of each queue.
    private var graces: [String: ReaperGracePeriod]
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
        graces = ["default": ReaperGracePeriod(lease: registry.times.lease)]
        self.scope = scope
        self.metrics = metrics
        self.logger = logger
    }

    func start() {
        timer = LoopTimer(after: .seconds(1), repeating: true) { [weak self] in self?.tick() }
    }

    func stop() { timer = nil }

    private func tick() {
        let now = ContinuousClock.now
        var due: Set<String> = []
        for name in graces.keys {
            if graces[name]?.mayReap(at: now, connectedSince: registry.queue(name).node.connectedSince) == true { due.insert(name) }
        }
        guard !isReaping else { return }
        isReaping = true
        scope.run("reap") { [weak self, due] in
            await self?.upkeep(due)
            self?.isReaping = false
        }
    }

    /// Checks these queues, and prepares the checks of the others.
    private func upkeep(_ due: Set<String>) async {
        let names = await registry.upkept()
        graces = graces.filter { names.contains($0.key) }
        for name in names where graces[name] == nil { graces[name] = graces["default"]?.ofAnotherServer }
        for name in names where !due.contains(name) && registry.queue(name).node.isConnected {
            if graces[name]?.latest(at: .now) == nil { await readClock(name) }
            // A slot that still moves must not look as if it had arrived. This key never exists, so a server that gives the slot away refuses it as it
            // refuses scripts.
            let queue = registry.queue(name)
            if queue.node.isMoving(within: registry.times.lease) { _ = try? await queue.node.command(["EXISTS", .string(queue.keys.prefix)], waits: false) }
        }
        await reap(names.filter(due.contains))
    }

    /// Reads the clock long before the first check. Its progress until then shows whether it was set.
    private func readClock(_ name: String) async {
        let asked = ContinuousClock.now
        guard let clock = try? await registry.queue(name).clock(), (0...HTTPDate.last).contains(clock / 1000) else { return }
        graces[name]?.read(clock: clock, asked: asked)
    }

    /// Checks every queue once.
    func reap() async { await reap(await registry.upkept()) }

    private func reap(_ names: [String]) async {
        var silent: [String: Int] = [:]
        defer { silentLooks = silent }
        for name in names {
            do throws(RedisError) {
                let done = try await reapAll(name)
                guard !done.hasJumped else {
                    graces[name]?.jumped(at: .now)
                    logger.warning("the clock of Redis was set forward; no worker is declared dead for one lease", ["clock": done.clock, "queue": name])
                    continue
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
        while last.hasMore, pages < Self.maxPages, await turn.pause() {
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
        let answer = try await registry.queue(name).reap(notAfter: graces[name]?.latest(at: asked))
        graces[name]?.read(clock: answer.clock, asked: asked)
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
