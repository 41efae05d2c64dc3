import Coordinator
import TintypeCore
import TintypeContracts
import TintypeImages
import TintypeTransport
import TintypeQueue

/// The statistics of all coordinators and workers: a point each second, for `stats.series` and `GET /events?stats=1`.
///
/// Workers send their totals with their heartbeats. Coordinators tell each other theirs on a channel. So each coordinator shows the whole fleet.
/// Lives on the loop.
@Loop
final class FleetStatistics: StatisticsFeed {
    /// Hears each point, with the state of queues and workers.
    typealias Listener = @Loop (StreamEvent) -> Void

    let role = MethodCatalog.statsSeries.role
    private let registry: QueueRegistry
    private let redis: RedisNode
    private let channels: RedisChannels
    private let coordinator: String
    private let metrics: Metrics
    private let scope: TaskScope
    private var totals = FleetTotals()
    private var rings = StatisticsRings()
    /// The latest heartbeats of workers.
    private(set) var workers = WorkerList.Reading()
    /// The latest state of all queues. Without Redis, the last one stays.
    private(set) var queues: [QueueInfo] = []
    /// When each other coordinator was last heard.
    private var heard: [String: ContinuousClock.Instant] = [:]
    private var subscription: RedisSubscription?
    private var timer: LoopTimer?
    private var ticks = 0
    private var times = PointTimes(now: 0)
    private var polls = PollSchedule()
    private var listeners: [Int: Listener] = [:]
    private var lastListener = 0

    private static let channel = QueueKeys.totals
    /// How long a coordinator that is not heard counts as live.
    private static let silence = Duration.seconds(15)
    /// The seconds between two readings of the queues while nobody watches.
    private static let unwatched = 5

    init(registry: QueueRegistry, redis: RedisNodes, channels: RedisChannels, scope: TaskScope, metrics: Metrics) {
        (self.registry, self.channels, self.scope, self.metrics) = (registry, channels, scope, metrics)
        (self.redis, coordinator) = (redis.node(for: QueueKeys.shared), registry.coordinator)
    }

    func start() {
        subscription = channels.subscribe(Self.channel, .sharded, of: QueueKeys.shared) { [weak self] _, payload in self?.hear(payload) }
        times = PointTimes(now: Seconds.monotonic)
        timer = LoopTimer(after: .seconds(1), repeating: true) { [weak self] in self?.tick() }
    }

    func stop() { timer = nil }

    // MARK: Readers

    /// Returns the points that end after a time.
    func points(_ step: StatisticsRings.Step, after time: Int) -> [StatisticsRings.Shown] { rings.points(step, after: time) }

    /// Adds a listener.
    /// - Returns: the number by which `leave` removes it.
    func join(_ listener: @escaping Listener) -> Int {
        lastListener += 1
        listeners[lastListener] = listener
        return lastListener
    }

    func leave(_ listener: Int) { listeners[listener] = nil }

    /// Returns the points after the last one that a client has, or the latest point.
    func events(after time: Int?) -> [StreamEvent] {
        let missed = time.map { rings.points(.second, after: $0) } ?? rings.last.map { [$0] } ?? []
        return missed.enumerated().map { event($1, isLast: $0 == missed.count - 1) }
    }

    /// - Parameter isLast: whether it is the latest one, which has the state of queues and workers.
    private func event(_ point: StatisticsRings.Shown, isLast: Bool = true) -> StreamEvent {
        var text = JSONWriter(capacity: point.text.count + 4096)
        text.raw(point.text.dropLast())
        if isLast {
            text.raw(",")
            text.members(["coordinators": JSON(1 + heard.count), "queues": .array(queues.map(\.brief)), "workers": .array(workers.workers)])
        }
        text.raw("}")
        return StreamEvent(id: "\(point.time)", type: "stats", data: String(decoding: text.bytes, as: UTF8.self))
    }

    // MARK: Points

    private func tick() {
        ticks += 1
        let own = metrics.totals(of: FleetMetrics.ofCoordinators)
        totals.take(own, of: coordinator, isSpread: false)
        if ticks % FleetTotals.spread == 0 {
            redis.sendWithoutReply(["SPUBLISH", .string(Self.channel), .string("\(coordinator) \(own.json.text)")])
        }
        // Workers tell their totals as seldom.
        look(atWorkers: ticks % FleetTotals.spread == 0, atQueues: !listeners.isEmpty || ticks % Self.unwatched == 1)
        let time = Int(WallClock.now)
        guard case .point(let seconds, let isFirst) = times.tick(at: time, now: Seconds.monotonic) else { return }
        if isFirst { rings = StatisticsRings() }
        rings.append(StatisticsPoint(time: time, seconds: seconds, totals.added(in: seconds)))
        guard !listeners.isEmpty, let point = rings.last else { return }
        let event = event(point)
        for listener in listeners.values { listener(event) }
    }

    private func hear(_ payload: [UInt8]) {
        let words = String(decoding: payload, as: UTF8.self).split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0] != coordinator, let json = try? JSON(parsing: Array(words[1].utf8)), let own = MetricTotals(json) else { return }
        let name = String(words[0])
        heard[name] = .now
        totals.take(own, of: name)
    }

    /// Reads the heartbeats of the workers and the state of the queues, for the points, the stream and the gauges.
    private func look(atWorkers: Bool, atQueues: Bool) {
        guard let look = polls.begin(atWorkers: atWorkers, atQueues: atQueues) else { return }
        scope.run("statistics") { [weak self] in
            if look.atWorkers { await self?.readWorkers() }
            if look.atQueues { await self?.readQueues() }
            self?.polls.end()
        }
    }

    private func readWorkers() async {
        let silent = ContinuousClock.now - Self.silence
        heard = heard.filter { $0.value > silent }
        guard let found = try? await WorkerList.reading(registry) else { return }
        workers = found
        for (id, own) in found.totals { totals.take(own, of: id) }
        totals.keep { found.totals[$0] != nil || heard[$0] != nil || $0 == coordinator }
    }

    private func readQueues() async {
        var infos: [QueueInfo] = []
        for name in await registry.upkept() where !ShardNames.isShard(name) {
            if let info = try? await registry.whole(name).info(hosts: false) { infos.append(info) }
        }
        if !infos.isEmpty { queues = infos }
    }
}
