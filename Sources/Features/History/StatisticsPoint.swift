import Coordinator
import TintypeCore

/// The work of the whole fleet in some seconds, as `stats.series` shows it. A value.
struct StatisticsPoint: Sendable, Hashable {
    /// The end of the time, in whole seconds since 1970.
    let time: Int
    let seconds: Int
    private let added: MetricTotals

    init(time: Int, seconds: Int, _ added: MetricTotals) { (self.time, self.seconds, self.added) = (time, seconds, added) }

    /// Returns one point for several in a row.
    /// - Parameter time: The end of the whole.
    static func joined(_ points: [StatisticsPoint], endingAt time: Int) -> StatisticsPoint {
        StatisticsPoint(time: time, seconds: points.reduce(0) { $0 + $1.seconds }, points.reduce(into: MetricTotals()) { $0.add($1.added) })
    }

    var json: JSONObject {
        [
            "time": JSON(time), "seconds": JSON(seconds), "counts": .object(Self.object(counts)), "phases": .object(phases),
            "errors": .object(Self.object(errors.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })), "formats": .object(formats),
        ]
    }

    var counts: [(name: String, value: Double)] {
        func lookups(_ tier: Substring, _ outcomes: Substring...) -> Double {
            added.sum(of: .cacheLookups) { $0.first == tier && outcomes.contains($0.last ?? "") }
        }
        func fetches(_ outcome: Substring) -> Double { added.sum(of: .fetchesFinished) { $0.last == outcome } }
        return [
            ("requests", added.sum(of: .rpcRequests)), ("pictures", added.sum(of: .httpRequests) { $0.first == "images" } + added.sum(of: .doorRequests)),
            ("submits", added.sum(of: .submits)), ("joined", added.sum(of: .submits) { $0.last == "joined" }),
            ("refused", Self.refusals.reduce(0) { $0 + refused($1) }), ("expired", expired),
            ("memoryHits", lookups("memory", "hit")), ("memoryMisses", lookups("memory", "miss")), ("resultHits", lookups("results", "hit")),
            ("resultMisses", lookups("results", "miss")), ("sourceHits", lookups("sources", "hit", "stale")),
            ("sourceMisses", lookups("sources", "miss", "expired")),
            ("succeeded", fetches("succeeded")), ("failed", fetches("failed")), ("cancelled", fetches("cancelled")), ("retries", fetches("retried")),
            ("bytesFetched", added.sum(of: .downloadBytes)), ("bytesMade", added.sum(of: .resultBytes)),
            ("bytesOfSources", added.sum(of: .sourceBytes)),
            ("crashes", added.sum(of: .pixelExits) { $0 == ["crashed"] || $0 == ["violation"] }), ("callbacks", added.sum(of: .callbacks) { $0 == ["sent"] }),
        ]
    }

    /// The refusals that are no fault of a client.
    private static let refusals = [ErrorName.overloaded, .unavailable]

    private func refused(_ reason: ErrorName) -> Double { added.sum(of: .submits) { $0.last.map(String.init) == reason.rawValue } }

    /// The receipts that the reaper ended at their deadline. Workers do not know of these.
    private var expired: Double { added.sum(of: .reaped) { $0 == ["deadlines"] } }

    /// The failures of runs, of requests that were refused, and of those that waited too long.
    private var errors: [String: Double] {
        // bounded: these are of type Double.
        var errors: [String: Double] = added.all(of: .errors).reduce(into: [:]) { $0[String($1.labels.first ?? ""), default: 0] += $1.numbers.first ?? 0 }
        for (name, number) in Self.refusals.map({ ($0, refused($0)) }) + [(.deadlineExceeded, expired)] where number > 0 {
            errors[name.rawValue, default: 0] += number
        }
        return errors
    }

    /// The bytes of results by format, and those of their sources.
    private var formats: JSONObject {
        func bytes(_ metric: Metric) -> [String: Double] {
            added.all(of: metric).reduce(into: [:]) { $0[String($1.labels.first ?? "")] = $1.numbers.first ?? 0 }
        }
        let ofSources = bytes(.resultSourceBytes)
        return JSONObject(
            bytes(.resultBytes).sorted { $0.key < $1.key }.map { format, made in
                (format, ["bytes": Self.number(made), "ofSources": Self.number(ofSources[format] ?? 0)])
            })
    }

    /// The upper ends of the buckets of all phases, in seconds.
    static let bounds = Metric.fetchPhaseSeconds.description.buckets

    private var phases: JSONObject {
        // A process of another version may have other buckets.
        func whole(_ metric: Metric) -> [(labels: [Substring], numbers: [Double])] {
            added.all(of: metric).filter { $0.numbers.count == Self.bounds.count + 2 }
        }
        var found = whole(.fetchPhaseSeconds).map { (name: String($0.labels.first ?? ""), numbers: $0.numbers) }
        let queued = whole(.fetchQueuedSeconds).map(\.numbers)
        if let first = queued.first {
            found.append(("queue", queued.dropFirst().reduce(first) { sum, next in zip(sum, next).map { $0 + $1 } }))
        }
        return JSONObject(found.sorted { $0.name < $1.name }.map { ($0.name, Self.phase($0.numbers)) })
    }

    /// Shows a histogram. Its buckets are there, so that histograms of several points can be added up: quantiles cannot.
    private static func phase(_ numbers: [Double]) -> JSON {
        let buckets = numbers.dropFirst(2)
        func quantile(_ part: Double) -> JSON { number(Quantile.estimate(part, of: numbers[0], in: buckets, bounds) ?? 0) }
        let first = buckets.firstIndex { $0 > 0 } ?? buckets.endIndex
        let shown = buckets[first...].prefix((buckets.lastIndex { $0 > 0 } ?? first - 1) - first + 1)
        return [
            "count": number(numbers[0]), "sum": number(numbers[1]), "p50": quantile(0.5), "p95": quantile(0.95), "p99": quantile(0.99),
            "buckets": .array(shown.isEmpty ? [] : [JSON(first - 2)] + shown.map(number)),
        ]
    }

    private static func number(_ value: Double) -> JSON { JSON((value * 1e4).rounded() / 1e4) }
    private static func object(_ values: [(name: String, value: Double)]) -> JSONObject { JSONObject(values.map { ($0.name, number($0.value)) }) }
}

/// Decides which ticks of a second make a point, and how many seconds each point holds. A value.
///
/// Points are named by the clock, which may step. Their seconds are those of a clock that never does.
struct PointTimes: Sendable {
    /// The seconds by which the clock may step back without a new begin.
    private static let jitter = 5

    /// The time of the last point, in whole seconds since 1970.
    private var last = 0
    /// The end of the last point, in seconds of a clock that never steps.
    private var end: Double

    /// - Parameter now: The begin of the first point, as in `tick`.
    init(now: Double) { end = now }

    /// The effect of a tick.
    enum Tick: Hashable, Sendable {
        /// Two ticks fall into one second of the clock. The next point has both.
        case none
        /// A point that ends now.
        /// - isFirst: Whether the clock was put back, so that the order of points begins anew.
        case point(seconds: Int, isFirst: Bool)
    }

    /// - Parameters:
    ///   - time: Whole seconds since 1970.
    ///   - now: Seconds of a clock that never steps.
    mutating func tick(at time: Int, now: Double) -> Tick {
        let isFirst = time < last - Self.jitter
        guard isFirst || time > last else { return .none }
        // bounded: by the clock of this process.
        let seconds = max(1, Int((now - end).rounded()))
        (last, end) = (time, now)
        return .point(seconds: seconds, isFirst: isFirst)
    }
}
