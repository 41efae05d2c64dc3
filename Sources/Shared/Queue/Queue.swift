import TintypeCore
package import TintypeTransport

/// One named queue in Redis. Every change to it is one script, hence one round trip, and all or nothing.
///
/// The object has no state of its own, so any number of them may stand for the same queue, in one process or many. Coordinators submit, cancel and reap;
/// workers claim, beat and finish. The header of each script in Queue/Scripts says exactly what it does, and Sources/Shared/queue.md lists the keys. All calls
/// may be repeated after `RedisError.connectionLost` or `.timedOut`.
@Loop
package final class Queue {
    package nonisolated let name: String
    /// The name as clients know it; another one than `name` for a shard.
    package nonisolated let publicName: String
    package nonisolated let keys: QueueKeys
    let redis: RedisNodes
    /// The server that has this queue.
    package let node: RedisNode
    let scripts: QueueScripts
    /// The times after which a silent worker or coordinator counts as dead.
    package nonisolated let times: QueueTimes
    /// The hosts whose fetches a worker claims before others of the same priority.
    package var preferredHosts: [String] = []
    /// The time of a test in epoch ms; nil for the time of Redis.
    package var clock: Int64?
    /// The jitter of a test, 0…1: a back-off lasts 0.5 plus this times its length; nil for a random one.
    package var jitter: Double?

    /// - Parameters:
    ///   - redis: should have `QueueScripts.shipped.all` among its scripts.
    ///   - scripts: altered only in tests.
    package init(name: String, redis: RedisNodes, scripts: QueueScripts = .shipped, times: QueueTimes = .standard) {
        (self.name, publicName, self.times) = (name, ShardNames.queue(of: name), times)
        keys = QueueKeys(name)
        self.redis = redis
        node = redis.node(for: keys.tag)
        self.scripts = scripts
    }

    /// - Parameter waits: whether the call waits for a slot that moves (`RedisNode.run`).
    func run(_ script: QueueScript, _ arguments: [RedisArgument], waits: Bool = true) async throws(RedisError) -> RedisReply {
        try await node.run(scripts[script], keys: scriptKeys, arguments, waits: waits)
    }

    /// Runs a script of this queue on the keys that exist once for all queues.
    func run(shared script: QueueScript, _ arguments: [RedisArgument]) async throws(RedisError) -> RedisReply {
        try await Self.shared(redis).run(scripts[script], keys: keys(of: QueueKeys.shared), arguments)
    }

    /// Returns the server with the keys that exist once for all queues.
    static func shared(_ redis: RedisNodes) -> RedisNode { redis.node(for: QueueKeys.shared) }

    /// Calls a function with each of the queues. If there are several, a queue of another schema is skipped.
    /// - Parameter count: how many there are, if these are only some of them.
    package static func each(
        of queues: [Queue], among count: Int? = nil, _ body: @Loop (Queue) async throws(RedisError) -> Void
    ) async throws(RedisError) {
        for queue in queues {
            do throws(RedisError) {
                try await body(queue)
            } catch {
                guard case .foreignQueue = error, count ?? queues.count > 1 else { throw error }
            }
        }
    }

    var scriptKeys: [String] { keys(of: keys.tag) }

    /// Returns the keys of a script: the prefix, and perhaps the time of a test, which has the same tag.
    private func keys(of tag: RedisTag) -> [String] { clock.map { [tag.prefix, "\(tag.prefix)\($0)"] } ?? [tag.prefix] }

    /// Returns what was read from a script's answer.
    /// - Throws: `unexpected` if it is nil.
    nonisolated static func known<Answer>(_ answer: Answer?, of script: QueueScript) throws(RedisError) -> Answer {
        if let answer { return answer }
        throw unexpected(script)
    }

    /// The error for a script's answer that this version of the program does not know.
    nonisolated static func unexpected(_ script: QueueScript) -> RedisError {
        .reply("script \(script.rawValue) gave an unexpected answer")
    }
}
