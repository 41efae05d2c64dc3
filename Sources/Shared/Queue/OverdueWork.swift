/// What the reaper should have seen to long ago: a lease, a deadline or a wait that ended and was left as it was. Not among the invariants,
/// which hold after every script: this one needs a coordinator that has looked after the queue for a while.
package enum OverdueWork {
    /// Seconds after which somebody should have come: the reaper looks each second, and waits for a lease after an outage.
    package static let patience = 60.0

    /// - Returns: a sentence for each queue, list and kind of delay that nobody looks after; empty if all is well.
    package static func violations(in dump: QueueDump) -> [String] {
        let limit = Double(dump.now) - patience * 1000
        return [("run", "the lease of fetch"), ("dl", "the deadline of receipt"), ("delay", "the wait of fetch"), ("gl", "the lease of group")]
            .compactMap { key, name in
                // What was given up says when, below 0.
                let overdue = dump.scores(key).mapValues(abs).filter { $0.value < limit }
                guard let first = overdue.min(by: { $0.value < $1.value }) else { return nil }
                let seconds = Int((Double(dump.now) - first.value) / 1000)
                return "Q14: \(name) \(first.key) ended \(seconds) s ago and nobody has seen to it (\(overdue.count) such)"
            }
    }
}
