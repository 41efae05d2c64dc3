import TintypeCore
package import TintypeTransport

/// The receipts of one supersede key in all shards of a queue. A shard knows only its own, so the key is not submitted with them.
///
/// A receipt takes a place, is submitted, and is confirmed. Then it supersedes all that took their places before, unless a later one is confirmed already:
/// then it is superseded itself. So of two requests at once the one with the later place wins, whichever is confirmed first. One that is refused gives
/// its place up, and supersedes none.
@Loop
package struct SupersedeTickets {
    private enum State: String { case taken, confirmed, refused }

    private let node: RedisNode
    private let prefix: String
    private let scripts: QueueScripts
    /// How long the places are kept at least.
    private let kept: Duration

    /// - Parameters:
    ///   - key: the supersede key, as it is submitted.
    ///   - queue: the name of the queue.
    ///   - kept: how long the receipt may live.
    package init(of key: String, in queue: String, kept: Duration, _ redis: RedisNodes, scripts: QueueScripts = .shipped) {
        // Clients choose the key, so its digest is the tag. No queue's name begins so.
        let tag = RedisTag("~" + Digest.sha256Hex("\(queue) \(key)".utf8, digits: 24))
        (node, prefix, self.scripts, self.kept) = (redis.node(for: tag), tag.prefix, scripts, kept + .seconds(60))
    }

    /// Gives a receipt its place, before it is submitted. A receipt that asks again keeps its place.
    package func take(_ receipt: String, in shard: Queue) async throws(RedisError) { _ = try await place(receipt, in: shard, .taken) }

    /// Frees the place of a receipt that was refused.
    package func giveBack(_ receipt: String, in shard: Queue) async throws(RedisError) { _ = try await place(receipt, in: shard, .refused) }

    /// Ends the earlier receipts of the key, or the receipt itself if a later one is confirmed. Call it once the receipt is submitted. Repeating the call is
    /// harmless.
    /// - Parameter named: returns the shard of a name.
    package func supersede(by receipt: String, in shard: Queue, _ named: @Loop (String) -> Queue) async throws(RedisError) {
        let answer = try await place(receipt, in: shard, .confirmed)
        for one in answer.earlier { _ = try await named(one.shard).cancel(receipt: one.receipt, reason: "superseded") }
        if answer.isSuperseded { _ = try await shard.cancel(receipt: receipt, reason: "superseded") }
        let over = answer.earlier.map(\.receipt) + (answer.isSuperseded ? [receipt] : [])
        if !over.isEmpty { _ = try await place(receipt, in: shard, .confirmed, over: over) }
    }

    private func place(
        _ receipt: String, in shard: Queue, _ state: State, over: [String] = []
    ) async throws(RedisError) -> (isSuperseded: Bool, earlier: [(shard: String, receipt: String)]) {
        let arguments = ScriptArguments(
            .supersede,
            [.receipt: .string(receipt), .queue: .string(shard.name), .keep: .int(kept.milliseconds), .state: .string(state.rawValue)],
            items: over.map { .string($0) })
        let reply = try await node.run(scripts[.supersede], keys: [prefix], arguments.words)
        guard let words = reply.array, let isSuperseded = words.first?.int else { throw Queue.unexpected(.supersede) }
        let names = words.dropFirst().compactMap(\.string)
        return (isSuperseded == 1, stride(from: 0, to: names.count - 1, by: 2).map { (names[$0], names[$0 + 1]) })
    }
}
