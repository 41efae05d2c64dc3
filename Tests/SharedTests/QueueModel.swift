import TintypeTransport
import TintypeQueue
import TestSupport

/// The fault that a random run has found, with everything needed to repeat the run.
struct ModelFailure: Error, CustomStringConvertible {
    let seed: UInt64
    let step: Int
    let operation: String
    let what: String
    var description: String { "seed \(seed), step \(step), \(operation): \(what)" }
}

/// Two coordinators and three workers that take random steps on a real Redis. After each step, the model checks all messages and the stored
/// state, and compares every answer with an independent reading of the state before.
@Loop final class QueueModel {
    /// A run that a worker believes to be its own.
    struct Run {
        let worker: String
        var fetch: ClaimedFetch
        /// The renditions that are left to make.
        var owed: [OwedRendition]
    }

    /// The state of a receipt, by the test's own records.
    struct Track {
        var submission: Submission
        var coordinator: String
        var priority: Int
        var seq = 0
        var terminal: String?
        var ending: Ending?
        /// No client waits at its coordinator.
        var isLeft = false
        /// It waits until it is resumed.
        var isPaused = false
        /// The other coordinators with a waiting client.
        var followers: Set<String> = []
    }

    enum Operation: String, CaseIterable {
        case submit, again, claim, rendition, finish, fail, release, stale, beat, progress, drop, priority, tick, reap, configure, greet
        case snapshot, leave, expire, call, pause

        /// The weights of steps in a calm, a deep and a crashing run.
        var weights: [Int] {
            switch self {
            case .submit: [20, 30, 26]
            case .claim: [20, 12, 14]
            case .finish: [12, 5, 4]
            case .rendition, .drop: [7, 7, 10]
            case .tick: [6, 6, 14]
            case .reap: [4, 4, 12]
            case .fail: [4, 4, 7]
            case .again, .release, .stale, .beat, .progress, .priority, .configure: [4, 4, 4]
            case .greet: [6, 6, 8]
            case .snapshot, .leave, .expire: [2, 2, 2]
            case .call: [4, 4, 4]
            case .pause: [5, 5, 5]
            }
        }
    }

    let seed: UInt64
    let harness: QueueHarness
    /// Whether rules limit how many fetches of a host may begin in a second.
    let isPaced: Bool
    var queue: Queue { harness.queue }
    var dice: Dice
    var step = 0
    var operation = "start"
    var before: QueueDump
    var tracks: [String: Track] = [:]
    var ended: [String] = []
    /// The blacklist options of each fetch's receipts.
    var wishes: [String: [BlacklistUse]] = [:]
    var runs: [Run] = []
    var past: [RunLease] = []
    var channels: [String: Int] = [:]
    var cancelled: Set<RunLease> = []
    var made = 0
    var owed: [String: Owed] = [:]
    /// Callbacks that were leased and never settled.
    var forgotten: [DueCallback] = []
    /// How often each event happened. A run without an event has not tested it.
    var tally: [String: Int] = [:]

    init(seed: UInt64, harness: QueueHarness, isPaced: Bool = false) async throws {
        (self.seed, self.isPaced) = (seed, isPaced)
        self.harness = harness
        dice = Dice(seed)
        _ = try await harness.redis.command(["FLUSHALL"])
        _ = try await harness.messages()
        _ = try await harness.queue.configure(QueueChange(maxConcurrent: 5, maxConcurrentPerHost: 2, hostLimits: ["h0": 1], maxQueued: 16))
        before = try await harness.queue.dump()
    }

    func run(steps: Int) async throws {
        let kind = Int(seed % 3)
        let bag = Operation.allCases.flatMap { Array(repeating: $0, count: $0.weights[kind]) }
        for number in 1...steps {
            step = number
            let next = dice.of(bag)
            operation = next.rawValue
            harness.turn(number)
            queue.jitter = Double.random(in: 0...1, using: &dice)
            try await take(next)
            try await check()
            if number % 20 == 0 { try await prune() }
        }
        try await drain()
    }

    func fail(_ what: String) -> ModelFailure { ModelFailure(seed: seed, step: step, operation: operation, what: what) }

    func require(_ condition: Bool, _ what: @autoclosure () -> String) throws {
        if !condition { throw fail(what()) }
    }

    func count(_ what: String) { tally[what, default: 0] += 1 }

    private func take(_ next: Operation) async throws {
        switch next {
        case .submit: try await submit()
        case .again: try await again()
        case .claim: try await claim()
        case .rendition: try await rendition()
        case .finish: try await finish()
        case .fail: try await failRun()
        case .release: try await release()
        case .stale: try await stale()
        case .beat: try await beat()
        case .progress: try await progress()
        case .drop: try await drop()
        case .priority: try await changePriority()
        case .tick: harness.tick(dice.of(seed % 3 == 2 ? [1, 600, 1500, 10_500, 10_500] : [1, 100, 600, 1500, 4000, 10_500]))
        case .reap: try await reap()
        case .configure: try await configure()
        case .greet: try await queue.greet(coordinator: dice.of(["c1", "c2"]))
        case .snapshot: try await snapshot()
        case .leave: try await leave()
        case .call: try await call()
        case .pause: try await pause()
        case .expire: try await queue.forget(results: before.names("x:").sorted().first.map { [$0] } ?? [])
        }
    }

    /// Removes old records, as their time to live would.
    private func prune() async throws {
        let now = queue.clock ?? 0
        var keys: [String] = []
        for id in before.names("f:") {
            guard let end = before.hash("f:" + id)["endedAt"].flatMap({ Int64($0) }), now - end > 20_000, before.scores("dead")[id] == nil else { continue }
            keys.append("f:" + id)
        }
        while ended.count > 15 {
            let id = ended.removeFirst()
            tracks[id] = nil
            keys.append("r:" + id)
        }
        if !keys.isEmpty { _ = try await harness.redis.command(["DEL"] + keys.map { .string(queue.keys.prefix + $0) }) }
        past = Array(past.suffix(20))
        before = try await queue.dump()
    }

    /// Finishes all remaining work; nothing may remain.
    private func drain() async throws {
        operation = "drain"
        _ = try await queue.configure(QueueChange(maxConcurrent: 50, maxConcurrentPerHost: 50, hostLimits: [:], paused: false))
        for _ in 0..<200 {
            step += 1
            harness.tick(700)
            _ = try await queue.reap()
            for fetch in try await queue.claim(worker: "w1", count: 20).fetches {
                try require(try await harness.succeed(fetch) == .done, "a run with all renditions is not done")
            }
            try await check()
            // A host may be throttled for longer than there is work.
            if ["run", "delay", "aq", "ao", "held"].allSatisfy({ before.entries[$0] == nil }) { break }
        }
        for prefix in ["n:", "fr:", "sl:", "hq:", "ho:", "hr:", "s:"] {
            let left = before.names(prefix).filter { id in !(prefix == "n:" && before.hash("f:" + id)["state"] == "dead") }
            try require(left.isEmpty, "\(prefix)\(left) is left over")
        }
        for key in ["run", "ready", "held", "delay", "aq", "ao", "dl"] { try require(before.entries[key] == nil, "\(key) is left over") }
        for (id, track) in tracks { try require(track.terminal != nil, "receipt \(id) never ended") }
    }
}
