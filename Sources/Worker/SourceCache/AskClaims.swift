import TintypeCore
import TintypeTransport

/// Which worker of a fleet asks for a source that was served stale: the first that says so, in Redis, `tintype:{held}:ask:<key>`.
///
/// A claim ends with the ask. That of a worker that has died runs out, later than any ask may take. A Redis that does not answer forbids
/// nothing: then one worker asks beside another. Lives on the loop.
@Loop struct AskClaims {
    /// Longer than an ask may take.
    static let lifetime = Duration.seconds(StaleAsks.total + 15)

    private let node: RedisNode
    private static let tag = RedisSpace.held.tag

    init(_ redis: RedisNodes) { node = redis.node(for: Self.tag) }

    private static func name(_ key: String) -> RedisArgument { .string(tag.prefix + "ask:" + key) }

    /// Claims an ask for the source that is kept under a key.
    /// - Returns: false when another worker has it, or its origin is left alone.
    func take(_ key: String) async -> Bool {
        let words: [RedisArgument] = ["SET", Self.name(key), "1", "NX", "PX", RedisArgument(Int(Self.lifetime.milliseconds))]
        do throws(RedisError) { return try await !node.command(words).isNull } catch { return true }
    }

    /// Lets go of it, at once or after the time for which the origin is to be left alone.
    func release(_ key: String, after pause: Duration?) async {
        let words: [RedisArgument] = pause.map { ["PEXPIRE", Self.name(key), RedisArgument(Int($0.milliseconds))] } ?? ["DEL", Self.name(key)]
        _ = try? await node.command(words)
    }
}
