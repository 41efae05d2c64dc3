package import TintypeTransport

extension Queue {
    /// Returns the queues with several shards, by name.
    /// - Parameters:
    ///   - names: the names of all queues.
    ///   - known: those that were known before.
    package static func sharded(among names: [String], known: [String: ShardedQueue] = [:], _ redis: RedisNodes) async throws(RedisError) -> [String:
        ShardedQueue]
    {
        var found: [String: ShardedQueue] = [:]
        for name in Set(names.lazy.filter(ShardNames.isShard).map(ShardNames.queue)).sorted() {
            let stored = try await shared(redis).command(["HGETALL", .string(QueueKeys.sharded(name))]).pairs
            found[name] = ShardedQueue(name: name, stored: stored, like: known[name])
        }
        return found
    }

    /// Returns the name of the shard of this queue that knows an id which a client has chosen; nil if none does.
    package func shard(ofChosen receipt: String) async throws(RedisError) -> String? {
        let node = Self.shared(redis)
        if let owner = try await node.command(["GET", .string(QueueKeys.owner(ofReceipt: receipt))]).string?.split(separator: " ").first {
            return ShardNames.queue(of: String(owner)) == name ? String(owner) : nil
        }
        // `default` needs no reservation for an id of its own.
        guard name == Self.judge else { return nil }
        return try await node.command(["EXISTS", .string(QueueKeys(name).receipt(receipt))]).int == 1 ? name : nil
    }

    /// Keeps the settings of a queue as a whole.
    /// - Parameter isMade: whether all shards are there, so that the queue counts as one with shards.
    static func keep(_ sharded: ShardedQueue, _ change: QueueChange, isMade: Bool = true, _ redis: RedisNodes) async throws(RedisError) {
        let fields = sharded.stored(change, isMade: isMade).flatMap { [RedisArgument.string($0.name), .string($0.value)] }
        guard !fields.isEmpty else { return }
        _ = try await shared(redis).command(["HSET", .string(QueueKeys.sharded(sharded.name))] + fields)
    }
}

extension ShardedQueue {
    /// Makes the shards and their settings again, which Redis has lost. Any number of coordinators may do so at once.
    ///
    /// No share is raised: only the lender knows the free permits. A shard that is new has none, and the first one, which may have lost its own, gives it up.
    /// - Parameter named: returns the queue of a name.
    @Loop
    package func restore(_ redis: RedisNodes, _ named: @Loop (String) -> Queue) async throws(RedisError) {
        try await named(name).lowerShare(to: 0)
        for (index, name) in shards.enumerated() { _ = try await named(name).configure(settings(ofShard: index)) }
        try await Queue.keep(self, whole, redis)
    }
}
