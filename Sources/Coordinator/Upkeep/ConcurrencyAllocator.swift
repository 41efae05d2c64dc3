import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

/// Lends `maxConcurrent` of queues with several shards to their shards, twice a second, by demand. One coordinator lends at a time; the others ask to.
///
/// - A coordinator that stood still may wake up in the middle of a round. Its number is smaller than that of the lender since, so the shards refuse it.
/// - All shards are asked at once, and a silent one is not waited for longer than a second. All that it may run counts as if it ran (`LentShares`).
/// - A shard that has other settings than it should, as after a lost write, gets them again.
/// - While the server with the right to lend is away, nobody lends. Any coordinator then calls workers to shards without any.
@Loop
final class ConcurrencyAllocator {
    private let registry: QueueRegistry
    private let defaults: OperatorDefaults
    private let scope: TaskScope
    private let logger: Logger
    private var timer: LoopTimer?
    private var isLending = false
    /// The number of this lender; nil while another coordinator lends.
    private var epoch: Int64?
    /// The least number that no shard refuses.
    private var least: Int64 = 0
    private var lent: [String: LentShares] = [:]
    /// The same without the right to lend, only to see which shards need help.
    private var watched: [String: LentShares] = [:]
    /// The shards whose last question is not answered yet.
    private var asked: Set<String> = []
    /// The settings of shards by queue, and from what they were made.
    private var settings: [String: (sharded: ShardedQueue, rules: HostLimits, shards: [QueueChange])] = [:]

    private static let interval = Duration.milliseconds(500)
    /// The longest wait for answers, well below the lease of a lender.
    private static let patience = Duration.seconds(1)
    /// The fetches that one worker more may take over.
    private static let taken = 8
    /// The workers that are called at least to a shard without any. Each decides by lot, so that of fewer perhaps none would come.
    private static let called = 4

    init(registry: QueueRegistry, defaults: OperatorDefaults, scope: TaskScope, logger: Logger) {
        (self.registry, self.defaults, self.scope, self.logger) = (registry, defaults, scope, logger)
    }

    func start() { timer = LoopTimer(after: Self.interval, repeating: true) { [weak self] in self?.tick() } }

    func stop() { timer = nil }

    private func tick() {
        guard !isLending, !registry.sharded.isEmpty else { return }
        isLending = true
        scope.run("lend shares") { [weak self] in
            await self?.lend()
            self?.isLending = false
        }
    }

    /// Makes one round.
    func lend() async {
        for sharded in registry.sharded.values {
            // For each queue, because a round may take a part of the lease.
            if await mayLend() { await lend(sharded) } else { await watch(sharded) }
        }
        if epoch == nil { lent = [:] }
        let names = registry.sharded
        (lent, settings) = (lent.filter { names[$0.key] != nil }, settings.filter { names[$0.key] != nil })
        watched = watched.filter { names[$0.key] != nil }
    }

    /// Asks to be the lender, or to stay it.
    /// - Returns: false if nobody can be, because the server does not answer.
    private func mayLend() async -> Bool {
        let (coordinator, redis, epoch, least, logger) = (registry.coordinator, registry.redis, epoch, least, logger)
        let answer: Result<Int64?, RedisError>? = await self.answer(to: "ask to lend") {
            do throws(RedisError) {
                return .success(try await Queue.lend(as: coordinator, epoch, atLeast: least, redis))
            } catch {
                logger.refused("lending shares", error)
                return .failure(error)
            }
        }
        guard case .success(let next)? = answer else {
            (self.epoch, lent) = (nil, [:])
            return false
        }
        if next != self.epoch { (self.epoch, lent) = (next, [:]) }
        watched = [:]
        return true
    }

    private func lend(_ sharded: ShardedQueue) async {
        guard let epoch else { return }
        let lease = ShareLease(coordinator: registry.coordinator, epoch: epoch)
        let shards = sharded.shards.map { registry.queue($0) }
        var shares: LentShares
        if let known = lent[sharded.name] {
            shares = known
        } else {
            guard let kept = await keep(nil, of: shards, lease) else { return }
            shares = LentShares(sharded, kept: kept)
        }
        let round = await shares.lend(sharded.total) { [self] in
            await ask($0, shards, lease)
        } keep: { [self] in
            await keep($0, of: shards, lease) != nil
        }
        guard self.epoch == epoch else { return }
        lent[sharded.name] = shares
        await callHelp(round, shards)
        await repair(round, sharded, shards)
    }

    /// Makes a round without the right to lend.
    private func watch(_ sharded: ShardedQueue) async {
        let shards = sharded.shards.map { registry.queue($0) }
        var shares = watched[sharded.name] ?? LentShares(sharded)
        // The questions that would change a share are not asked.
        let round = await shares.lend(sharded.total) { [self] questions in
            questions.allSatisfy { $0.share == nil } ? await ask(questions, shards, nil) : questions.map { _ in nil as SharePlan.Load? }
        }
        watched[sharded.name] = shares
        await callHelp(round, shards)
    }

    // MARK: Help and settings

    /// Tells workers of shards whose own workers are too few. Every worker of a queue hears the first shard. While its server is away, all others are told:
    /// each worker has one of them too, and hears the same call once.
    private func callHelp(_ round: LentShares.Round, _ shards: [Queue]) async {
        guard !round.short.isEmpty else { return }
        let workers = round.loads[0]?.workers ?? round.loads.compactMap { $0?.workers }.max() ?? 0
        let wanted = max(round.short.contains(where: \.isHomeless) ? Self.called : 1, round.short.reduce(0) { $0 + $1.fetches } / Self.taken)
        let help = (shards: round.short.map { shards[$0.shard].name }, oneIn: max(1, workers / wanted))
        let receivers = round.loads[0] == nil ? shards.indices.filter { round.loads[$0] != nil } : [0]
        for index in receivers where !asked.contains(shards[index].name) {
            scope.run("call workers to other shards") { [logger] in
                await logger.attempt("calling workers to other shards") { () async throws(RedisError) in _ = try await shards[index].share(nil, help: help) }
            }
        }
    }

    /// Gives shards the settings that they should have. These are read again first: a client may have changed them a moment ago at another coordinator.
    private func repair(_ round: LentShares.Round, _ sharded: ShardedQueue, _ shards: [Queue]) async {
        let known = wanted(sharded)
        guard round.loads.indices.contains(where: { index in round.loads[index].map { $0.mark != known[index].mark } ?? false }) else { return }
        let redis = registry.redis
        let fresh: [String: ShardedQueue]? = await answer(to: "read settings of \(sharded.name)") {
            try? await Queue.sharded(among: sharded.shards, known: [sharded.name: sharded], redis)
        }
        guard let now = fresh?[sharded.name], now.shards == sharded.shards else { return }
        let wanted = wanted(now)
        for (index, load) in round.loads.enumerated() {
            guard let load, load.mark != wanted[index].mark else { continue }
            let shard = shards[index]
            _ = await answer(to: "settings of \(shard.name)") { [defaults, logger] () -> Bool? in
                await logger.attempt("the settings of a shard") { () async throws(RedisError) in
                    _ = try await shard.configure(wanted[index]) { () throws(RedisError) in try await defaults.set(of: shard) }
                    logger.info("a shard has got the settings of its queue again", ["queue": shard.name])
                }
                return true
            }
        }
    }

    /// Returns the settings of each shard of a queue.
    private func wanted(_ sharded: ShardedQueue) -> [QueueChange] {
        let rules = registry.rules()
        if let known = settings[sharded.name], known.sharded == sharded, known.rules == rules { return known.shards }
        let shards = sharded.shards.indices.map { sharded.settings(ofShard: $0, rules) }
        settings[sharded.name] = (sharded, rules, shards)
        return shards
    }

    // MARK: Questions

    /// Asks shards, all at once.
    private func ask(_ questions: [LentShares.Question], _ shards: [Queue], _ lease: ShareLease?) async -> [SharePlan.Load?] {
        let answers = questions.map { question -> OneShot<SharePlan.Load?> in
            let (answer, shard) = (OneShot<SharePlan.Load?>(), shards[question.shard])
            // A silent one still has the last question.
            guard asked.insert(shard.name).inserted else {
                answer.complete(.success(nil))
                return answer
            }
            scope.run("ask \(shard.name)") { [self] in
                let load = await ask(shard, lease, question.share)
                asked.remove(shard.name)
                answer.complete(.success(load))
            }
            return answer
        }
        let limit = LoopTimer(after: Self.patience) { for answer in answers { answer.complete(.success(nil)) } }
        defer { limit.cancel() }
        var loads: [SharePlan.Load?] = []
        for answer in answers { loads.append((try? await answer.wait()) ?? nil) }
        return loads
    }

    private func ask(_ shard: Queue, _ lease: ShareLease?, _ share: Int?) async -> SharePlan.Load? {
        do throws(RedisError) {
            switch try await shard.share(lease, share) {
            case .load(let load): return load
            case .stale(let number):
                least = max(least, number + 1)
                if epoch == lease?.epoch { epoch = nil }
            }
        } catch {
            logger.refused("lending a share", error)
        }
        return nil
    }

    /// Keeps what shards may run at most, or reads it.
    /// - Returns: what is kept; nil without an answer, or if another coordinator lends.
    private func keep(_ held: [Int?]?, of shards: [Queue], _ lease: ShareLease) async -> [Int?]? {
        await answer(to: "keep what is lent") { [self] in
            do throws(RedisError) {
                // One that is no lender any more keeps nothing.
                guard held == nil || epoch == lease.epoch else { return nil }
                return try await shards[0].lent(lease, keeping: held, count: shards.count)
            } catch {
                logger.refused("lending shares", error)
                return nil
            }
        }
    }

    /// Returns the answer to a question; nil without one in time. It may have been heard all the same.
    private func answer<Answer: Sendable>(to what: String, _ body: @escaping @Loop () async -> Answer?) async -> Answer? {
        let answer = OneShot<Answer?>()
        scope.run(what) { answer.complete(.success(await body())) }
        return (try? await answer.wait(within: Self.patience, orElse: .success(nil))) ?? nil
    }
}
