/// Which server of a Redis Cluster has which slots, as one of the servers knows it. A pure value.
package struct SlotMap: Sendable, Hashable {
    /// The primaries, each once.
    package private(set) var primaries: [SocketAddress] = []
    /// The place of each slot's primary in `primaries`; -1: no server has the slot.
    private var places = [Int16](repeating: -1, count: HashSlot.count)

    package init() {}

    /// Reads the reply to `CLUSTER SLOTS`; nil for any other reply. A range without a usable address counts as one that no server has.
    /// - Parameter asked: the server that answered. It may not know its own name, and a name that is null means the same.
    package init?(_ reply: RedisReply, from asked: SocketAddress) {
        guard let ranges = reply.array else { return nil }
        self.init()
        for range in ranges {
            guard let words = range.array, words.count >= 3, let first = words[0].int, let last = words[1].int, first >= 0, first <= last,
                last < HashSlot.count, let server = words[2].array, server.count >= 2
            else { return nil }
            guard let port = server[1].int, let primary = Self.address(server[0].string, port: port, from: asked) else { continue }
            let place = self.place(of: primary)
            for slot in Int(first)...Int(last) { places[slot] = place }
        }
        compact()
    }

    /// Returns an address of a cluster's answer; nil if it has none.
    static func address(_ host: String?, port: Int64, from asked: SocketAddress) -> SocketAddress? {
        guard let port = UInt16(exactly: port), port > 0, host != "?" else { return nil }
        if let host, !host.isEmpty { return .tcp(host: host, port: port) }
        guard case .tcp(let host, _) = asked else { return nil }
        return .tcp(host: host, port: port)
    }

    /// The server that has a slot; nil: none is known.
    package func primary(of slot: Int) -> SocketAddress? { places[slot] < 0 ? nil : primaries[Int(places[slot])] }

    /// The number of slots that have a server.
    package var covered: Int { places.count { $0 >= 0 } }

    /// Notes that a server has a slot, as another server has told.
    package mutating func move(_ slot: Int, to primary: SocketAddress) {
        guard places.indices.contains(slot), self.primary(of: slot) != primary else { return }
        places[slot] = place(of: primary)
        compact()
    }

    private mutating func place(of primary: SocketAddress) -> Int16 {
        if let known = primaries.firstIndex(of: primary) { return Int16(known) }
        primaries.append(primary)
        return Int16(primaries.count - 1)
    }

    /// Orders the primaries by their first slots, and drops those without one. So equal maps are equal values.
    private mutating func compact() {
        var kept: [SocketAddress] = []
        var renamed = [Int16](repeating: -1, count: primaries.count)
        for slot in places.indices where places[slot] >= 0 {
            let old = Int(places[slot])
            if renamed[old] < 0 {
                renamed[old] = Int16(kept.count)
                kept.append(primaries[old])
            }
            places[slot] = renamed[old]
        }
        primaries = kept
    }
}
