import Console
import TintypeCore

/// The rates, phases and caches that the points tell.
extension TopSnapshot {
    /// The seconds over which rates are averaged. Workers tell their totals every three seconds.
    private static let window = 10
    /// The points of a minute.
    private static let minute = 60

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

    /// A tier of the caches, with the part of its questions that it answered.
    struct Tier: Sendable, Hashable {
        let name: String
        /// nil without questions.
        let hits: Double?
    }

    /// The tiers in the order in which they are asked, over all known points: the last five minutes.
    var tiers: [Tier] {
        [("memory", "memory"), ("results", "result"), ("sources", "source")].map { name, count in
            let (hits, misses) = (sum(count + "Hits", of: points), sum(count + "Misses", of: points))
            return Tier(name: name, hits: hits + misses > 0 ? max(0, min(1, hits / (hits + misses))) : nil)
        }
    }

    /// The counts that tell of trouble: runs that failed, receipts that ended at their deadline in the queue, refused requests.
    static let troubles = ["failed", "expired", "refused"]

    /// The sum of a count over the last minute.
    func lastMinute(_ name: String) -> Double { sum(name, of: points.suffix(Self.minute)) }

    private func sum(_ name: String, of points: some Sequence<JSON>) -> Double { points.reduce(0) { $0 + ($1["counts"]?[name]?.double ?? 0) } }

    /// A phase of the fetches of the last minute.
    struct Phase: Sendable, Hashable {
        let name: String
        let count: Double
        /// The average, in seconds.
        let mean: Double
        /// The part of all phases together.
        let share: Double
        /// Seconds that half, 95 % and 99 % of the times do not exceed; nil without buckets.
        /// Those of `firstByte` and `download` begin with the download, as the buckets of the service do.
        let p50, p95, p99: Double?
    }

    /// The phases of the last minute, the longest first. No share or mean contains that of another.
    var phases: [Phase] {
        var all: [String: PhaseHistogram] = [:]
        for point in points.suffix(Self.minute) {
            for (name, phase) in point["phases"]?.object?.members ?? [] { all[name, default: PhaseHistogram()].add(phase) }
        }
        var sums = all.mapValues(\.sum)
        let transfer = TransferParts { [sums] in sums[$0] ?? 0 }
        sums["firstByte"] = transfer.firstByte
        sums["download"] = transfer.download
        let whole = sums.values.reduce(0, +)
        let phases = all.filter { $0.value.count > 0 }.map { name, times in
            let sum = sums[name] ?? 0
            func quantile(_ part: Double) -> Double? { times.quantile(part, bounds) }
            return Phase(
                name: name, count: times.count, mean: sum / times.count, share: whole > 0 ? sum / whole : 0, p50: quantile(0.5), p95: quantile(0.95),
                p99: quantile(0.99))
        }
        return phases.sorted { ($0.share, $1.name) > ($1.share, $0.name) }
    }
}
