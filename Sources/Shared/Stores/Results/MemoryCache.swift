/// A cache in memory with a cost for each value; the least recently used value goes first. A pure value; its owner decides the thread.
///
/// It has a high and a low water mark, as AFNetworking's auto-purging image cache. When a new value lifts the cost over `capacity`, the least recently
/// used values go until at most `lowWater` is left. So a full cache does not evict on every insertion. The same applies to the number of values.
/// Beyond the capacity itself, an insertion evicts at most a few hundred, and the next insertions evict the others: no insertion takes long.
package struct MemoryCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Node {
        var key: Key
        var value: Value
        var cost: Int
        /// The next more recently used value; -1 at the end.
        var newer = -1
        /// The next less recently used value; -1 at the end.
        var older = -1
    }

    /// The maximum total cost, in the unit of the caller (bytes).
    package let capacity: Int
    /// The maximum cost after a removal for lack of room.
    package let lowWater: Int
    package let maxCount: Int
    /// The maximum number of values after a removal for lack of room.
    private let lowCount: Int
    private let percent: Int
    package private(set) var cost = 0

    private var nodes: [Node?] = []
    private var free: [Int] = []
    private var places: [Key: Int] = [:]
    private var newest = -1
    /// Whether values go until the low water mark.
    private var isEvicting = false
    /// The most values that an insertion evicts for the low water mark.
    private static var mostEvicted: Int { 256 }
    private var oldest = -1

    /// Defaults: 100 MiB and 60 %. A capacity of 0 keeps nothing.
    /// - Parameter percent: the part of the capacity and of the number that a removal for lack of room leaves.
    package init(capacity: Int = 100 << 20, lowWater percent: Int = 60, maxCount: Int = .max) {
        self.capacity = max(0, capacity)
        self.maxCount = max(0, maxCount)
        self.percent = min(max(percent, 1), 100)
        (lowWater, lowCount) = (Self.part(self.percent, of: self.capacity), max(1, Self.part(self.percent, of: self.maxCount)))
    }

    private static func part(_ percent: Int, of whole: Int) -> Int { whole / 100 * percent + whole % 100 * percent / 100 }

    package var count: Int { places.count }
    /// The keys of all values, in no order.
    package var keys: [Key] { Array(places.keys) }

    /// Returns the value, which becomes the most recently used.
    package mutating func value(for key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        if place != newest {
            unlink(place)
            linkAsNewest(place)
        }
        return nodes[place]?.value
    }

    /// Returns the value without changing its place in the order.
    package func peek(_ key: Key) -> Value? {
        places[key].flatMap { nodes[$0]?.value }
    }

    /// Keeps the value as the most recently used, in place of an older one of the key. If there is no room, the least recently used ones go. A value that
    /// costs more than the low water mark is not kept: making room for it would empty the cache.
    /// - Returns: the removed keys.
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
        isEvicting = isEvicting || isOver
        return isEvicting ? evict() : []
    }

    private var isOver: Bool { cost > capacity || count > maxCount }

    /// Removes a value and returns its cost, 0 if there was none.
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

    package mutating func removeAll() {
        self = MemoryCache(capacity: capacity, lowWater: percent, maxCount: maxCount)
    }

    /// Looks at some of the values, in no order. A value that is there during all steps of a walk is looked at once.
    /// - Parameters:
    ///   - start: 0, or where the step before has ended.
    ///   - most: the most values to look at.
    /// - Returns: the keys of the values for which `test` is true, and the start of the next step; nil after the last one.
    package func keys(from start: Int, most: Int, where test: (Value) -> Bool) -> (keys: [Key], next: Int?) {
        let end = min(nodes.count, start + most)
        let keys: [Key] = start < end ? nodes[start..<end].compactMap { node in node.flatMap { test($0.value) ? $0.key : nil } } : []
        return (keys, end < nodes.count ? end : nil)
    }

    /// Removes the least recently used values until the capacity suffices, and then some of those above the low water mark.
    /// - Returns: their keys, oldest first.
    private mutating func evict() -> [Key] {
        var removed: [Key] = []
        while cost > lowWater || count > lowCount, isOver || removed.count < Self.mostEvicted, oldest >= 0, let key = nodes[oldest]?.key {
            remove(key)
            removed.append(key)
        }
        isEvicting = cost > lowWater || count > lowCount
        return removed
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
