import TintypeCore
import TintypeTransport

/// The claims by which one worker of all revalidates a stale source: the first that sets `tintype:held:ask:<key>` in Redis.
///
/// A claim ends with the revalidation. The claim of a dead worker expires, later than any revalidation may take. If Redis does not answer, nothing is
/// forbidden, and several workers may revalidate. Lives on the loop.
@Loop struct RevalidationLocks {
    /// The lifetime of a claim, longer than a revalidation may take.
    static let lifetime = Duration.seconds(BackgroundRevalidation.total + 15)

    private let redis: RedisNodes

    init(_ redis: RedisNodes) { self.redis = redis }

    private static func name(_ source: String) -> String { prefix + source }
    private static let prefix = RedisSpace.held.prefix + "ask:"

    /// Sends a command on the claim of a source.
    private func command(_ word: RedisArgument, _ source: String, _ others: [RedisArgument] = []) async throws(RedisError) -> RedisReply {
        let name = Self.name(source)
        return try await redis.node(for: RedisTag(key: name)).command([word, .string(name)] + others)
    }

    /// Claims the revalidation of the source under a key.
    /// - Returns: false if another worker has the claim, or if the origin is throttled.
    func take(_ key: String) async -> Bool {
        do throws(RedisError) {
            return try await !command("SET", key, ["1", "NX", "PX", .int(Self.lifetime.milliseconds)]).isNull
        } catch { return true }
    }

    /// Releases the claim, at once or after the time for which the origin is throttled.
    func release(_ key: String, after pause: Duration?) async {
        if let pause { _ = try? await command("PEXPIRE", key, [.int(pause.milliseconds)]) } else { _ = try? await command("DEL", key) }
    }
}
