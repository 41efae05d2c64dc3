import Coordinator
import TintypeCore

/// The totals of all processes as they were last heard, and what has been added since they were last taken. A value.
///
/// Totals come every few seconds. Their additions are spread over as many seconds, so that a chart by the second shows a rate and no spikes.
struct FleetTotals: Sendable {
    private struct Owed {
        let each: MetricTotals
        var seconds: Int
    }

    /// The seconds over which the additions of one message are spread: the interval of heartbeats.
    static let spread = 3

    private var known: [String: MetricTotals] = [:]
    private var owed: [Owed] = []

    /// Takes over the totals of a process. Those that are heard first count from here on.
    /// - Parameter isSpread: whether they come every few seconds.
    mutating func take(_ totals: MetricTotals, of process: String, isSpread: Bool = true) {
        let before = known.updateValue(totals, forKey: process)
        guard let before else { return }
        let added = totals.since(before)
        guard !added.isEmpty else { return }
        owed.append(isSpread ? Owed(each: added.divided(by: Double(Self.spread)), seconds: Self.spread) : Owed(each: added, seconds: 1))
    }

    /// Forgets all processes of one kind but these.
    mutating func keep(where isThere: (String) -> Bool) { known = known.filter { isThere($0.key) } }

    /// Returns what was added in the seconds that are over.
    mutating func added(in seconds: Int) -> MetricTotals {
        var sum = second()
        for _ in 1..<max(1, seconds) where !owed.isEmpty { sum.add(second()) }
        return sum
    }

    /// Returns what was added in one second, which is over.
    mutating func second() -> MetricTotals {
        var sum = MetricTotals()
        for index in owed.indices {
            sum.add(owed[index].each)
            owed[index].seconds -= 1
        }
        owed.removeAll { $0.seconds <= 0 }
        return sum
    }
}

/// Decides when the workers and the queues are read, one look at a time. A value.
///
/// A look may take longer than a second. One that becomes due meanwhile is not lost: workers are due at every third tick only, and slow queues would
/// fall on just these.
struct PollSchedule: Sendable {
    /// The subjects of a look.
    struct Poll: Hashable, Sendable {
        let atWorkers, atQueues: Bool
    }

    private var areWorkersDue = false
    private var isLooking = false

    /// Returns the look that begins now; nil if nothing is due, or while another look goes on.
    mutating func begin(atWorkers: Bool, atQueues: Bool) -> Poll? {
        areWorkersDue = areWorkersDue || atWorkers
        guard !isLooking, areWorkersDue || atQueues else { return nil }
        defer { (isLooking, areWorkersDue) = (true, false) }
        return Poll(atWorkers: areWorkersDue, atQueues: atQueues)
    }

    mutating func end() { isLooking = false }
}
