/// The servers that refusals have named for slots in the last seconds. A pure value.
///
/// The server that refuses knows of a move before most others do. So for a while, its word counts more than their maps.
package struct MovedSlots: Sendable {
    /// How long a refusal counts. Servers of a cluster tell each other of a move within a second or two.
    package static let time = Duration.seconds(3)

    private var owners: [Int: (server: SocketAddress, until: ContinuousClock.Instant)] = [:]

    package init() {}

    /// Notes that a server has a slot, as a refusal has told.
    package mutating func note(_ slot: Int, at server: SocketAddress, now: ContinuousClock.Instant) {
        if (0..<HashSlot.count).contains(slot) { owners[slot] = (server, now + Self.time) }
    }

    /// Forgets what refusals told of a server that has failed: its slots may have a new primary.
    package mutating func forget(_ server: SocketAddress) { owners = owners.filter { $0.value.server != server } }

    /// Returns a map with the slots whose refusals still count, and forgets the others.
    package mutating func applied(to map: SlotMap, now: ContinuousClock.Instant) -> SlotMap {
        if owners.isEmpty { return map }
        owners = owners.filter { $0.value.until > now }
        return map.moving(owners.mapValues(\.server))
    }
}
