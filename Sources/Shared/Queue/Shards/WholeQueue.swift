package import TintypeTransport
package import TintypeImages

/// A queue as clients know it: all its shards together. Most queues have one.
///
/// A command on several shards is several scripts. While the server of one shard is away, the command fails after it has changed the others, and
/// repeating it is harmless. Settings and a pause are kept for the queue as a whole first, and the lender gives them to shards that have missed them.
@Loop
package struct WholeQueue {
    package let name: String
    /// The shards, the queue's own first; and those of an attempt to make shards that has not ended.
    package let parts: [Queue]
    /// The settings as a whole, as they were last read; nil for a queue with one shard.
    package let sharded: ShardedQueue?

    package init(name: String, parts: [Queue], sharded: ShardedQueue?) { (self.name, self.parts, self.sharded) = (name, parts, sharded) }

    private var first: Queue { parts[0] }

    /// Returns the settings as a whole, which another coordinator may have changed a moment ago; nil for a queue with one shard.
    private func current() async throws(RedisError) -> ShardedQueue? {
        guard let sharded else { return nil }
        let read = try await Queue.sharded(among: sharded.shards, known: [name: sharded], first.redis)[name]
        // Without its hash, Redis has lost the queue, and the list of queues restores it.
        return read?.shards == sharded.shards ? read : sharded
    }

    /// Returns the state of the queue; nil if there is no such queue.
    /// - Parameter hosts: whether to read the limits of hosts too.
    package func info(hosts: Bool = true) async throws(RedisError) -> QueueInfo? {
        guard var info = try await first.info(hosts: hosts) else { return nil }
        for part in parts.dropFirst() { if let other = try await part.info(hosts: false) { info.add(other) } }
        info.name = name
        guard let sharded = try await current() else { return info }
        info.shards = sharded.count
        info.limits.maxConcurrent = sharded.total
        info.limits.maxConcurrentPerHost = sharded.maxConcurrentPerHost ?? info.limits.maxConcurrentPerHost
        if hosts { info.limits.hostLimits = sharded.hostLimits }
        (info.order, info.paused) = (sharded.order, sharded.paused)
        return info
    }

    /// Changes settings (`Queue.configure`).
    /// - Parameters:
    ///   - rules: the operator's limits.
    ///   - setDefaults: sets the operator's defaults of a shard that is new.
    package func configure(
        _ change: QueueChange, _ rules: HostLimits, setDefaults: @Loop (Queue) async throws(RedisError) -> Void
    ) async throws(RedisError) -> QueueInfo? {
        guard var sharded = try await current() else {
            return try await first.configure(change) { () throws(RedisError) in try await setDefaults(first) }
        }
        sharded.apply(change)
        try await Queue.keep(sharded, change, first.redis)
        try await each { [sharded] part throws(RedisError) in
            guard let index = sharded.shards.firstIndex(of: part.name) else { return }
            // A lower limit counts at once. Only the lender may raise a share.
            if change.maxConcurrent != nil { try await part.lowerShare(to: sharded.firstShare(index)) }
            // All settings are set again, so that a shard that has missed a change has them too.
            _ = try await part.configure(sharded.settings(ofShard: index, rules)) { () throws(RedisError) in try await setDefaults(part) }
        }
        return try await WholeQueue(name: name, parts: parts, sharded: sharded).info()
    }

    /// Gives the queue shards, with the settings that it has. It should have no fetches. `configure` has to follow.
    ///
    /// If it fails, the queue is as before, and the call may be repeated with the same number. Until the first lender has come, only the first shard has
    /// permits, so the shares add up.
    /// - Parameters:
    ///   - info: the queue as it is.
    ///   - usual: the operator's default for `maxQueued`.
    ///   - rules: the operator's limits.
    ///   - make: returns the queue of a name.
    ///   - setDefaults: sets the operator's defaults of a shard.
    package func split(
        into count: Int, _ info: QueueInfo, usual: Int, _ rules: HostLimits, make: @Loop (String) -> Queue,
        setDefaults: @Loop (Queue, Int, ShardedQueue) async throws(RedisError) -> Void
    ) async throws(RedisError) {
        var sharded = ShardedQueue(name: name, count: count)
        sharded.apply(
            QueueChange(
                order: info.order, maxConcurrent: info.limits.maxConcurrent, maxConcurrentPerHost: info.limits.maxConcurrentPerHost,
                hostLimits: info.limits.hostLimits, maxQueued: info.limits.maxQueued == usual ? nil : info.limits.maxQueued, paused: info.paused))
        try await Queue.keep(sharded, sharded.whole, isMade: false, first.redis)
        for (index, name) in sharded.shards.enumerated().dropFirst() {
            let shard = make(name)
            let part = sharded.settings(ofShard: index, rules)
            // An earlier attempt that failed may have given it a share.
            try await shard.lowerShare(to: 0)
            _ = try await shard.configure(part)
            try await setDefaults(shard, index, sharded)
        }
        try await Queue.keep(sharded, sharded.whole, first.redis)
        try await setDefaults(first, 0, sharded)
        // Workers look for their homes now. A call for help may come too late, when the server of the first shard is lost. If this call fails, all is done
        // nevertheless: workers ask again with the next connection.
        _ = try? await first.share(nil, help: (Array(sharded.shards.dropFirst()), 1))
    }

    /// Stops new claims. Running fetches go on.
    package func pause() async throws(RedisError) -> QueueInfo? { try await setPaused(true) }

    package func resume() async throws(RedisError) -> QueueInfo? { try await setPaused(false) }

    private func setPaused(_ paused: Bool) async throws(RedisError) -> QueueInfo? {
        var change = QueueChange(paused: paused)
        guard var sharded = try await current() else { return try await first.configure(change, create: false) }
        sharded.apply(change)
        try await Queue.keep(sharded, change, first.redis)
        // The lender gives each shard the mark of all of its settings.
        change.mark = ""
        try await each { [change] part throws(RedisError) in _ = try await part.configure(change, create: false) }
        return try await WholeQueue(name: name, parts: parts, sharded: sharded).info()
    }

    /// Runs `body` with each shard, also when it has failed for another one.
    /// - Throws: the first error.
    private func each(_ body: @Loop (Queue) async throws(RedisError) -> Void) async throws(RedisError) {
        var failure: RedisError?
        for part in parts { do throws(RedisError) { try await body(part) } catch { failure = failure ?? error } }
        if let failure { throw failure }
    }

    /// Cancels every live receipt (`Queue.cancelAll`).
    package func cancelAll(reason: String) async throws(RedisError) {
        for part in parts { try await part.cancelAll(reason: reason) }
    }
}

extension QueueInfo {
    /// Adds another shard.
    mutating func add(_ other: QueueInfo) {
        paused = paused && other.paused
        queued += other.queued
        delayed += other.delayed
        running += other.running
        dead += other.dead
        oldestQueuedSeconds = [oldestQueuedSeconds, other.oldestQueuedSeconds].compactMap(\.self).max()
        heldHosts.merge(other.heldHosts) { max($0, $1) }
        askingHosts.formUnion(other.askingHosts)
        deadLetters += other.deadLetters
        limits.maxQueued += other.limits.maxQueued
        blacklisted += other.blacklisted
        workers = max(workers, other.workers)
    }
}
