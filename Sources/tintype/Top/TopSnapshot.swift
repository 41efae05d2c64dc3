import TintypeCore

/// The state of the service as `tintype top` knows it, as the methods have answered. A value.
struct TopSnapshot: Sendable {
    /// The points of `stats.series` that are kept: five minutes.
    static let mostPoints = 300
    /// The events that are kept.
    static let mostEvents = 500
    /// The seconds over which rates are averaged. Workers tell their totals every three seconds.
    private static let window = 10
    /// The seconds over which phases are averaged.
    private static let phaseWindow = 60

    var info: JSON = .null
    var queues: [JSON] = []
    var runs = TopList()
    var hosts = TopList()
    var workers: [JSON] = []
    /// The dead letters of all queues; each names its queue.
    var dead = TopList()
    /// The failures by error, status, host and queue.
    var failures = TopList()
    var blacklist = TopList()
    /// The newest first, each with its number in `order`.
    private(set) var events: [(order: Int, event: JSON)] = []
    private(set) var points: [JSON] = []
    private var lastEvent = 0

    /// The end of the latest point; nil before the first one.
    var lastPoint: Int? { points.last?["time"]?.int }

    /// - Parameter isWhole: Whether these take the place of all points: the clock of the coordinator may have gone back.
    mutating func add(points new: [JSON], isWhole: Bool = false) {
        if isWhole { points = [] }
        let last = lastPoint ?? .min
        points += new.filter { ($0["time"]?.int ?? 0) > last }
        points.removeFirst(max(0, points.count - Self.mostPoints))
    }

    mutating func add(event: JSON) {
        lastEvent += 1
        events.insert((lastEvent, event), at: 0)
        if events.count > Self.mostEvents { events.removeLast() }
    }

    /// Whether the list of a tab has only the first of its rows.
    func isCut(_ tab: TopTab) -> Bool {
        switch tab {
        case .running: runs.isCut
        case .hosts: hosts.isCut
        case .dead: dead.isCut
        case .failures: failures.isCut
        case .blacklist: blacklist.isCut
        case .queues, .workers, .events: false
        }
    }

    // MARK: Rates

    /// The values of a count by the second, the latest last.
    func series(_ name: String) -> [Double] {
        points.map { ($0["counts"]?[name]?.double ?? 0) / max(1, $0["seconds"]?.double ?? 1) }
    }

    /// The average of a count over the last ten seconds, a second.
    func rate(_ name: String) -> Double {
        let last = series(name).suffix(Self.window)
        return last.isEmpty ? 0 : last.reduce(0, +) / Double(last.count)
    }

    /// The part of requests of the last ten seconds that the caches answered; nil without requests that may be answered by them.
    ///
    /// A miss in memory is no answer yet: the results are looked up next. Many requests are not looked up in memory at all.
    var hits: Double? {
        let answered = rate("memoryHits") + rate("resultHits")
        let asked = answered + rate("resultMisses")
        return asked > 0 ? answered / asked : nil
    }

    /// A phase of the fetches of the last minute.
    struct Phase: Sendable, Hashable {
        let name: String
        let count: Double
        /// The average, in seconds.
        let mean: Double
        /// The part of all phases together.
        let share: Double
    }

    /// The phases of the last minute, the longest first. None of them contains another.
    var phases: [Phase] {
        var sums: [String: (count: Double, sum: Double)] = [:]
        for point in points.suffix(Self.phaseWindow) {
            for (name, phase) in point["phases"]?.object?.members ?? [] {
                sums[name, default: (0, 0)].count += phase["count"]?.double ?? 0
                sums[name, default: (0, 0)].sum += phase["sum"]?.double ?? 0
            }
        }
        let transfer = TransferParts { [sums] in sums[$0]?.sum ?? 0 }
        sums["firstByte"]?.sum = transfer.firstByte
        sums["download"]?.sum = transfer.download
        let whole = sums.values.reduce(0) { $0 + $1.sum }
        let phases = sums.filter { $0.value.count > 0 }.map { name, all in
            Phase(name: name, count: all.count, mean: all.sum / all.count, share: whole > 0 ? all.sum / whole : 0)
        }
        return phases.sorted { ($0.share, $1.name) > ($1.share, $0.name) }
    }

    /// The counts whose rates are told to programs, as `stats.series` names them.
    private static let told = [
        "requests", "pictures", "submits", "refused", "succeeded", "failed", "retries", "bytesFetched", "bytesMade", "memoryHits", "memoryMisses",
        "resultHits", "resultMisses",
    ]

    /// The whole snapshot for a program, with the names of the methods.
    var json: JSON {
        let rates = Self.told.map { ($0, JSON((rate($0) * 1000).rounded() / 1000)) }
        let phases = phases.map { phase in (phase.name, ["count": JSON(phase.count), "meanSeconds": JSON((phase.mean * 1e6).rounded() / 1e6)] as JSON) }
        let info = ["version", "coordinator", "coordinators", "uptime", "state"].map { ($0, self.info[$0] ?? .null) }
        return [
            "info": .object(JSONObject(info)), "ratesPerSecond": .object(JSONObject(rates)), "phases": .object(JSONObject(phases)),
            "queues": .array(queues), "running": .array(runs.items), "hosts": .array(hosts.items), "workers": .array(workers), "dead": .array(dead.items),
            "failures": .array(failures.items), "blacklist": .array(blacklist.items),
            "cut": .array(TopTab.allCases.filter { isCut($0) }.map { .string($0.rawValue) }),
        ]
    }
}
