import TintypeCore
import TintypeTransport

/// The claims by which one worker of all revalidates a stale source: the first that sets `tintype:{held}:ask:<key>` in Redis.
///
/// A claim ends with the revalidation. The claim of a dead worker expires, later than any revalidation may take. If Redis does not answer, nothing is
/// forbidden, and several workers may revalidate. Lives on the loop.
@Loop struct RevalidationLocks {
    /// The lifetime of a claim, longer than a revalidation may take.
    static let lifetime = Duration.seconds(BackgroundRevalidation.total + 15)

    private let node: RedisNode
    private static let tag = RedisSpace.held.tag

    init(_ redis: RedisNodes) { node = redis.node(for: Self.tag) }

    private static func name(_ key: String) -> RedisArgument { .string(tag.prefix + "ask:" + key) }

    /// Claims the revalidation of the source under a key.
    /// - Returns: false if another worker has the claim, or if the origin is throttled.
    func take(_ key: String) async -> Bool {
        let words: [RedisArgument] = ["SET", Self.name(key), "1", "NX", "PX", RedisArgument(Int(Self.lifetime.milliseconds))]
        do throws(RedisError) { return try await !node.command(words).isNull } catch { return true }
    }

    /// Releases the claim, at once or after the time for which the origin is throttled.
    func release(_ key: String, after pause: Duration?) async {
        let words: [RedisArgument] = pause.map { ["PEXPIRE", Self.name(key), RedisArgument(Int($0.milliseconds))] } ?? ["DEL", Self.name(key)]
        _ = try? await node.command(words)
    }
}
