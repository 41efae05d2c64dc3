import TintypeCore
import TintypeTransport
import TintypeImages
@testable import TintypeQueue
import TestSupport
import Testing

/// The map of a queue with several shards, as values.
@Suite(.timeLimit(.minutes(1)), .scoped) struct ShardTests {
    @Test(arguments: [(2, 2), (3, 4), (3, 16), (8, 64), (16, 64)])
    func `the shards are spread over the servers of a cluster`(servers: Int, count: Int) {
        let names = ShardNames.all(of: "default", count: count)
        #expect(names.count == count && Set(names).count == count && names[0] == "default")
        var onServer = Array(repeating: 0, count: servers)
        for name in names { onServer[ShardNames.slot(of: name) * servers / HashSlot.count] += 1 }
        // The first shard lies where its name lies, perhaps at the edge of its range.
        #expect(onServer.allSatisfy { (count / servers - 1...count / servers + 2).contains($0) }, "\(onServer)")
        #expect(names.allSatisfy { $0.utf8.count <= "default".utf8.count + 9 }, "\(names)")
    }

    @Test func `no client can name a shard, and a shard knows its queue`() {
        for name in ShardNames.all(of: "thumbs", count: 4) {
            #expect(ShardNames.queue(of: name) == "thumbs")
            #expect((try? ImageRequest.queueType.validate(.string(name), at: "")) == nil || name == "thumbs")
        }
        #expect(ListCursor(["cursor": "5:1-a:thumbs~1.12"])?.queue == "thumbs~1.12")
        for text in ["5:1-a:~1.12", "5:1-a:thumbs~", "5:1-a:thumbs~x", "5:1-a:results~1"] { #expect(ListCursor(["cursor": .string(text)]) == nil, "\(text)") }
    }

    @Test func `hosts are spread evenly, and one shard more moves few of them`() {
        let hosts = (0..<8000).map { "host\($0).example.org" }
        let places = hosts.map { HostShard.index(of: $0, count: 16) }
        for shard in 0..<16 { #expect((350...650).contains(places.count { $0 == shard })) }
        let moved = zip(hosts, places).count { HostShard.index(of: $0, count: 17) != $1 }
        #expect((300...650).contains(moved), "a seventeenth of them")
    }

    private static let queue = {
        var queue = ShardedQueue(name: "default", count: 4)
        queue.apply(QueueChange(maxConcurrent: 10, maxConcurrentPerHost: 6, hostLimits: ["own.test": 130, "small.test": 63, "data:": 3, "both.test": 90]))
        return queue
    }()

    @Test(arguments: [
        ("own.test", true), ("small.test", false), ("other.test", false), ("ruled.test", true), ("x.ruled.test", true), ("paced.test", false),
        ("both.test", false),
    ])
    func `only hosts with a great limit and no pace are in all shards`(host: String, isSpread: Bool) {
        let rules = HostLimits(queued: ["ruled.test": "1:64", ".ruled.test": "2:100", "paced.test": "3:200", "/paced.test": "3:50", "/both.test": "4:50"])
        #expect(Self.queue.isSpread(host, rules) == isSpread)
        let shards = Set((0..<200).map { Self.queue.shard(ofHost: host, source: "source\($0)", rules: rules) })
        #expect(shards.count == (isSpread ? 4 : 1))
    }

    @Test func `sources without a host are in all shards, unless their number is limited`() {
        #expect(!Self.queue.isSpread("data:", HostLimits()))
        #expect(ShardedQueue(name: "default", count: 4).isSpread("data:", HostLimits()))
        #expect(!ShardedQueue(name: "default", count: 4).isSpread("file:", HostLimits()))
    }

    @Test func `the parts of a limit add up to it`() {
        for count in [2, 4, 7, 64] {
            var queue = ShardedQueue(name: "default", count: count)
            queue.apply(
                QueueChange(
                    maxConcurrent: 101, maxConcurrentPerHost: 70, hostLimits: ["own.test": 130, "small.test": 63, "paced.test": 200], maxQueued: 1000))
            let paced = HostLimits(queued: ["/paced.test": "1:50"])
            let parts = (0..<count).map { queue.settings(ofShard: $0, paced) }
            let limits = parts.compactMap(\.hostLimits)
            #expect(parts.reduce(0) { $0 + ($1.maxConcurrentPerHost ?? 0) } == 70)
            #expect(limits.reduce(0) { $0 + ($1["own.test"] ?? 0) } == 130)
            #expect(limits.allSatisfy { $0["small.test"] == 63 } && limits.allSatisfy { $0["paced.test"] == 200 })
            #expect(parts.allSatisfy { $0.maxConcurrent == nil })
            #expect((1000..<1000 + count).contains(parts.reduce(0) { $0 + ($1.maxQueued ?? 0) }))
            #expect((0..<count).reduce(0) { $0 + queue.firstShare($1) } == 101)
            let rules = HostLimits(queued: ["own.test": "1:64", "paced.test": "1:64", "/paced.test": "1:50", "*": "0:9"])
            let ruled = (0..<count).map { queue.limits(rules, ofShard: $0) }
            #expect(ruled.reduce(0) { $0 + ($1.limit(of: "own.test") ?? 0) } == 64)
            #expect(ruled.allSatisfy { $0.limit(of: "paced.test") == 64 && $0.limit(of: "x") == 9 })
            #expect(ruled.allSatisfy { $0.hasPace("paced.test") && !$0.hasPace("x") })
        }
    }

    @Test func `the settings are read as they were stored`() {
        let stored = Dictionary(uniqueKeysWithValues: Self.queue.stored(Self.queue.whole).map { ($0.name, $0.value) })
        #expect(ShardedQueue(name: "default", stored: stored) == Self.queue)
        #expect(ShardedQueue(name: "default", stored: [:]) == nil && ShardedQueue(name: "default", stored: ["shards": "65"]) == nil)
    }

    private typealias Load = SharePlan.Load

    /// Limit, the load of each shard as (share, running, waiting), and the wanted shares.
    private static let plans: [(total: Int, loads: [(Int, Int, Int)?], wanted: [Int?])] = [
        (16, [(4, 0, 0), (4, 0, 0), (4, 0, 0), (4, 0, 0)], [4, 4, 4, 4]),
        (16, [(4, 4, 90), (4, 0, 0), (4, 0, 0), (4, 0, 0)], [10, 2, 2, 2]),
        (16, [(4, 4, 90), (4, 4, 90), (4, 0, 0), (4, 0, 0)], [6, 6, 2, 2]),
        (16, [(4, 4, 3), (4, 4, 90), (4, 0, 0), (4, 0, 0)], [6, 6, 2, 2]),
        (16, [(4, 3, 0), (4, 4, 90), (4, 0, 0), (4, 0, 0)], [3, 9, 2, 2]),
        (3, [(1, 0, 0), (1, 0, 5), (1, 0, 0), (0, 0, 1)], [0, 2, 0, 1]),
        (2, [(1, 1, 9), (1, 1, 9), (0, 0, 9), (0, 0, 9)], [0, 0, 1, 1]),
        (16, [(4, 4, 90), nil, (4, 0, 0), (4, 0, 0)], [12, nil, 2, 2]),
        (16, [nil, nil], [nil, nil]),
    ]

    @Test(arguments: plans.indices) func `shares follow the demand`(index: Int) {
        let (total, loads, wanted) = Self.plans[index]
        #expect(SharePlan(total: total, loads: loads.map { $0.map { Load(share: $0.0, running: $0.1, waiting: $0.2) } }).wanted == wanted)
    }

    @Test func `a shard that runs more than its share counts with its runs`() {
        let loads: [Load?] = [Load(share: 2, running: 9, waiting: 0), Load(share: 2, running: 2, waiting: 50)]
        let plan = SharePlan(total: 12, loads: loads)
        #expect(plan.raised(loads, total: 12).allSatisfy { $0.place == 0 && $0.share <= 9 || $0.place == 1 && $0.share == 3 })
        #expect(plan.raised(loads, total: 11).allSatisfy { $0.place == 0 })
        #expect(plan.raised(loads, total: 12, unknown: 1).allSatisfy { $0.place == 0 })
    }
}
