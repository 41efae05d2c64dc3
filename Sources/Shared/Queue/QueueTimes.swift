/// The times after which a queue gives up silent workers and coordinators. All derive from one time, the lease, so they cannot contradict each other.
///
/// Coordinators and workers of a queue need the same lease. A coordinator with a shorter one may count a live worker as dead after an outage of Redis.
/// That costs a run its attempt, but no result.
package struct QueueTimes: Sendable, Hashable {
    /// The default times.
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
