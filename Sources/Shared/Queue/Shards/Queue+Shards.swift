package import TintypeTransport

extension Queue {
    /// Returns the queues with several shards, by name.
    /// - Parameter names: the names of all queues.
    package static func sharded(among names: [String], _ redis: RedisNodes) async throws(RedisError) -> [String: ShardedQueue] {
        var found: [String: ShardedQueue] = [:]
        for name in Set(names.lazy.filter(ShardNames.isShard).map(ShardNames.queue)).sorted() {
            let stored = try await shared(redis).command(["HGETALL", .string(QueueKeys.sharded(name))]).pairs
            found[name] = ShardedQueue(name: name, stored: stored)
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
    static func keep(_ sharded: ShardedQueue, _ change: QueueChange, _ redis: RedisNodes) async throws(RedisError) {
        let fields = sharded.stored(change).flatMap { [RedisArgument.string($0.name), .string($0.value)] }
        _ = try await shared(redis).command(["HSET", .string(QueueKeys.sharded(sharded.name))] + fields)
    }
}
