import TintypeQueue

/// What was said of fetches that nobody here holds yet. A claim's answer comes by another connection than the control channel, and a cancel
/// that was sent after it may be heard before it: the run would go on until the next beat, for a client that has gone.
///
/// Every worker of a queue hears of every fetch, so most of it is never asked for, and is forgotten after two beats. Where a claim's answer takes
/// longer than that, the next beat brings what was said. A value; the lease keeper's.
struct EarlyMessages {
    /// The most that is remembered from one beat to the next; what is said beyond that the beat brings.
    static let most = 4096

    private var recent: [Held: Set<ControlMessage>] = [:]
    private var older: [Held: Set<ControlMessage>] = [:]

    /// How many fetches something is remembered of.
    var count: Int { recent.count + older.count }

    mutating func note(_ message: ControlMessage, of held: Held) {
        guard recent[held] != nil || recent.count < Self.most else { return }
        recent[held, default: []].insert(message)
    }

    /// What was said of a fetch that is held from now on.
    mutating func take(_ held: Held) -> Set<ControlMessage> {
        if recent.isEmpty, older.isEmpty { return [] }
        return (recent.removeValue(forKey: held) ?? []).union(older.removeValue(forKey: held) ?? [])
    }

    /// A beat is sent: what was noted before the one before it is forgotten.
    mutating func age() { (recent, older) = ([:], recent) }
}
