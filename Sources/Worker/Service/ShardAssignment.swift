import TintypeQueue

/// The queues and shards from which a worker claims. Pure: the caller supplies the time.
///
/// A worker serves the first shard of each of its queues, and a few of the others, its homes. A wait for work of sixty shards would cost Redis sixty
/// commands. Rendezvous hashing gives each shard about as many workers. Where work waits nevertheless, the worker is a guest for a while.
struct ShardAssignment: Sendable {
    /// The most shards of a queue that a worker serves all the time.
    static let homes = 8
    /// How long a guest stays after the last call.
    static let stay = Duration.seconds(10)

    private let worker: String
    private let queues: [String]
    private let preferredHosts: [String]
    /// The names of all queues and shards in Redis.
    private var listed: [String] = []
    private var guests: [String: ContinuousClock.Instant] = [:]

    init(worker: String, queues: [String], preferredHosts: [String] = []) {
        (self.worker, self.queues, self.preferredHosts) = (worker, queues, preferredHosts)
        homes = queues
    }

    /// Takes over the names of all queues and shards.
    /// - Returns: whether the seats have changed.
    mutating func list(_ names: [String]) -> Bool {
        guard names != listed else { return false }
        let before = homes
        listed = names
        homes = assignment()
        return homes != before
    }

    /// Returns whether a queue or shard was among the names.
    func knows(_ name: String) -> Bool { listed.contains(name) }

    /// Decides whether this worker is among those that should help shards.
    /// - Parameters:
    ///   - oneIn: one worker in so many should.
    ///   - round: a number that is another one for each call, so that the lot falls on other workers.
    /// - Returns: whether the seats have changed.
    mutating func help(_ shards: [String], oneIn: Int, round: UInt64, at now: ContinuousClock.Instant) -> Bool {
        let own = homes
        let strange = shards.filter { queues.contains(ShardNames.queue(of: $0)) && !own.contains($0) }
        guard !strange.isEmpty, oneIn <= 1 || Self.lot("\(worker) \(round)") % UInt64(oneIn) == 0 else { return false }
        let isNew = strange.contains { guests[$0] == nil }
        for shard in strange { guests[shard] = now + Self.stay }
        return isNew
    }

    /// Ends the visits that are over.
    /// - Returns: whether the seats have changed.
    mutating func leave(at now: ContinuousClock.Instant) -> Bool {
        let over = guests.filter { $0.value <= now }
        for shard in over.keys { guests[shard] = nil }
        return !over.isEmpty
    }

    /// The names of the queues and shards to claim from.
    var all: [String] { homes + guests.keys.filter { !homes.contains($0) }.sorted() }

    private var homes: [String] = []

    private func assignment() -> [String] {
        queues.flatMap { queue in
            let others = listed.filter { ShardNames.isShard($0) && ShardNames.queue(of: $0) == queue }
            let preferred = Set(preferredHosts.compactMap { ShardedQueue.shard(ofHost: $0, among: [queue] + others) })
            let drawn = others.sorted { (Self.lot("\(worker) \($0)"), $0) > (Self.lot("\(worker) \($1)"), $1) }
            let ranked: [String] = drawn.filter(preferred.contains) + drawn.filter { !preferred.contains($0) }
            return [queue] + ranked.prefix(Self.homes - 1)
        }
    }

    /// A number that looks random. FNV-1a, and the finish of SplitMix64, since FNV hardly spreads the last bytes.
    private static func lot(_ text: String) -> UInt64 {
        var hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
        hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
        return hash ^ (hash >> 31)
    }
}
