import TintypeStores
import Testing

@Suite(.timeLimit(.minutes(1))) struct MemoryCacheTests {
    @Test func `above high water the least recently used go until low water is reached`() {
        var cache = MemoryCache<Int, String>(capacity: 100, lowWater: 60)
        for number in 0..<10 { #expect(cache.insert("\(number)", for: number, cost: 10).isEmpty) }
        #expect(cache.value(for: 0) == "0")
        #expect(cache.insert("10", for: 10, cost: 10) == [1, 2, 3, 4, 5])
        #expect(cache.cost == 60)
        #expect(cache.value(for: 0) == "0")
        #expect(cache.value(for: 1) == nil)
        #expect(cache.count == 6)
    }

    @Test func `above a number the least recently used go too`() {
        var cache = MemoryCache<Int, Int>(capacity: 1000, maxCount: 10)
        for number in 0..<10 { #expect(cache.insert(number, for: number, cost: 1).isEmpty) }
        #expect(cache.value(for: 0) == 0)
        #expect(cache.insert(10, for: 10, cost: 1) == [1, 2, 3, 4, 5])
        #expect(cache.count == 6 && cache.cost == 6 && cache.peek(0) == 0)
        #expect(cache.keys.sorted() == [0, 6, 7, 8, 9, 10])
    }

    @Test func `an insertion evicts a few hundred beyond what it needs, and the next ones the others`() {
        var cache = MemoryCache<Int, Int>(capacity: 10_000, lowWater: 60)
        for number in 0..<10_000 { #expect(cache.insert(number, for: number, cost: 1).isEmpty) }
        var gone: [Int] = []
        var steps = 0
        while cache.cost > 6000 {
            let evicted = cache.insert(steps, for: 10_000 + steps, cost: 1)
            #expect((1...256).contains(evicted.count) && cache.cost <= 10_000)
            (gone, steps) = (gone + evicted, steps + 1)
        }
        #expect(gone == Array(0..<gone.count) && steps == 16)
        #expect(cache.insert(0, for: -1, cost: 1).isEmpty, "above low water again")
        // Values that do not fit go in any case.
        #expect(cache.insert(0, for: -2, cost: 5999).count > 1000 && cache.cost <= 10_000)
    }

    @Test func `a walk in steps sees each value that stays once, whatever is replaced or removed meanwhile`() {
        var cache = MemoryCache<Int, Int>(capacity: 10_000)
        for number in 0..<1000 { cache.insert(number, for: number, cost: 1) }
        var seen: [Int] = []
        var next: Int? = 0
        while let start = next {
            let step = cache.keys(from: start, most: 64) { _ in true }
            #expect(step.keys.count <= 64)
            seen += step.keys
            for key in step.keys.prefix(8) { cache.remove(key) }
            for key in stride(from: 0, to: 1000, by: 100) where cache.peek(key) != nil { cache.insert(-1, for: key, cost: 1) }
            next = step.next
        }
        #expect(seen.sorted() == Array(0..<1000))
        cache.removeAll()
        #expect(cache.keys(from: 64, most: 64) { _ in true }.next == nil)
    }

    @Test func `replacing a value corrects the cost, removing gives it back, peeking changes nothing`() {
        var cache = MemoryCache<String, Int>(capacity: 30, lowWater: 67)
        cache.insert(1, for: "a", cost: 10)
        cache.insert(2, for: "a", cost: 5)
        cache.insert(3, for: "b", cost: 10)
        #expect(cache.cost == 15)
        #expect(cache.peek("a") == 2)
        #expect(cache.insert(4, for: "c", cost: 20) == ["a", "b"])
        #expect(cache.remove("c") == 20)
        #expect(cache.remove("c") == 0)
        #expect(cache.cost == 0 && cache.count == 0)
    }

    @Test func `a value too large for the cache evicts nothing, and an older value of its key goes`() {
        var cache = MemoryCache<String, Int>(capacity: 100)
        #expect(cache.lowWater == 60)
        cache.insert(1, for: "small", cost: 10)
        cache.insert(2, for: "big", cost: 10)
        cache.insert(3, for: "big", cost: 61)
        #expect(cache.value(for: "big") == nil)
        #expect(cache.value(for: "small") == 1)
        let all = MemoryCache<String, Int>(capacity: .max, lowWater: 100)
        #expect(all.lowWater == .max)
        var none = MemoryCache<String, Int>(capacity: 0)
        none.insert(1, for: "a", cost: 0)
        #expect(none.count == 0)
    }

    @Test(arguments: 1...20) func `the cache agrees with a plain list under random use`(seed: UInt64) {
        var random = Generator(state: seed)
        var cache = MemoryCache<Int, Int>(capacity: 500, lowWater: 60)
        var list: [(key: Int, value: Int, cost: Int)] = []  // oldest first
        for step in 0..<2000 {
            let key = Int.random(in: 0..<40, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let cost = Int.random(in: 0...120, using: &random)
                cache.insert(step, for: key, cost: cost)
                list.removeAll { $0.key == key }
                list.append((key, step, cost))
                if list.reduce(0, { $0 + $1.cost }) > 500 { while list.reduce(0, { $0 + $1.cost }) > 300 { list.removeFirst() } }
            case 5..<9:
                #expect(cache.value(for: key) == list.first { $0.key == key }?.value)
                if let index = list.firstIndex(where: { $0.key == key }) { list.append(list.remove(at: index)) }
            default:
                #expect(cache.remove(key) == list.first { $0.key == key }?.cost ?? 0)
                list.removeAll { $0.key == key }
            }
            #expect(cache.count == list.count && cache.cost == list.reduce(0) { $0 + $1.cost })
        }
    }

    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }
}
