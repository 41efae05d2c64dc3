import TintypeCore

/// Which server of a Redis Cluster has which slots, as one of the servers knows it. A pure value.
package struct SlotMap: Sendable, Hashable {
    /// The primaries, each once.
    package private(set) var primaries: [SocketAddress] = []
    /// The place of each slot's primary in `primaries`; -1: no server has the slot.
    private var places = [Int16](repeating: -1, count: HashSlot.count)

    package init() {}

    /// Reads the reply to `CLUSTER SLOTS`; nil for any other reply, and for ranges that overlap. A range without a usable address counts as one that no
    /// server has.
    /// - Parameter asked: the server that answered. It may not know its own name, and a name that is null means the same.
    package init?(_ reply: RedisReply, from asked: SocketAddress) {
        guard let ranges = reply.array, ranges.count <= HashSlot.count else { return nil }
        self.init()
        var known: [SocketAddress: Int16] = [:]
        var isTaken = [Bool](repeating: false, count: HashSlot.count)
        for range in ranges {
            guard let words = range.array, words.count >= 3, let first = words[0].int, let last = words[1].int, first >= 0, first <= last,
                last < HashSlot.count, let server = words[2].array, server.count >= 2
            else { return nil }
            for slot in Int(first)...Int(last) {
                if isTaken[slot] { return nil }
                isTaken[slot] = true
            }
            guard let port = server[1].int, let primary = Self.address(server[0].string, port: port, from: asked) else { continue }
            let place = known[primary] ?? Int16(primaries.count)
            if known.updateValue(place, forKey: primary) == nil { primaries.append(primary) }
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
    package private(set) var covered = 0

    /// Returns the map in which these servers have these slots.
    package func moving(_ slots: [Int: SocketAddress]) -> SlotMap {
        let slots = slots.filter { places.indices.contains($0.key) && primary(of: $0.key) != $0.value }
        guard !slots.isEmpty else { return self }
        var map = self
        for (slot, primary) in slots { map.places[slot] = map.place(of: primary) }
        map.compact()
        return map
    }

    /// Returns the map in which each slot has the server that most of the maps name, or none if most know none. If several are named as often, that of
    /// `known` counts, else the first one.
    package static func majority(of maps: [SlotMap], known: SlotMap) -> SlotMap {
        guard let first = maps.first else { return SlotMap() }
        guard maps.contains(where: { $0 != first }) else { return first }
        var map = SlotMap()
        let all = maps + [known]
        let renamed = all.map { one in one.primaries.map { map.place(of: $0) } }
        func place(_ slot: Int, _ index: Int) -> Int16 { all[index].places[slot] < 0 ? -1 : renamed[index][Int(all[index].places[slot])] }
        for slot in map.places.indices {
            let named = place(slot, 0)
            guard maps.indices.contains(where: { place(slot, $0) != named }) else {
                map.places[slot] = named
                continue
            }
            let (votes, old) = (maps.indices.map { place(slot, $0) }, place(slot, maps.count))
            func rank(_ place: Int16) -> (Int, Int, Int) { (votes.count { $0 == place }, place == old ? 1 : 0, place < 0 ? 0 : 1) }
            map.places[slot] = votes.reduce(named) { rank($1) > rank($0) ? $1 : $0 }
        }
        map.compact()
        return map
    }

    /// Maps of hostile servers may name more servers than there are places. The last ones count as none.
    private mutating func place(of primary: SocketAddress) -> Int16 {
        if let known = primaries.firstIndex(of: primary) { return Int16(known) }
        guard primaries.count < Int16.max else { return -1 }
        primaries.append(primary)
        return Int16(primaries.count - 1)
    }

    /// Orders the primaries by their first slots, and drops those without one. So equal maps are equal values.
    private mutating func compact() {
        var kept: [SocketAddress] = []
        covered = 0
        var renamed = [Int16](repeating: -1, count: primaries.count)
        for slot in places.indices where places[slot] >= 0 {
            covered += 1
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

/// The slot of a key in a Redis Cluster: the CRC16 (XMODEM) of the text in its first braces. Without braces, the whole key counts.
///
/// Source: Redis Cluster specification, "Key distribution model" and "Hash tags".
package enum HashSlot {
    /// The number of slots. They begin at 0.
    package static let count = 16_384

    private static let table: [UInt16] = (0..<256).map { byte in
        (0..<8).reduce(UInt16(byte) << 8) { sum, _ in sum & 0x8000 != 0 ? sum << 1 ^ 0x1021 : sum << 1 }
    }

    /// Returns the slot of a key or sharded channel.
    package static func slot(of key: some StringProtocol) -> Int {
        let bytes = Array(key.utf8)
        var part = bytes[...]
        if let open = bytes.firstIndex(of: UInt8(ascii: "{")) {
            let rest = bytes[(open + 1)...]
            // Empty braces count as none.
            if let close = rest.firstIndex(of: UInt8(ascii: "}")), close > rest.startIndex { part = rest[..<close] }
        }
        return Int(part.reduce(UInt16(0)) { sum, byte in sum << 8 ^ table[Int(UInt8(truncatingIfNeeded: sum >> 8) ^ byte)] }) % count
    }
}

extension RedisTag {
    /// The slot of all keys with this tag.
    package var slot: Int { HashSlot.slot(of: prefix) }
}
