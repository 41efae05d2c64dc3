/// A cache in memory with a price for each value: least recently used goes first. A pure value; its owner decides the thread.
///
/// High and low water as in AFNetworking's auto-purging image cache: when a new value lifts the cost over `capacity`, the
/// least recently used go until at most `lowWater` is left, so that a full cache does not evict on every put. The same by number.
package struct MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Node {
        var key: Key
        var value: Value
        var cost: Int
        /// Towards more recent use; -1 at the end.
        var newer = -1
        /// Towards less recent use; -1 at the end.
        var older = -1
    }

    /// The highest cost held, in the unit of the caller (bytes).
    package let capacity: Int
    /// What a purge leaves at most.
    package let lowWater: Int
    /// How many values are held at most.
    package let maxCount: Int
    /// How many a purge leaves at most.
    private let lowCount: Int
    private let percent: Int
    /// The cost of all values held.
    package private(set) var cost = 0

    private var nodes: [Node?] = []
    private var free: [Int] = []
    private var places: [Key: Int] = [:]
    private var newest = -1
    private var oldest = -1

    /// Defaults: 100 MiB and 60 %. A capacity of 0 keeps nothing.
    /// - Parameter percent: what a purge leaves, of the capacity and of the number.
    package init(capacity: Int = 100 << 20, lowWater percent: Int = 60, maxCount: Int = .max) {
        self.capacity = max(0, capacity)
        self.maxCount = max(0, maxCount)
        self.percent = min(max(percent, 1), 100)
        (lowWater, lowCount) = (Self.part(self.percent, of: self.capacity), max(1, Self.part(self.percent, of: self.maxCount)))
    }

    private static func part(_ percent: Int, of whole: Int) -> Int { whole / 100 * percent + whole % 100 * percent / 100 }

    /// How many values are held.
    package var count: Int { places.count }

    /// The value, which becomes the most recently used.
    package mutating func value(for key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        if place != newest {
            unlink(place)
            linkAsNewest(place)
        }
        return nodes[place]?.value
    }

    /// The value, its place in the order unchanged.
    package func peek(_ key: Key) -> Value? {
        places[key].flatMap { nodes[$0]?.value }
    }

    /// Keeps the value as the most recently used, in place of an older one of the key, and purges if need be. A value
    /// that costs more than the low water is not kept: making room for it would empty the cache.
    /// - Returns: the keys purged.
    @discardableResult
    package mutating func insert(_ value: Value, for key: Key, cost price: Int) -> [Key] {
        precondition(price >= 0, "a cost is not negative")
        remove(key)
        guard price <= lowWater, capacity > 0, maxCount > 0 else { return [] }
        let node = Node(key: key, value: value, cost: price)
        let place = free.popLast() ?? nodes.count
        if place == nodes.count { nodes.append(node) } else { nodes[place] = node }
        places[key] = place
        linkAsNewest(place)
        cost += price
        return cost > capacity || count > maxCount ? purge(to: lowWater, count: lowCount) : []
    }

    /// Forgets one value and returns its cost, 0 when there was none.
    @discardableResult
    package mutating func remove(_ key: Key) -> Int {
        guard let place = places.removeValue(forKey: key) else { return 0 }
        unlink(place)
        let price = nodes[place]?.cost ?? 0
        nodes[place] = nil
        free.append(place)
        cost -= price
        return price
    }

    /// Forgets everything.
    package mutating func removeAll() {
        self = MemoryCache(capacity: capacity, lowWater: percent, maxCount: maxCount)
    }

    /// The keys of the values for which `test` holds, in no order.
    package func keys(where test: (Value) -> Bool) -> [Key] {
        nodes.compactMap { node in node.flatMap { test($0.value) ? $0.key : nil } }
    }

    /// Forgets the least recently used until the cost is at most `limit`, and no more than `most` are left; returns their keys, oldest first.
    @discardableResult
    package mutating func purge(to limit: Int, count most: Int = .max) -> [Key] {
        var purged: [Key] = []
        while cost > limit || count > most, oldest >= 0, let key = nodes[oldest]?.key {
            remove(key)
            purged.append(key)
        }
        return purged
    }

    private mutating func linkAsNewest(_ place: Int) {
        nodes[place]?.older = newest
        nodes[place]?.newer = -1
        if newest >= 0 { nodes[newest]?.newer = place } else { oldest = place }
        newest = place
    }

    private mutating func unlink(_ place: Int) {
        guard let node = nodes[place] else { return }
        if node.newer >= 0 { nodes[node.newer]?.older = node.older } else { newest = node.older }
        if node.older >= 0 { nodes[node.older]?.newer = node.newer } else { oldest = node.newer }
    }
}
