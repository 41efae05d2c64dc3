import TintypeImages

/// The times after which a queue gives up silent workers and coordinators. All derive from one time, the lease, so they cannot contradict each other.
///
/// Coordinators and workers of a queue need the same lease. A coordinator with a shorter one may count a live worker as dead after an outage of Redis.
/// That costs a run its attempt, but no result.
package struct QueueTimes: Sendable, Hashable {
    package static let standard = QueueTimes(lease: .seconds(10))

    /// The time for which a run belongs to its worker without a heartbeat. The same time applies to coordinators with groups and receipts.
    package let lease: Duration

    package init(lease: Duration) { self.lease = lease }

    /// The interval between two heartbeats of a worker. Three of them fit in a lease, so one may be lost. Heartbeats also bring cancellations that were
    /// missed, so a long lease makes them no rarer than each 3 s.
    package var heartbeat: Duration { min(.seconds(3), lease * 3 / 10) }
    /// The time without a successful heartbeat after which a worker gives up its runs by itself, before another worker may have them.
    package var patience: Duration { lease * 8 / 10 }
    /// The interval between two renewals of the leases of groups.
    package var groupRenewal: Duration { min(.seconds(2), lease / 5) }
    /// The interval between two heartbeats of a coordinator. If one is silent for a lease, others take over its receipts (`silent` in receipts.lua).
    package var greeting: Duration { min(.seconds(2), lease / 5) }
    /// The silence after which a coordinator is dead, and its clients are gone. It is a lease, plus the 30 s for which a receipt waits for a client
    /// that has left.
    package var coordinatorSilence: Duration { lease + .seconds(30) }
}

extension FetchOptions.Timeouts {
    /// The form that the scripts compare: connect, idle and total in milliseconds.
    var queued: String { [connect, idle, total].map { String(Queue.milliseconds($0)) }.joined(separator: " ") }

    /// Reads the text of `queued`; nil for anything else.
    init?(queued text: String) {
        let numbers = text.split(separator: " ").compactMap { Double($0) }
        guard numbers.count == 3, numbers.allSatisfy({ (0...1e13).contains($0) }) else { return nil }
        self.init()
        (connect, idle, total) = (numbers[0] / 1000, numbers[1] / 1000, numbers[2] / 1000)
    }
}

/// Leases, deadlines and waits that ended long ago and that the reaper has not handled. They are no invariants: invariants hold after every script, but
/// this check needs a coordinator that has served the queue for a while.
package enum OverdueWork {
    /// Seconds after which the reaper must have come. It runs each second, and waits for one lease after an outage.
    package static let patience = 60.0

    /// Returns a sentence for each queue, list and kind of delay that is not handled; empty if all is well.
    package static func violations(in dump: QueueDump) -> [String] {
        let limit = Double(dump.now) - patience * 1000
        return [("run", "the lease of fetch"), ("dl", "the deadline of receipt"), ("delay", "the wait of fetch"), ("gl", "the lease of group")]
            .compactMap { key, name in
                // A group that was given up has its time as a negative score.
                let overdue = dump.scores(key).mapValues(abs).filter { $0.value < limit }
                guard let first = overdue.min(by: { $0.value < $1.value }) else { return nil }
                let seconds = Int(((Double(dump.now) - first.value) / 1000).clamped(to: 0...1e15))  // bounded: by the clamp
                return "Q14: \(name) \(first.key) ended \(seconds) s ago and the reaper has not handled it (\(overdue.count) such)"
            }
    }
}
