import TintypeCore
package import TintypeTransport

/// The receipts of one supersede key in all shards of a queue. Inside a shard, `submit` supersedes an older receipt in the same step. Across shards, each
/// receipt takes a place first, is submitted, and then the older ones are dropped. It looks once more at the end: a newer one may have come.
@Loop
package struct SupersedePlaces {
    /// A receipt that is older.
    package struct Older: Sendable, Hashable {
        package let shard, receipt: String
    }

    /// How long the places are kept after the last request. A receipt lives for at most a day.
    private static let kept = Duration.seconds(2 * 86_400)

    private let node: RedisNode
    private let prefix: String
    private let scripts: QueueScripts

    /// - Parameters:
    ///   - key: the supersede key, as it is submitted.
    ///   - queue: the name of the queue.
    package init(of key: String, in queue: String, _ redis: RedisNodes, scripts: QueueScripts = .shipped) {
        // Clients choose the key, so its digest is the tag. No queue's name begins so.
        let tag = RedisTag("~" + Digest.sha256Hex("\(queue) \(key)".utf8, digits: 24))
        (node, prefix, self.scripts) = (redis.node(for: tag), tag.prefix, scripts)
    }

    /// Gives a receipt its place. A receipt that asks again keeps its place.
    /// - Parameter superseded: older receipts that have been dropped since.
    /// - Returns: whether it is the newest, and the older ones that may still be live.
    package func take(
        _ receipt: String, in shard: String, superseded: [String] = []
    ) async throws(RedisError) -> (isNewest: Bool, older: [Older]) {
        var arguments = ScriptArguments(.place)
        arguments.add(.receipt, receipt)
        arguments.add(.queue, shard)
        arguments.add(.keep, .int(Self.kept.milliseconds))
        arguments.add(items: superseded.map { .string($0) })
        let reply = try await node.run(scripts[.place], keys: [prefix], arguments.words)
        guard let words = reply.array, let isNewest = words.first?.int else { throw Queue.unexpected(.place, reply) }
        let names = words.dropFirst().compactMap(\.string)
        let older = stride(from: 0, to: names.count - 1, by: 2).map { Older(shard: names[$0], receipt: names[$0 + 1]) }
        return (isNewest == 1, older)
    }

    /// Ends the older receipts of the key, or the receipt itself if a newer one has come meanwhile. Call it once the receipt is submitted. Repeating the
    /// call is harmless.
    /// - Parameters:
    ///   - older: the answer of `take`.
    ///   - shard: the shard of the receipt.
    ///   - named: returns the shard of a name.
    package func supersede(
        _ older: [Older], by receipt: String, in shard: Queue, _ named: @Loop (String) -> Queue
    ) async throws(RedisError) {
        for one in older { _ = try await named(one.shard).drop(receipt: one.receipt, reason: "superseded") }
        let isNewest = try await take(receipt, in: shard.name, superseded: older.map(\.receipt)).isNewest
        if !isNewest { _ = try await shard.drop(receipt: receipt, reason: "superseded") }
    }
}
