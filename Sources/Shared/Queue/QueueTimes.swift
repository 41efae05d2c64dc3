/// How long a queue bears with whoever is silent: all from one time, the lease, so that no two of them can contradict each other.
///
/// Coordinators and workers of a queue need the same lease. A coordinator with a shorter one may take a live worker for dead after an
/// outage of Redis, which costs a run its attempt and no result.
package struct QueueTimes: Sendable, Hashable {
    /// As programs have them that are told nothing else.
    package static let standard = QueueTimes(lease: .seconds(10))

    /// For so long a run is its worker's without a heartbeat, and groups and receipts are their coordinator's.
    package let lease: Duration

    package init(lease: Duration) { self.lease = lease }

    /// Between two heartbeats of a worker: three in a lease, so that one may be lost. They bring cancellations that were missed, too, so that a
    /// long lease makes them no rarer.
    package var heartbeat: Duration { min(.seconds(3), lease * 3 / 10) }
    /// After so long without a good heartbeat a worker gives its runs up by itself, before another one may have them.
    package var patience: Duration { lease * 8 / 10 }
    /// Between two renewals of the leases of groups.
    package var groupRenewal: Duration { min(.seconds(2), lease / 5) }
    /// Between two greetings of a coordinator. One that has not greeted for a lease has others look after its receipts (`silent` in receipts.lua).
    package var greeting: Duration { min(.seconds(2), lease / 5) }
    /// After this silence a coordinator is gone, and so are its clients: a lease, and the half minute that a receipt waits for a client that has left.
    package var coordinatorSilence: Duration { lease + .seconds(30) }
}
