import TintypeCore
import TintypeTransport
import TintypeQueue

/// Each second: ends what has outlived its time in every queue. Any coordinator may, unless it has just been away itself (`ReapWarmUp`).
@Loop
final class Reaper {
    private let lanes: Lanes
    private let scope: TaskScope
    private let metrics: Metrics
    private let logger: Logger
    private var timer: LoopTimer?
    private var isReaping = false
    private var warmUp: ReapWarmUp
    /// How many looks in a row have found a coordinator silent, by queue and coordinator. One look proves nothing after a machine stood still:
    /// then everybody was silent, and those who live have not yet had the time to say so.
    private var silentLooks: [String: Int] = [:]
    /// Silent coordinators whose receipts are to be withdrawn, by queue and coordinator, and where; one after another, so that others keep half of Redis.
    private var abandoned: [(key: String, coordinator: String, queue: Queue)] = []
    private var trouble = RepeatedTrouble()

    /// Looks, one a second, after which a silent coordinator is gone.
    nonisolated static let looks = 6

    init(lanes: Lanes, scope: TaskScope, metrics: Metrics, logger: Logger) {
        self.lanes = lanes
        warmUp = ReapWarmUp(lease: lanes.times.lease)
        self.scope = scope
        self.metrics = metrics
        self.logger = logger
    }

    func start() {
        timer = LoopTimer(after: .seconds(1), repeating: true) { [weak self] in self?.tick() }
    }

    func stop() { timer = nil }

    private func tick() {
        let mayReap = warmUp.mayReap(at: .now, connectedSince: lanes.redis.connectedSince)
        guard mayReap || warmUp.latest(at: .now) == nil, lanes.redis.isConnected, !isReaping else { return }
        isReaping = true
        scope.run("reap") { [weak self] in
            if mayReap { await self?.reap() } else { await self?.readClock() }
            self?.isReaping = false
        }
    }

    /// Long before the first look: how far the clock of Redis goes till then shows whether it was set.
    private func readClock() async {
        let asked = ContinuousClock.now
        guard let words = try? await lanes.redis.node(for: QueueKeys.shared).command(["TIME"]).array?.compactMap(\.int), words.count == 2,
            (0...HTTPDate.last).contains(words[0])
        else {
            return
        }
        warmUp.read(clock: words[0] * 1000 + words[1] / 1000, asked: asked)
    }

    /// One look at every queue.
    func reap() async {
        guard let names = try? await lanes.names() else { return }
        var silent: [String: Int] = [:]
        defer { silentLooks = silent }
        for name in names {
            do throws(RedisError) {
                let done = try await reapAll(name)
                guard !done.hasJumped else {
                    warmUp.jumped(at: .now)
                    return logger.warning("the clock of Redis was set forward; nobody is taken for dead for a while", ["clock": done.clock])
                }
                if done.expiredLeases > 0 {
                    metrics.add(.reaped, Double(done.expiredLeases), labels: "leases")
                    logger.warning("took work from workers that stopped beating", ["queue": name, "fetches": done.expiredLeases])
                }
                if done.askedToYield > 0 {
                    metrics.add(.reaped, Double(done.askedToYield), labels: "places")
                    logger.info("asked runs to give their places to clients that run fewer", ["queue": name, "fetches": done.askedToYield])
                }
                if done.deadlines > 0 { metrics.add(.reaped, Double(done.deadlines), labels: "deadlines") }
                for coordinator in done.goneCoordinators where coordinator != lanes.coordinator {
                    let key = "\(name) \(coordinator)"
                    silent[key] = silentLooks[key, default: 0] + 1
                    if silent[key] ?? 0 >= Self.looks { abandon(coordinator, of: lanes.queue(name), as: key) }
                }
            } catch {
                if case .foreignQueue = error, trouble.isNews("\(error)") {
                    logger.error("a queue is not for this program; nothing of it is touched, and the others are served", ["queue": name, "error": error])
                }
                logger.refused("reaping", error)
            }
        }
    }

    /// Pages of one queue in one look: the other queues are looked at too.
    private static let mostPages = 100

    /// Pages until nothing is late any more: a coordinator that died may have left a hundred thousand deadlines.
    private func reapAll(_ name: String) async throws(RedisError) -> ReapAnswer {
        var turn = HalfShare()
        var all = try await page(of: name)
        var pages = 1
        var last = all
        while max(last.expiredLeases, last.deadlines, last.promoted) >= Queue.reapPage, pages < Self.mostPages, await turn.rest() {
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
        let answer = try await lanes.queue(name).reap(notAfter: warmUp.latest(at: asked))
        warmUp.read(clock: answer.clock, asked: asked)
        return answer
    }

    /// Beside the looks: a coordinator may have left a million receipts, and other queues are not to wait for that.
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
                        "withdrew the receipts of a coordinator that stopped answering",
                        ["queue": queue.name, "coordinator": coordinator, "receipts": count])
                }
            } catch { logger.refused("reaping", error) }
            abandoned.removeFirst()
        }
    }
}
