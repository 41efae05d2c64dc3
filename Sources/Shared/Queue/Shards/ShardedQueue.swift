import TintypeCore
package import TintypeImages

/// A queue that is stored as several queues, its shards, so that several servers of a Redis Cluster share its work. A pure value: the settings as the
/// operator gave them, and the settings of each shard.
///
/// Every shard is a whole queue. A fetch in another shard than its own runs all the same, as after a change of the settings that not all coordinators
/// know yet. Then the limit of its host may be exceeded, and its results are made again.
package struct ShardedQueue: Sendable, Hashable {
    package static let most = 64
    /// The limit from which a host's fetches are spread over all shards, each with its part of the limit. One's own origin has such a limit; foreign
    /// hosts have less, and are in one shard each.
    package static let spreading = 64

    package let name: String
    /// The names of the shards, the queue's own first.
    package let shards: [String]
    /// The settings for the queue as a whole.
    package var maxConcurrent: Int?
    package var maxConcurrentPerHost: Int?
    package var hostLimits: [String: Int] = [:]
    package var maxQueued: Int?
    package var order = QueueOrder.fifo
    package var paused = false

    /// - Parameter other: the same queue as it was known before, whose names need not be found again.
    package init(name: String, count: Int, like other: ShardedQueue? = nil) {
        self.name = name
        shards = other?.name == name && other?.count == count ? other?.shards ?? [] : ShardNames.all(of: name, count: count)
    }

    package var count: Int { shards.count }
    /// The most fetches that run at once in all shards.
    package var total: Int { maxConcurrent ?? QueueLimits.usualConcurrent }

    // MARK: Fetches

    /// Returns the name of the shard of a fetch.
    /// - Parameters:
    ///   - host: the host of its first URL; `data:` and `file:` without one.
    ///   - source: the digest of its source, in hexadecimal or any other text that differs among sources.
    ///   - rules: the operator's limits.
    package func shard(ofHost host: String, source: String, rules: HostLimits) -> String {
        shards[HostShard.index(of: isSpread(host, rules) ? source : host, count: count)]
    }

    /// Returns the name of the shard of a host that is not spread, by the names of all shards alone.
    /// - Parameter shards: the names of the shards, in any order.
    package static func shard(ofHost host: String, among shards: [String]) -> String? {
        guard let queue = shards.first.map(ShardNames.queue), (2...most).contains(shards.count) else { return shards.first }
        return ShardNames.all(of: queue, count: shards.count)[HostShard.index(of: host, count: shards.count)]
    }

    /// Returns whether the fetches of a host are in all shards. A host with a pace is in one: the time between two fetches cannot be divided.
    func isSpread(_ host: String, _ rules: HostLimits) -> Bool {
        if rules.hasPace(host) { return false }
        if let own = hostLimits[host] { return own >= Self.spreading }
        if host == "data:" { return true }
        return (rules.limit(of: host) ?? maxConcurrentPerHost ?? QueueLimits.usualConcurrentPerHost) >= Self.spreading
    }

    // MARK: Settings

    /// Takes a change over.
    package mutating func apply(_ change: QueueChange) {
        maxConcurrent = change.maxConcurrent ?? maxConcurrent
        maxConcurrentPerHost = change.maxConcurrentPerHost ?? maxConcurrentPerHost
        hostLimits = change.hostLimits ?? hostLimits
        maxQueued = change.maxQueued ?? maxQueued
        order = change.order ?? order
        paused = change.paused ?? paused
    }

    /// The settings of the whole queue.
    var whole: QueueChange {
        QueueChange(
            order: order, maxConcurrent: maxConcurrent, maxConcurrentPerHost: maxConcurrentPerHost, hostLimits: hostLimits, maxQueued: maxQueued,
            paused: paused)
    }

    /// Returns the settings of one shard, with their mark. `maxConcurrent` is left out: shares of it are lent (`SharePlan`).
    /// - Parameter rules: the operator's limits.
    package func settings(ofShard index: Int, _ rules: HostLimits = HostLimits()) -> QueueChange {
        var change = QueueChange(
            order: order, maxConcurrentPerHost: maxConcurrentPerHost.map { Self.part($0, index, of: count) },
            // A host with a pace is in one shard, with all of its limit.
            hostLimits: Dictionary(uniqueKeysWithValues: hostLimits.map { ($0, rules.hasPace($0) ? $1 : Self.part($1, index, of: count)) }),
            maxQueued: maxQueued.map { ($0 + count - 1) / count }, paused: paused)
        let limits = (change.hostLimits ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let words = [order.rawValue, "\(paused)", "\(change.maxConcurrentPerHost ?? 0)", "\(change.maxQueued ?? 0)"] + limits
        change.mark = Digest.sha256Hex(words.joined(separator: "\n").utf8, digits: 16)
        return change
    }

    /// Returns the operator's limits for one shard.
    package func limits(_ rules: HostLimits, ofShard index: Int) -> HostLimits {
        rules.mapUnpaced { Self.part($0, index, of: count) }
    }

    /// Returns the default for `maxQueued` in one shard.
    package func maxQueued(_ usual: Int) -> Int { (usual + count - 1) / count }

    package func firstShare(_ index: Int) -> Int { total / count + (index < total % count ? 1 : 0) }

    /// Returns a host's limit in a shard: its part if the host is spread, else all of it.
    private static func part(_ limit: Int, _ index: Int, of count: Int) -> Int {
        limit < spreading ? limit : limit / count + (index < limit % count ? 1 : 0)
    }
}

extension ShardedQueue {
    /// The fields of its hash in Redis.
    private enum Field: String {
        case shards, maxConcurrent, maxConcurrentPerHost, hostLimits, maxQueued, order, paused
    }

    /// Reads the hash; nil if the queue has no shards.
    init?(name: String, stored: [String: String], like other: ShardedQueue? = nil) {
        func number(_ field: Field) -> Int? { stored[field.rawValue].flatMap { WireNumber.integer($0) }.map { Int($0) } }
        guard let count = number(.shards), (2...Self.most).contains(count) else { return nil }
        self.init(name: name, count: count, like: other)
        (maxConcurrent, maxConcurrentPerHost, maxQueued) = (number(.maxConcurrent), number(.maxConcurrentPerHost), number(.maxQueued))
        order = stored[Field.order.rawValue].flatMap { QueueOrder(rawValue: $0) } ?? .fifo
        paused = stored[Field.paused.rawValue] == "1"
        let limits = stored[Field.hostLimits.rawValue].flatMap { try? JSON(parsing: $0) }?.object
        for (host, limit) in limits?.members ?? [] { hostLimits[host] = limit.int.flatMap { WireNumber.bounded(Int64($0)) }.map { Int($0) } }
    }

    /// Returns the fields that a change sets, so that two changes at once both count.
    /// - Parameter isMade: whether all shards are there.
    func stored(_ change: QueueChange, isMade: Bool = true) -> [(name: String, value: String)] {
        var fields: [(Field, String)] = isMade ? [(.shards, "\(count)")] : []
        for (field, number) in [
            (Field.maxConcurrent, change.maxConcurrent), (.maxConcurrentPerHost, change.maxConcurrentPerHost), (.maxQueued, change.maxQueued),
        ] {
            if let number { fields.append((field, "\(number)")) }
        }
        if let order = change.order { fields.append((.order, order.rawValue)) }
        if let paused = change.paused { fields.append((.paused, paused ? "1" : "0")) }
        if let limits = change.hostLimits {
            fields.append((.hostLimits, JSON.object(JSONObject(limits.sorted { $0.key < $1.key }.map { ($0.key, JSON($0.value)) })).text))
        }
        return fields.map { ($0.0.rawValue, $0.1) }
    }
}

/// The shard of a host. A host's fetches are in one shard, so that its limits hold exactly.
enum HostShard {
    /// Returns the shard of a text, 0 up to below `count`. One shard more moves only its own part of the texts.
    static func index(of text: String, count: Int) -> Int { jump(hash(text), count) }

    /// FNV-1a, 64 bits. Source: Fowler, Noll and Vo, RFC 9923.
    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// Source: Lamping and Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm", 2014.
    private static func jump(_ key: UInt64, _ count: Int) -> Int {
        var (key, bucket, next) = (key, 0.0, 0.0)
        while next < Double(count) {
            bucket = next
            key = key &* 2_862_933_555_777_941_757 &+ 1
            next = ((bucket + 1) * (Double(UInt64(1) << 31) / Double((key >> 33) + 1))).rounded(.down)
        }
        return Int(bucket)
    }
}
