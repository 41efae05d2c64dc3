import TintypeCore
import TintypeTransport
import TintypeQueue

/// Lends `maxConcurrent` of queues with several shards to their shards, each second, by demand. One coordinator lends at a time; the others ask to.
///
/// A coordinator that stood still may wake up in the middle of a round. Its number is smaller than that of the lender since, so the shards refuse it.
/// A shard whose server is away keeps its share until it answers again.
@Loop
final class ShareLender {
    private let registry: QueueRegistry
    private let scope: TaskScope
    private let logger: Logger
    private var timer: LoopTimer?
    private var isLending = false
    /// The number of this lender; nil while another coordinator lends.
    private var epoch: Int64?
    /// The least number that no shard refuses.
    private var least: Int64 = 0
    private var lent: [String: LentShares] = [:]

    /// The fetches that one worker more may take over.
    private static let taken = 8

    init(registry: QueueRegistry, scope: TaskScope, logger: Logger) {
        (self.registry, self.scope, self.logger) = (registry, scope, logger)
    }

    func start() { timer = LoopTimer(after: .seconds(1), repeating: true) { [weak self] in self?.tick() } }

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
        do throws(RedisError) {
            let next = try await Queue.lend(as: registry.coordinator, epoch, atLeast: least, registry.redis)
            if next != epoch { (epoch, lent) = (next, [:]) }
        } catch {
            return logger.refused("lending shares", error)
        }
        for sharded in registry.sharded.values { await lend(sharded) }
        lent = epoch == nil ? [:] : lent.filter { registry.sharded[$0.key] != nil }
    }

    private func lend(_ sharded: ShardedQueue) async {
        guard let epoch else { return }
        let shards = sharded.shards.map { registry.queue($0) }
        var shares = lent[sharded.name] ?? LentShares(sharded)
        let short = await shares.lend(sharded.total) { [self] shard, share in await ask(shards[shard], epoch, share) }
        lent[sharded.name] = shares
        guard !short.isEmpty, self.epoch == epoch else { return }
        await callHelp(short, shards, epoch)
    }

    /// Tells workers of shards whose own workers are too few. Every worker of a queue hears the first shard.
    private func callHelp(_ short: [LentShares.Short], _ shards: [Queue], _ epoch: Int64) async {
        do throws(RedisError) {
            let workers = try await shards[0].info()?.workers ?? 0
            let wanted = max(1, short.reduce(0) { $0 + $1.fetches } / Self.taken)
            _ = try await shards[0].share((registry.coordinator, epoch), help: (short.map { shards[$0.shard].name }, oneIn: max(1, workers / wanted)))
        } catch {
            logger.refused("calling workers to other shards", error)
        }
    }

    private func ask(_ shard: Queue, _ epoch: Int64, _ share: Int?) async -> SharePlan.Load? {
        do throws(RedisError) {
            switch try await shard.share((registry.coordinator, epoch), share) {
            case .load(let load): return load
            case .stale(let number): (self.epoch, least) = (nil, max(least, number + 1))
            }
        } catch {
            logger.refused("lending a share", error)
        }
        return nil
    }
}
