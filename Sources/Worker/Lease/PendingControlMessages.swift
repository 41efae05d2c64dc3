import TintypeQueue

/// Messages about fetches that this worker does not hold yet. A claim's answer and the control channel use different connections, so a cancel that was
/// sent after the claim may arrive first. Without this record the run would go on until the next heartbeat, for a client that has gone.
///
/// Every worker of a queue hears about every fetch, so most messages are never needed. They are forgotten after two heartbeats. If a claim's answer takes
/// longer, the next heartbeat brings the message again. A value; belongs to the lease keeper.
struct PendingControlMessages {
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
