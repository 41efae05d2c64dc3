package import TintypeCore

/// The connections on which a worker waits for the markers of its queues. They do nothing else, since a connection that waits runs no other command.
///
/// One connection waits for all markers at once. A cluster refuses that (CROSSSLOT), because the markers have different slots. From then on each tag has a
/// connection of its own, and the first marker ends the other waits. So one queue needs one connection everywhere. Where the topology is a cluster, that is
/// known before.
@Loop
package final class MarkerWaiter {
    /// A key to wait for.
    package struct Key: Sendable {
        let tag: RedisTag
        let key: String

        package init(_ key: String, of tag: RedisTag) {
            assert(tag.owns(key), "\(key) is no key of \(tag.prefix)")
            (self.key, self.tag) = (key, tag)
        }
    }

    /// A command that its server runs at the end of a wait.
    package struct Command: Sendable {
        let tag: RedisTag
        let words: [RedisArgument]
        /// The name of the command or script for metrics.
        let name: String

        package init(_ words: [RedisArgument], named name: String, of tag: RedisTag) {
            assert(tag.objection(to: words) == nil, tag.objection(to: words) ?? "")
            (self.tag, self.words, self.name) = (tag, words, name)
        }
    }

    /// A wait that is over.
    package struct End: Sendable {
        /// The keys for which it waited, as their places in the call.
        package let keys: [Int]
        /// The reply of the wait; null if its time was over or another wait ended it.
        package let reply: Result<RedisReply, RedisError>
        /// The commands that were sent with it, as their places in the call, and their results.
        package let others: [(place: Int, result: Result<RedisReply, RedisError>)]
    }

    /// How long other waits go on after one has failed. Its server may be back then, and would have no wait meanwhile.
    private static let patience = Duration.seconds(1)

    private let make: @Loop (RedisTag) -> RedisNodes
    private let meter: RedisMeter?
    /// The connection for all tags; nil in a cluster.
    private let first: RedisNodes?
    /// The connections of tags, once a server has refused to wait for several; the first tag has `first`.
    private var apart: [RedisTag: RedisNodes]?
    /// The tags that are waited for; nil: all that were.
    private var kept: Set<RedisTag>?
    /// The connections that wait now.
    private var waiting: [ObjectIdentifier: RedisNodes] = [:]
    private let scope = TaskScope()
    /// When the waits that are left must end, as one has ended.
    private var limit: ContinuousClock.Instant?
    private var isStopped = false

    /// - Parameters:
    ///   - meter: counts the commands behind waits; nil: they are not counted.
    ///   - make: makes a connection that no other code uses, to a Redis with one server.
    package init(_ topology: any RedisTopology, meter: RedisMeter? = nil, _ make: @escaping @Loop (any RedisTopology) -> RedisNodes) {
        (self.make, self.meter) = ({ make(topology.part(of: $0)) }, meter)
        let isCluster = topology is ClusterTopology
        first = isCluster ? nil : make(topology)
        if isCluster { apart = [:] }
    }

    /// Starts to connect, and retries for ever.
    package func start() { first?.start() }

    /// Closes all connections. Waits fail.
    package func stop() {
        isStopped = true
        first?.stop()
        for nodes in (apart ?? [:]).values { nodes.stop() }
        scope.cancelAll()
    }

    /// Closes the connections of all other tags. One that waits now is closed at the end of its wait, which may bring the answers of claims.
    package func keep(_ tags: Set<RedisTag>) {
        kept = tags
        for tag in Array((apart ?? [:]).keys) { closeIfLeft(tag) }
    }

    private func closeIfLeft(_ tag: RedisTag) {
        guard let kept, !kept.contains(tag), let nodes = apart?[tag], nodes !== first, waiting[ObjectIdentifier(nodes)] == nil else { return }
        apart?[tag] = nil
        nodes.stop()
    }

    /// Waits until there is a connection.
    /// - Throws: `.unavailable` when there is none in time.
    package func untilConnected(within time: Duration) async throws(RedisError) {
        if let any = first ?? apart?.values.first(where: \.isConnected) ?? apart?.values.first { try await any.untilConnected(within: time) }
    }

    /// Waits until one of several sorted sets has a member and pops it. Each command runs the moment the wait for its tag is over.
    /// - Parameters:
    ///   - keys: the keys to wait for; at least one.
    ///   - time: the longest wait.
    ///   - others: the commands, each of the tag of one of the keys.
    ///   - redis: connections that do not wait, to end waits.
    ///   - ended: called with the end of each wait, before the others end. On a server that is no cluster there is one.
    package func pop(
        anyOf keys: [Key], within time: Duration, then others: [Command], endedBy redis: RedisNodes, _ ended: @Loop (End) -> Void
    ) async {
        let parts = await self.parts(keys)
        limit = nil
        guard parts.count > 1 else {
            guard let part = parts.first else { return }
            return ended(await wait(part, keys, within: time, then: others))
        }
        await withTaskGroup(of: End?.self) { group in
            for part in parts { group.addTask { await self.wait(part, keys, within: time, then: others) } }
            for await case let end? in group {
                ended(end)
                let due = ContinuousClock.now + (Self.isFailure(end) ? Self.patience : .zero)
                if limit == nil {
                    group.addTask {
                        await self.endWaits(by: redis)
                        return nil
                    }
                }
                limit = min(limit ?? due, due)
            }
        }
    }

    /// Ends all waits under way, as if their time were over. A server that does not answer within a second is left alone; its wait ends by its own time.
    /// - Returns: false if none was under way at this moment.
    package func end(by redis: RedisNodes) async -> Bool {
        let ended = waiting.values.map { nodes in
            let ended = OneShot<Bool>()
            scope.run("end a wait") { ended.complete(.success((try? await redis.unblock(nodes)) ?? false)) }
            return ended
        }
        let limit = LoopTimer(after: Self.patience) { for one in ended { one.complete(.success(false)) } }
        defer { limit.cancel() }
        var hasEnded = false
        for one in ended where (try? await one.wait()) == true { hasEnded = true }
        return hasEnded
    }

    /// Ends the waits that are left when their limit has come. A wait may be just about to begin, so this repeats until none is left. If Redis does not
    /// answer, each ends by its own time.
    private func endWaits(by redis: RedisNodes) async {
        while !waiting.isEmpty, !Task.isCancelled {
            if limit.map({ $0 <= .now }) ?? false { _ = await end(by: redis) }
            guard !waiting.isEmpty, (try? await Loop.sleep(.milliseconds(5))) != nil else { return }
        }
    }

    private static func isFailure(_ end: End) -> Bool { if case .failure = end.reply { true } else { false } }

    /// The keys that one connection waits for, as their places in the call.
    private struct Part: Sendable {
        let nodes: RedisNodes
        let keys: [Int]
    }

    private func parts(_ keys: [Key]) async -> [Part] {
        if apart == nil, let first { return keys.isEmpty ? [] : [Part(nodes: first, keys: Array(keys.indices))] }
        var parts: [Part] = []
        for (tag, places) in Dictionary(grouping: keys.indices, by: { keys[$0].tag }).sorted(by: { $0.value[0] < $1.value[0] }) {
            parts.append(Part(nodes: await connection(of: tag), keys: places))
        }
        return parts
    }

    private func connection(of tag: RedisTag) async -> RedisNodes {
        if let known = apart?[tag] { return known }
        let used = apart?.isEmpty ?? true ? first : nil
        let nodes = used ?? make(tag)
        apart?[tag] = nodes
        if used == nil, !isStopped {
            nodes.start()
            try? await nodes.untilConnected(within: Self.patience)
        }
        return nodes
    }

    private func wait(_ part: Part, _ keys: [Key], within time: Duration, then others: [Command]) async -> End {
        let tags = Set(part.keys.map { keys[$0].tag })
        let places = others.indices.filter { tags.contains(others[$0].tag) }
        waiting[ObjectIdentifier(part.nodes)] = part.nodes
        defer {
            waiting[ObjectIdentifier(part.nodes)] = nil
            for tag in tags { closeIfLeft(tag) }
        }
        let results = await part.nodes.pop(
            anyOf: part.keys.map { keys[$0].key }, within: time, then: places.map { others[$0].words },
            countedBy: meter.map { WaitMeter($0, places.map { others[$0].name }) })
        var reply = results[0]
        if case .failure(.reply(let text)) = reply, RedisErrorReply(text) == .crossSlot, tags.count > 1 {
            // The commands ran all the same. The next call waits on several connections.
            apart = apart ?? [:]
            reply = .success(.null)
        }
        return End(keys: part.keys, reply: reply, others: zip(places, results.dropFirst()).map { (place: $0, result: $1) })
    }
}
