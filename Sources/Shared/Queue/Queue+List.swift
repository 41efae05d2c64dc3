import TintypeCore
package import TintypeTransport

/// Which queues there are: a list beside `default`, and in each queue's own settings that it was made. The two are of different slots of a
/// Redis Cluster, so no script changes both; what is listed and not made does no harm, what is made and not listed nobody would look after.
extension Queue {
    /// What was never used may go so long after it was made or configured: whoever made it has had the time to use it.
    package nonisolated static let unusedTime: Duration = .seconds(3600)
    /// What was used may go so long after any coordinator had to do with it, or a worker served it: a receipt is live for a day at the most
    /// and known for another.
    package nonisolated static let forgottenTime: Duration = .seconds(49 * 3600)

    /// Puts the queue on the list, under a mark that is new each time.
    func list() async throws(RedisError) {
        _ = try await Self.shared(redis).command(["HSET", .string(QueueKeys.registry), .string(name), .string(Digest.randomHex(bytes: 8))])
    }

    /// Takes the queue away if nobody has a use for it: there is nothing in it, nobody serves it, and nobody has given it a setting, not even
    /// the one it would have without.
    ///
    /// One script looks and takes away, so a submit at the same moment comes before, and the queue stays, or after, and is told that there is
    /// no such queue. Then the name leaves the list, if the mark beside it is the one from before the look: `configure` lists a queue
    /// before it is made and, by another mark, once more after that, so whichever way the two mix, what is made is listed. A coordinator
    /// that has listened to the queue since it started greets in it, and whoever serves it beats: such queues stay. One that has read the
    /// list just before may begin to listen just after; it has submits refused then, and the queue anew if somebody makes it again.
    /// - Parameters:
    ///   - unused: how long it must not have been configured.
    ///   - forgotten: how long nobody must have had to do with it.
    /// - Returns: whether it is gone.
    package func unmake(unused: Duration = Queue.unusedTime, forgotten: Duration = Queue.forgottenTime) async throws(RedisError) -> Bool {
        let mark = try await Self.shared(redis).command(["HGET", .string(QueueKeys.registry), .string(name)])
        guard PlainWord(try await run(scripts.unmake, [.int(unused.milliseconds), .int(forgotten.milliseconds)])) == .ok else { return false }
        guard let mark = mark.string else { return true }
        _ = try await run(shared: scripts.strike, [.string(name), .string(mark)])
        return true
    }
}
