import TintypeCore

/// The state of the service as `tintype top` knows it, as the methods have answered. A value.
struct TopSnapshot: Sendable {
    /// The points of `stats.series` that are kept: five minutes.
    static let mostPoints = 300
    /// The events that are kept.
    static let mostEvents = 500

    var info: JSON = .null
    private var lists: [TopTab: TopList] = [:]
    private(set) var points: [JSON] = []
    /// The upper ends of the buckets of phases, in seconds.
    private(set) var bounds: [Double] = []
    private var lastEvent = 0

    /// The rows of a tab, as they were answered.
    subscript(tab: TopTab) -> TopList {
        get { lists[tab] ?? TopList() }
        set { lists[tab] = newValue }
    }

    /// Returns the sum of a number of the queues; nil for 0.
    func sum(_ name: String) -> Int? {
        let sum = self[.queues].items.reduce(0) { $0 &+ ($1[name]?.int ?? 0) }
        return sum > 0 ? sum : nil
    }

    /// Takes the answers over. Parts that were not asked for stay as they were.
    mutating func take(_ reading: TopReading) {
        add(points: reading.points, isWhole: reading.isWhole)
        (bounds, info) = (reading.bounds, reading.info ?? info)
        lists.merge(reading.lists) { _, new in new }
    }

    /// The end of the latest point; nil before the first one.
    var lastPoint: Int? { points.last?["time"]?.int }

    /// - Parameter isWhole: Whether these take the place of all points: the clock of the coordinator may have gone back.
    mutating func add(points new: [JSON], isWhole: Bool = false) {
        if isWhole { points = [] }
        let last = lastPoint ?? .min
        points += new.filter { ($0["time"]?.int ?? 0) > last }
        points.removeFirst(max(0, points.count - Self.mostPoints))
    }

    /// Puts an event before the others.
    mutating func add(event: JSON) {
        lastEvent += 1
        // In place: a busy service has thousands a second.
        lists[.events, default: TopList()].items.insert(.object((event.object ?? [:]).merging(["number": JSON(lastEvent)])), at: 0)
        if self[.events].items.count > Self.mostEvents { lists[.events]?.items.removeLast() }
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
        let tabs = TopTab.allCases.filter { $0 != .events }
        let head: JSONObject = [
            "info": .object(JSONObject(info)), "ratesPerSecond": .object(JSONObject(rates)), "phases": .object(JSONObject(phases)),
            "lastMinute": .object(JSONObject(Self.troubles.map { ($0, number(lastMinute($0))) })),
            "cacheHitRates": .object(JSONObject(tiers.map { ($0.name, number($0.hits)) })),
        ]
        let lists = JSONObject(tabs.map { ($0.name, .array(self[$0].items)) })
        return .object(head.merging(lists).merging(["cut": .array(tabs.filter { self[$0].isCut }.map { .string($0.name) })]))
    }
}

/// The answers of one round of questions. nil: that was not asked.
struct TopReading: Sendable {
    var info: JSON?
    var points: [JSON] = []
    /// The upper ends of the buckets of phases, in seconds.
    var bounds: [Double] = []
    /// Whether the points take the place of all that are known.
    var isWhole = false
    var lists: [TopTab: TopList] = [:]
}

/// The rows of a list, as far as they were asked for.
struct TopList: Sendable, Hashable {
    var items: [JSON] = []
    /// Whether there are more.
    var isCut = false
}
