import TintypeQueue

/// Messages about fetches that this worker does not hold yet. A claim's answer and the control channel use different connections, so a cancel that was
/// sent after the claim may arrive first. Without this record the run would go on until the next heartbeat, for a client that has gone.
///
/// Every worker of a queue hears about every fetch, so most messages are never needed. They are forgotten after two heartbeats. If a claim's answer takes
/// longer, the next heartbeat brings the message again. A value; belongs to the lease keeper.
struct EarlyMessages {
    /// The most fetches that are remembered between two heartbeats. The heartbeat brings messages beyond it.
    static let most = 4096

    private var recent: [RunLease: Set<ControlMessage>] = [:]
    private var older: [RunLease: Set<ControlMessage>] = [:]

    /// The number of remembered fetches.
    var count: Int { recent.count + older.count }

    mutating func note(_ message: ControlMessage, of lease: RunLease) {
        guard recent[lease] != nil || recent.count < Self.most else { return }
        recent[lease, default: []].insert(message)
    }

    /// Removes and returns the messages about a fetch that is held from now on.
    mutating func take(_ lease: RunLease) -> Set<ControlMessage> {
        if recent.isEmpty, older.isEmpty { return [] }
        return (recent.removeValue(forKey: lease) ?? []).union(older.removeValue(forKey: lease) ?? [])
    }

    /// Ages the messages when a heartbeat is sent: those from before the previous heartbeat are forgotten.
    mutating func age() { (recent, older) = ([:], recent) }
}

/// The reason why a worker stops a run before it is done.
package enum LeaseEnd: Sendable, Hashable {
    /// Nobody wants the fetch any more. The run is finished as canceled.
    case cancelled
    /// Another worker holds the fetch by now. The run must not be finished.
    case lost
    /// No heartbeat succeeded for 8 s, so another worker may soon hold the fetch. The run stops and is released as soon as Redis answers.
    case expired
    /// The worker stops. The fetch is released, and no attempt is counted.
    case givenBack
    /// A fetch of another client waits for the place. This one is released, and no attempt is counted. The lease is kept until then.
    case yielded
}
