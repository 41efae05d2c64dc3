/// Leases, deadlines and waits that ended long ago and that the reaper has not handled. They are no invariants: invariants hold after every script, but
/// this check needs a coordinator that has served the queue for a while.
package enum OverdueWork {
    /// Seconds after which the reaper must have come. It runs each second, and waits for one lease after an outage.
    package static let patience = 60.0

    /// Returns a sentence for each queue, list and kind of delay that nobody handles; empty if all is well.
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
