package import TintypeTransport

/// One named queue in Redis. Everything that happens to it is one script, hence one round trip and all or nothing.
///
/// A value without state of its own: as many as one likes may stand for the same queue, in one process or many. Coordinators submit, drop
/// and reap; workers claim, beat and finish. The scripts' own pages, Queue/Scripts, say exactly what each does; docs/redis.md what is
/// kept where. All calls may be repeated after `RedisError.connectionLost` or `.timedOut`.
@Loop
package final class Queue {
    package nonisolated let name: String
    package nonisolated let keys: QueueKeys
    let redis: RedisNodes
    /// The server that has this queue.
    package let node: RedisNode
    let scripts: QueueScripts
    /// How long it bears with whoever is silent.
    package nonisolated let times: QueueTimes
    /// A test's time in epoch ms; nil for the time of Redis.
    package var clock: Int64?
    /// A test's dice, 0…1: how much longer than half a back-off is; nil for chance.
    package var jitter: Double?

    /// - Parameters:
    ///   - redis: best with `QueueScripts.shipped.all` among its scripts.
    ///   - scripts: altered ones only in tests.
    package init(name: String, redis: RedisNodes, scripts: QueueScripts = .shipped, times: QueueTimes = .standard) {
        (self.name, self.times) = (name, times)
        keys = QueueKeys(name)
        self.redis = redis
        node = redis.node(for: keys.tag)
        self.scripts = scripts
    }

    /// Runs a script on this queue.
    func run(_ script: LuaScript, _ arguments: [RedisArgument]) async throws(RedisError) -> RedisReply {
        try await node.run(script, keys: scriptKeys, arguments)
    }

    /// Runs a script of this queue's on what there is once for all queues.
    func run(shared script: LuaScript, _ arguments: [RedisArgument]) async throws(RedisError) -> RedisReply {
        try await Self.shared(redis).run(script, keys: keys(of: QueueKeys.shared), arguments)
    }

    /// The server that has what there is once for all queues.
    static func shared(_ redis: RedisNodes) -> RedisNode { redis.node(for: QueueKeys.shared) }

    /// Does something with each of many queues. Of several, one whose keys are of another schema is passed over.
    package static func each(of queues: [Queue], _ body: @Loop (Queue) async throws(RedisError) -> Void) async throws(RedisError) {
        for queue in queues {
            do throws(RedisError) {
                try await body(queue)
            } catch {
                guard case .foreignQueue = error, queues.count > 1 else { throw error }
            }
        }
    }

    var scriptKeys: [String] { keys(of: keys.tag) }

    /// What tells a script which keys are meant, and a test's time, which has the same tag.
    private func keys(of tag: RedisTag) -> [String] { clock.map { [tag.prefix, "\(tag.prefix)\($0)"] } ?? [tag.prefix] }

    /// The answer of a script that is another one than this version of the program knows.
    nonisolated static func unexpected(_ script: LuaScript, _ reply: RedisReply) -> RedisError {
        .reply("script \(script.name) answered something else than expected")
    }
}
