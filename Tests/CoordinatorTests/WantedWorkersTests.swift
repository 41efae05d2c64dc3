import Testing

@testable import Coordinator
@testable import TintypeScaling

/// How many workers a queue wants.
@Suite struct WantedWorkersTests {
    typealias Load = WantedWorkers.Load

    /// A load of workers with 10 permits each.
    private static func load(
        _ queued: Int, running: Int = 0, oldest: Double? = 60, workers: Int = 0, most: Int = 1000, paused: Bool = false, delayed: Int = 0
    ) -> Load {
        Load(
            queued: queued, delayed: delayed, running: running, oldestSeconds: queued > 0 ? oldest : nil, maxConcurrent: most, isPaused: paused,
            permits: [Int](repeating: 10, count: workers))
    }

    static let table: [(name: String, load: Load, bounds: ClosedRange<Int>, count: Int)] = [
        ("nothing waits or runs", load(0), 0...50, 0),
        ("nothing waits or runs, but workers are there", load(0, workers: 3), 0...50, 0),
        ("nothing waits or runs, and one worker is to stay", load(0), 1...50, 1),
        ("one fetch waits", load(1), 0...50, 1),
        ("one fetch has just come, and no worker is there", load(1, oldest: 0), 0...50, 1),
        ("many have just come, and no worker is there", load(500, oldest: 0), 0...50, 1),
        ("one fetch runs", load(0, running: 1, workers: 1), 0...50, 1),
        ("as many as one worker has permits for", load(10), 0...50, 1),
        ("one more", load(11), 0...50, 2),
        ("waiting and running ones count alike", load(15, running: 10, workers: 1), 0...50, 3),
        ("a young backlog wants the workers that are there", load(100, running: 20, oldest: 4.9, workers: 2), 0...50, 2),
        ("an old one wants more", load(100, running: 20, oldest: 5, workers: 2), 0...50, 12),
        ("a young backlog of few wants fewer than are there", load(5, running: 1, oldest: 1, workers: 4), 0...50, 1),
        ("workers that drain have runs, and do not claim", load(1, running: 30, oldest: 0, workers: 1), 0...50, 3),
        ("a delayed fetch counts when its time has come", load(0, delayed: 9), 0...50, 0),
        ("a paused queue wants those of its runs", load(500, running: 11, paused: true), 0...50, 2),
        ("a paused queue without runs wants none", load(500, paused: true), 0...50, 0),
        ("the queue's limit bounds the fetches that can run", load(500, running: 10, workers: 1, most: 64), 0...50, 7),
        ("more run than the limit allows by now", load(500, running: 100, workers: 10, most: 64), 0...50, 10),
        ("no more than the most", load(999), 0...5, 5),
        ("no fewer than the least", load(1), 2...5, 2),
        ("none is allowed", load(999), 0...0, 0),
    ]

    @Test(arguments: table.indices) func `a load wants so many workers`(index: Int) {
        let row = Self.table[index]
        #expect(WantedWorkers(for: row.load, within: row.bounds, permits: 10).count == row.count, "\(row.name)")
        // The live workers have 10 permits each, so nobody has to say so.
        if !row.load.permits.isEmpty { #expect(WantedWorkers(for: row.load, within: row.bounds).count == row.count, "\(row.name)") }
    }

    @Test func `the permits of a worker are given, or those of the live workers, or the usual ones`() {
        let mixed = Load(queued: 100, oldestSeconds: 60, maxConcurrent: 1000, permits: [10, 30])
        #expect(WantedWorkers(for: mixed, within: 0...50).permits == 20)
        #expect(WantedWorkers(for: mixed, within: 0...50).count == 5)
        #expect(WantedWorkers(for: mixed, within: 0...50, permits: 50).count == 2)
        #expect(WantedWorkers(for: Load(queued: 100, oldestSeconds: 60, maxConcurrent: 1000), within: 0...50).count == 4)
        #expect(WantedWorkers(for: Load(queued: 1, oldestSeconds: 60, permits: [0]), within: 0...50).count == 1)
    }

    @Test func `a patience of zero wants all workers at once`() {
        #expect(WantedWorkers(for: Self.load(100, oldest: 0), within: 0...50, permits: 10, patience: 0).count == 10)
    }

    @Test func `more fetches never want fewer workers`() {
        for workers in 0...3 {
            for running in stride(from: 0, through: 40, by: 8) {
                for oldest in [0.0, 60] {
                    let counts = (0...60).map {
                        WantedWorkers(for: Self.load($0, running: running, oldest: oldest, workers: workers), within: 0...50, permits: 10).count
                    }
                    // An old backlog of one wants no fewer than a young one: the first fetch that waits adds none.
                    #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 <= $1 }, "\(workers) workers, \(running) run, \(oldest) s: \(counts)")
                }
            }
        }
    }
}
