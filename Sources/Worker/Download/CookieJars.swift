package import Shared

/// The jars of cookies that a fleet shares: one hash in Redis each, `tintype:{cookies}:jar:<jar>`, of a scope `…:<jar>@<hash of the scope>`. Lives on
/// the loop.
///
/// Read before a fetch; what it has changed is written after it, so that fetches at the same time lose nothing of each other but what both
/// have set. Cookies are secrets: nothing of them is logged.
@Loop package final class CookieJars {
    private let redis: RedisClient
    private let logger: Logger
    /// A jar that nobody has used for so long is gone.
    private static let lifetime: Int64 = 30 * 86_400_000

    package init(redis: RedisClient, logger: Logger) { (self.redis, self.logger) = (redis, logger) }

    /// - Parameter scope: the hash of the scope whose jar it is (`Source.scope`): the same name in another scope is another jar.
    package nonisolated static func key(of jar: String, scope: String? = nil) -> String {
        // No name of a jar holds an @.
        RedisSpace.cookies.prefix + "jar:\(jar)" + (scope.map { "@\($0)" } ?? "")
    }

    /// The cookies of a jar by domain, path and name.
    /// - Throws: `unavailable` while Redis is out of reach.
    func read(_ jar: String, of scope: String?) async throws(TintypeError) -> [String: String] {
        do throws(RedisError) {
            let words = try await redis.command(["HGETALL", .string(Self.key(of: jar, scope: scope))]).array ?? []
            var cookies: [String: String] = [:]
            for index in stride(from: 0, to: words.count - 1, by: 2) {
                if let key = words[index].string, let line = words[index + 1].string { cookies[key] = line }
            }
            return cookies
        } catch {
            throw TintypeError(.unavailable, .download, "the cookie jar cannot be read: \(error)")
        }
    }

    /// Writes down what a transfer has left of the cookies it began with.
    func write(_ jar: String, of scope: String?, from before: [String: String], to after: [String]) async {
        let (kept, gone) = CookieLines.changes(from: before, to: after)
        let key = RedisArgument.string(Self.key(of: jar, scope: scope))
        do throws(RedisError) {
            if !kept.isEmpty { _ = try await redis.command(["HSET", key] + kept.flatMap { [.string($0.key), .string($0.line)] }) }
            if !gone.isEmpty { _ = try await redis.command(["HDEL", key] + gone.map { .string($0) }) }
            _ = try await redis.command(["PEXPIRE", key, .int(Self.lifetime)])
        } catch {
            logger.warning("a cookie jar could not be written", ["jar": jar, "error": "\(error)"])
        }
    }
}
