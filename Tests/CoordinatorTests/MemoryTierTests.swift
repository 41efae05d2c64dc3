import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
import TestSupport
import Testing

@testable import Coordinator

/// Deferred updates of the memory tier.
@Suite(.timeLimit(.minutes(1))) struct MemoryTierTests {
    struct Access: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let ask: @Sendable @Loop (MemoryTier) async -> Void
    }

    static let accesses: [Access] = [
        Access(testDescription: "knows") { _ = $0.knows(["k"]) },
        Access(testDescription: "miss") { _ = $0.miss(["k"], ttl: nil) },
        Access(testDescription: "verified") { _ = $0.verified(["k"]) },
        Access(testDescription: "entry") { _ = $0.entry("k") },
        Access(testDescription: "isVerified") { _ = $0.isVerified("k") },
        Access(testDescription: "statistics") { _ = $0.statistics },
        Access(testDescription: "remember an image") { tier in
            tier.remember(StoredImage(key: "k", contentType: "image/png", info: [:], source: [:], bytes: [1], storedAt: 0))
        },
        Access(testDescription: "remember renditions") { $0.remember(renditions: [], source: .null) },
        Access(testDescription: "forget others") { $0.forget(otherThan: []) },
        Access(testDescription: "verified") { $0.verified("k") },
        Access(testDescription: "unverified") { $0.markUnverified("k") },
        Access(testDescription: "markAllUnverified") { $0.markAllUnverified() },
        Access(testDescription: "remove") { $0.remove("k") },
        Access(testDescription: "clear") { _ = $0.clear() },
        Access(testDescription: "trim") { await $0.trim() },
    ]

    @Test(arguments: accesses)
    @Loop func `deferred updates run in order before any access`(_ access: Access) async {
        let tier = MemoryTier(capacity: 1 << 20, metrics: Metrics())
        var done: [Int] = []
        for number in 1...3 { tier.soon { done.append(number) } }
        #expect(done.isEmpty)
        await access.ask(tier)
        #expect(done == [1, 2, 3])
    }

    @Test @Loop func `an entry that was removed after a deferred update stays removed`() {
        let tier = MemoryTier(capacity: 1 << 20, metrics: Metrics())
        tier.soon { tier.remember(renditions: [["key": "k", "sha256": "00", "bytes": 1]], source: .null) }
        tier.remove("k")
        #expect(tier.entry("k") == nil)
    }

    @Test @Loop func `an image that was read before its own removal is not kept, and others are`() {
        let tier = MemoryTier(capacity: 1 << 20, metrics: Metrics())
        func isKept(_ key: String, readAt removals: Int) -> Bool {
            tier.remember(StoredImage(key: key, contentType: "image/png", info: [:], source: [:], bytes: [1], storedAt: 0), readAt: removals)
            return tier.entry(key) != nil
        }
        let before = tier.removals
        tier.remove("k")
        #expect(!isKept("k", readAt: before) && isKept("other", readAt: before) && isKept("k", readAt: tier.removals))
        // Removals that are forgotten count for every image that was read before them.
        for number in 0..<5000 { tier.remove("\(number)") }
        #expect(!isKept("third", readAt: before) && isKept("third", readAt: tier.removals))
    }

    /// Without the optimizer, a look at so many entries takes longer than a turn may.
    @Test(.scoped, .freesLoop) @Loop func `purges and trims of a hundred thousand entries leave the loop free`() async {
        let clock = HandClock()
        let tier = MemoryTier(capacity: 1 << 30, age: .seconds(60), metrics: Metrics(), now: { clock.now })
        func fill(_ numbers: Range<Int>) async {
            for number in numbers {
                let url = "https://\(number % 2 == 0 ? "even" : "Odd").test/\(number)"
                tier.remember(
                    renditions: [["key": .string("\(number)")]], source: ["url": .string(url), "finalURL": .string(url)], tags: number % 10 == 0 ? ["ten"] : [])
                if number % 500 == 0 { await Task.yield() }
            }
        }
        func target(_ prefix: String) -> PurgeTarget { try! PurgeTarget(prefix: prefix) }
        await fill(0..<100_000)
        #expect(await tier.purge(target("https://none.test/")).count == 0)
        #expect(await tier.purge(tag: "ten").count == 10_000)
        // An older result that comes during a walk is not kept.
        let walk = TaskScope()
        var hasBegun = false
        walk.run("purge") {
            hasBegun = true
            #expect(await tier.purge(target("https://odd.test/")).count == 50_000)
        }
        while !hasBegun { await Task.yield() }
        tier.remember(renditions: [["key": "late", "storedAt": 1]], source: ["url": "https://ODD.test/late"])
        #expect(tier.entry("late") == nil)
        await walk.drain()
        #expect(tier.statistics.count == 40_000 && tier.entry("2") != nil && tier.entry("1") == nil)
        clock.now = 160
        #expect(await tier.trim().count == 40_000)
    }

    @Test @Loop func `deferred updates run by themselves, once`() async {
        let tier = MemoryTier(capacity: 1 << 20, metrics: Metrics())
        let done = OneShot<Void>()
        var times = 0
        tier.soon {
            times += 1
            done.complete(.success(()))
        }
        try? await done.wait()
        _ = tier.statistics
        #expect(times == 1)
    }
}
