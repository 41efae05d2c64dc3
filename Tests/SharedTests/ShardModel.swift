import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport

/// A queue with four shards on a real Redis, two lenders and random steps. Steps of others happen also in the middle of a lender's round and of a submit.
/// After each step the model reads all shards and checks the rules that hold for the queue as a whole.
@Loop final class ShardModel {
    struct Failure: Error, CustomStringConvertible {
        let seed: UInt64
        let step: Int
        let what: String
        var description: String { "seed \(seed), step \(step): \(what)" }
    }

    /// The map of fetches and settings to shards. A test replaces a part by a wrong one.
    struct Map: Sendable {
        var shard: @Sendable (_ queue: ShardedQueue, _ host: String, _ source: String) -> String = { $0.shard(ofHost: $1, source: $2, rules: HostLimits()) }
        var settings: @Sendable (_ queue: ShardedQueue, _ shard: Int) -> QueueChange = { $0.settings(ofShard: $1) }
        /// An answer as a lender is told of it.
        var load: @Sendable (SharePlan.Load) -> SharePlan.Load = { $0 }
        /// The most that the shards may run, as it is kept for the next lender.
        var kept: @Sendable ([Int?]) -> [Int?] = { $0 }
        /// Whether a lender that begins anew knows only what is kept.
        var forgets = true
    }

    private struct Lender {
        var epoch: Int64?
        var lent: LentShares
        var isBusy = false
        var least: Int64 = 0
    }

    private struct Run {
        let shard: Int
        let host: String
        let source: String
        let fetch: ClaimedFetch
    }

    /// A submit whose receipt has its place.
    private struct Submit {
        let id: String
        let shard: Int
        let submission: Submission
        let key: String?
        let tickets: SupersedeTickets?
    }

    private static let hosts = ["a.test", "b.test", "c.test", "own.test", "data:"]
    private static let keys = ["avatar", "cover"]
    /// The greatest limit.
    private static let most = 24

    private let seed: UInt64
    private let map: Map
    private let redis: RedisNodes
    private let scripts: QueueScripts
    private var sharded: ShardedQueue
    private var shards: [Queue] = []
    private var dice: Dice
    private var step = 0
    private var depth = 0
    private var receipts = 0
    private var runs: [Run] = []
    private var lenders: [String: Lender] = [:]
    /// The receipts by supersede key, in the order of their places.
    private var placed: [String: [String]] = [:]
    private var underWay: [Submit] = []
    /// Submits that were refused. Their clients may ask again with the same id.
    private var refused: [Submit] = []
    /// The most that all shards may run, at the last check; and the greatest limit of the rounds since.
    private var held = 0
    private var lentTotal = 0
    /// The most that a lost write may have added since the last round with all answers.
    private var excess = 0
    private var losses = 0
    private var isCleared = false
    /// The share and the lender of each shard as they were some steps ago.
    private var past: [(share: String, lender: String)?] = []
    private var failed: (any Error)?
    private(set) var tally: Set<String> = []

    init(seed: UInt64, _ redis: RedisNodes, scripts: QueueScripts = .shipped, map: Map = Map()) async throws {
        (self.seed, self.redis, self.map, self.scripts, dice) = (seed, redis, map, scripts, Dice(seed))
        sharded = ShardedQueue(name: "m\(seed)", count: 4)
        let change = QueueChange(maxConcurrent: 12, maxConcurrentPerHost: 2, hostLimits: ["own.test": 64])
        shards = sharded.shards.map { Queue(name: $0, redis: redis, scripts: scripts) }
        past = shards.map { _ in nil }
        let whole = WholeQueue(name: sharded.name, parts: [shards[0]], sharded: nil)
        guard let info = try await whole.configure(change, HostLimits(), setDefaults: { _ in }) else { throw failure("there is no queue") }
        try await whole.split(into: 4, info, usual: 100_000, HostLimits()) { [shards] name in
            shards.first { $0.name == name } ?? shards[0]
        } setDefaults: { _, _, _ in
        }
        held = 12
        try await configure(change)
        for name in ["c1", "c2"] { lenders[name] = Lender(lent: LentShares(sharded)) }
    }

    func run(steps: Int) async throws {
        for number in 1...steps {
            step = number
            try await one()
            try await check()
            if number % 25 == 0 { try await settleKeys() }
        }
        try await settleKeys()
        try await settleShares()
    }

    private func failure(_ what: String) -> Failure { Failure(seed: seed, step: step, what: what) }

    private func one() async throws {
        switch Int.random(in: 0..<100, using: &dice) {
        case ..<20: try await submit()
        case ..<38: try await complete()
        case ..<58: try await claim()
        case ..<74: try await finish()
        case ..<90: try await lend(dice.of(["c1", "c2"]))
        case ..<93: try await loseLease()
        case ..<98: try await configure(QueueChange(maxConcurrent: Int.random(in: 3...Self.most, using: &dice)))
        case ..<99: try await loseWrite()
        default: try await loseWhole()
        }
    }

    /// Steps of others in the middle of one.
    private func others() async throws {
        guard depth < 1 else { return }
        depth += 1
        defer { depth -= 1 }
        while dice.chance(0.4) {
            try await one()
            tally.insert("in the middle")
        }
    }

    // MARK: Steps

    private func submit() async throws {
        if let again = refused.indices.randomElement(using: &dice), dice.chance(0.3) { return try await take(refused.remove(at: again)) }
        receipts += 1
        let id = "r\(receipts)"
        let host = dice.of(Self.hosts)
        let source = "\(host)/\(Int.random(in: 0..<8, using: &dice))"
        guard let index = sharded.shards.firstIndex(of: map.shard(sharded, host, source)) else { throw failure("\(host) has no shard") }
        var submission = QueueHarness.submission(id, source: source, host: host)
        let key = dice.chance(0.4) ? dice.of(Self.keys) : nil
        (submission.supersedeKey, submission.blacklist) = (key, .off)
        let tickets = key.map { SupersedeTickets(of: $0, in: sharded.name, kept: .seconds(60), redis, scripts: scripts) }
        // A shard knows only its own receipts of the key.
        submission.supersedeKey = nil
        try await take(Submit(id: id, shard: index, submission: submission, key: key, tickets: tickets))
    }

    /// The first half of a submit. An id that was refused has the place of its last request.
    private func take(_ one: Submit) async throws {
        try await one.tickets?.take(one.id, in: shards[one.shard])
        if let key = one.key { placed[key, default: []].append(one.id) }
        underWay.append(one)
    }

    /// The second half of a submit, in any order.
    private func complete() async throws {
        guard !underWay.isEmpty else { return }
        let one = underWay.remove(at: Int.random(in: underWay.indices, using: &dice))
        if let tickets = one.tickets, let key = one.key, dice.chance(0.2) {
            try await tickets.giveBack(one.id, in: shards[one.shard])
            placed[key]?.removeAll { $0 == one.id }
            refused.append(one)
            tally.insert("refused")
            return
        }
        let answer = try await shards[one.shard].submit(one.submission)
        if case .queued(_, _, true) = answer { tally.insert("joined") }
        guard let tickets = one.tickets else { return }
        try await others()
        // The answer may be lost; the call is repeated then.
        for _ in 0...(dice.chance(0.2) ? 1 : 0) {
            try await tickets.supersede(by: one.id, in: shards[one.shard]) { [self] name in
                tally.insert(name == shards[one.shard].name ? "superseded" : "superseded elsewhere")
                return shards.first { $0.name == name } ?? shards[one.shard]
            }
        }
    }

    private func claim() async throws {
        let index = Int.random(in: shards.indices, using: &dice)
        for fetch in try await shards[index].claim(worker: "w1", count: Int.random(in: 1...4, using: &dice)).fetches {
            let source = fetch.renditions.first.map { String($0.digest.dropLast("-small".count)) } ?? ""
            if let other = runs.first(where: { $0.source == source }) {
                // A run that nobody wants any more is told to stop, and the next request begins another one.
                guard try await shards[other.shard].progress(other.fetch.lease, []) == .cancel else { throw failure("\(source) runs twice") }
            }
            runs.append(Run(shard: index, host: fetch.host, source: source, fetch: fetch))
            tally.insert("claimed in shard \(index)")
        }
    }

    private func finish() async throws {
        guard !runs.isEmpty else { return }
        let run = runs.remove(at: Int.random(in: runs.indices, using: &dice))
        // No result is kept, so that the next request is work again.
        _ = try await shards[run.shard].finish(run.fetch.lease, .failure(QueueHarness.permanent, retryAfter: nil))
    }

    private func configure(_ change: QueueChange) async throws {
        // A lender may go by the limit before.
        lentTotal = max(lentTotal, sharded.total)
        let whole = WholeQueue(name: sharded.name, parts: shards, sharded: sharded)
        sharded.apply(change)
        _ = try await whole.configure(change, HostLimits()) { _ in }
        try await set()
        tally.insert("another limit")
    }

    /// Gives the shards the settings of the map.
    private func set() async throws { for (index, shard) in shards.enumerated() { _ = try await shard.configure(map.settings(sharded, index)) } }

    /// A server has lost acknowledged writes: a shard has its share and its lender of some steps ago.
    private func loseWrite() async throws {
        let index = Int.random(in: shards.indices, using: &dice)
        guard let before = past[index] else { return }
        lose()
        let key = RedisArgument.string(shards[index].keys.prefix + "cfg")
        _ = try await shards[index].node.command(["HSET", key, "maxConcurrent", .string(before.share), "lender", .string(before.lender)])
        tally.insert("a lost share")
    }

    /// The server of `default` has lost the queue as a whole, and perhaps the share of the first shard.
    private func loseWhole() async throws {
        lose()
        _ = try await redis.node(for: QueueKeys.shared).command(["DEL", .string(QueueKeys.sharded(sharded.name))])
        if dice.chance(0.5) { _ = try await shards[0].node.command(["HSET", .string(shards[0].keys.prefix + "cfg"), "maxConcurrent", "64"]) }
        let before = try await sum()
        try await sharded.restore(redis) { [shards] name in shards.first { $0.name == name } ?? shards[0] }
        let now = try await sum()
        guard now <= before else { throw failure("the shares were \(before), and are \(now) when the shards were made again") }
        try await set()
        tally.insert("a lost whole")
    }

    /// With one server of several that has lost writes, all shards together run at most twice the limit.
    private func lose() {
        losses += 1
        excess = Self.most
    }

    private func sum() async throws -> Int {
        var sum = 0
        for shard in shards { sum += try await shard.info()?.limits.maxConcurrent ?? 0 }
        return sum
    }

    private func loseLease() async throws {
        _ = try await redis.node(for: QueueKeys.shared).command(["DEL", .string(QueueKeys.lender)])
    }

    private func lend(_ name: String) async throws {
        // A lender makes one round at a time.
        guard var lender = lenders[name], !lender.isBusy else { return }
        let next = try await Queue.lend(as: name, lender.epoch, atLeast: lender.least, redis)
        // The answer is lost.
        if dice.chance(0.03) { return }
        if next != lender.epoch, map.forgets {
            let kept = if let next { try await shards[0].lent(ShareLease(coordinator: name, epoch: next), count: 4) } else { nil as [Int?]? }
            lender.lent = LentShares(sharded, kept: kept ?? [])
        }
        lender.epoch = next
        lenders[name] = lender
        lenders[name]?.isBusy = true
        defer { lenders[name]?.isBusy = false }
        guard let epoch = lender.epoch else { return }
        // A round goes by the limit at its begin.
        lentTotal = max(lentTotal, sharded.total)
        let lease = ShareLease(coordinator: name, epoch: epoch)
        let before = losses
        var isWhole = true
        _ = await lender.lent.lend(sharded.total) { questions in
            var answers: [SharePlan.Load?] = []
            for question in questions { answers.append(await ask(question, lease)) }
            if answers.contains(where: { $0 == nil }) { isWhole = false }
            return answers
        } keep: { held in
            if failed != nil || dice.chance(0.05) || lenders[name]?.epoch != epoch { return false }
            do {
                let isKept = try await shards[0].lent(lease, keeping: map.kept(held), count: 4) != nil
                return isKept && !dice.chance(0.05)
            } catch {
                failed = error
                return false
            }
        }
        lenders[name]?.lent = lender.lent
        if isWhole, losses == before { isCleared = true }
        if let failed { throw failed }
    }

    private func ask(_ question: LentShares.Question, _ lease: ShareLease) async -> SharePlan.Load? {
        do {
            if depth == 0, dice.chance(0.04) { try await standStill(lease.coordinator) } else { try await others() }
            if dice.chance(0.05) { return nil }
            let answer = try await shards[question.shard].share(lease, question.share)
            if case .stale(let number) = answer {
                tally.insert("fenced off")
                lenders[lease.coordinator]?.epoch = nil
                lenders[lease.coordinator]?.least = number + 1
            }
            if question.share != nil { tally.insert("another share") }
            return dice.chance(0.05) ? nil : answer.load.map(map.load)
        } catch {
            failed = error
            return nil
        }
    }

    /// The steps of others while a lender stands still for longer than its lease.
    private func standStill(_ name: String) async throws {
        depth += 1
        defer { depth -= 1 }
        try await loseLease()
        for _ in 0..<2 { try await lend(name == "c1" ? "c2" : "c1") }
        for _ in 0..<6 { try await claim() }
    }

    // MARK: Rules

    private func check() async throws {
        var now = 0
        for (index, shard) in shards.enumerated() {
            guard let info = try await shard.info() else { throw failure("shard \(index) is gone") }
            now += max(info.limits.maxConcurrent, info.running)
        }
        guard now <= max(held, sharded.total, lentTotal) + excess else {
            throw failure("all shards may run \(now), before \(held), the limit is \(sharded.total)")
        }
        (held, lentTotal) = (now, 0)
        if isCleared { (excess, isCleared) = (0, false) }
        for (index, shard) in shards.enumerated() where dice.chance(0.1) {
            let words =
                try await shard.node.command(["HMGET", .string(shard.keys.prefix + "cfg"), "maxConcurrent", "lender"]).array?.compactMap(\.string) ?? []
            past[index] = words.count == 2 ? (words[0], words[1]) : nil
        }
        for host in Self.hosts where host != "data:" {
            let count = runs.count { $0.host == host }
            let limit = sharded.hostLimits[host] ?? 2
            guard count <= limit else { throw failure("\(count) fetches of \(host) run, the limit is \(limit)") }
        }
    }

    /// When nothing is under way, no receipt of a supersede key is live but the newest, which nothing has superseded.
    private func settleKeys() async throws {
        while !underWay.isEmpty { try await complete() }
        for (key, ids) in placed {
            var found: [String: ReceiptState] = [:]
            for shard in shards { for (id, snapshot) in try await shard.snapshots(ids) { found[id] = snapshot.state } }
            let live = found.filter { !$0.value.isTerminal }.keys
            guard live.allSatisfy({ $0 == ids.last }) else { throw failure("\(live) of \(key) are live, the newest is \(ids.last ?? "")") }
            if let last = ids.last, found[last] == .cancelled { throw failure("the newest of \(key), \(last), was superseded") }
        }
    }

    /// With a lender that gets every answer, all of the limit is lent.
    private func settleShares() async throws {
        while !runs.isEmpty { try await finish() }
        try await loseLease()
        let epoch = try await Queue.lend(as: "c3", nil, atLeast: 1 << 44, redis) ?? 0
        var lent = LentShares(sharded)
        for _ in 0..<2 {
            _ = await lent.lend(sharded.total) { questions in
                var answers: [SharePlan.Load?] = []
                for one in questions { answers.append((try? await shards[one.shard].share(ShareLease(coordinator: "c3", epoch: epoch), one.share))?.load) }
                return answers
            }
        }
        var shares = 0
        for shard in shards { shares += try await shard.info()?.limits.maxConcurrent ?? 0 }
        guard shares == sharded.total else { throw failure("\(shares) of \(sharded.total) are lent") }
        try await check()
    }
}
