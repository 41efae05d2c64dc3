import TintypeCore

/// The state of the service as `tintype top` knows it, as the methods have answered. A value.
struct TopSnapshot: Sendable {
    /// The points of `stats.series` that are kept: five minutes.
    static let mostPoints = 300
    /// The events that are kept.
    static let mostEvents = 500

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
    /// The upper ends of the buckets of phases, in seconds.
    var bounds: [Double] = []
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

    /// The counts whose rates are told to programs, as `stats.series` names them.
    private static let told = [
        "requests", "pictures", "submits", "refused", "succeeded", "failed", "expired", "retries", "bytesFetched", "bytesMade", "memoryHits", "memoryMisses",
        "resultHits", "resultMisses",
    ]

    /// The whole snapshot for a program, with the names of the methods.
    var json: JSON {
        let rates = Self.told.map { ($0, JSON((rate($0) * 1000).rounded() / 1000)) }
        func number(_ value: Double?) -> JSON { value.map { JSON(($0 * 1e6).rounded() / 1e6) } ?? .null }
        let phases = phases.map { phase in
            let quantiles: JSONObject = ["p50Seconds": number(phase.p50), "p95Seconds": number(phase.p95), "p99Seconds": number(phase.p99)]
            return (phase.name, JSON.object((["count": number(phase.count), "meanSeconds": number(phase.mean)] as JSONObject).merging(quantiles)))
        }
        let info = ["version", "coordinator", "coordinators", "uptime", "state"].map { ($0, self.info[$0] ?? .null) }
        return [
            "info": .object(JSONObject(info)), "ratesPerSecond": .object(JSONObject(rates)), "phases": .object(JSONObject(phases)),
            "lastMinute": .object(JSONObject(Self.troubles.map { ($0, number(lastMinute($0))) })),
            "cacheHitRates": .object(JSONObject(tiers.map { ($0.name, number($0.hits)) })),
            "queues": .array(queues), "running": .array(runs.items), "hosts": .array(hosts.items), "workers": .array(workers), "dead": .array(dead.items),
            "failures": .array(failures.items), "blacklist": .array(blacklist.items),
            "cut": .array(TopTab.allCases.filter { isCut($0) }.map { .string($0.rawValue) }),
        ]
    }
}
