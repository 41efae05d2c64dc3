import TintypeCore
import TintypeTransport
package import Worker

extension WorkerFeature {
    /// Cookies that several fetches share (`fetch.cookies`).
    package static let cookieJars = WorkerFeature { abilities, parts in
        abilities.cookies = CookieJars(redis: parts.redis, logger: parts.context.logger)
    }
}

/// The cookie jars that all workers share. Each is one hash in Redis, `tintype:{cookies}:jar:<jar>`, or `…:<jar>@<hash of the scope>` with a scope.
/// Lives on the loop.
///
/// A jar is read before a fetch, and only its changes are written afterwards. So parallel fetches lose no cookies of each other, except those that both
/// set. Cookies are secrets and are never logged.
///
/// Clients make jars with any names, and servers fill them, outside of the memory that requests may use. So jars have limits of their own: the oldest
/// cookies of a jar are removed, and the jars that were not used for longest.
@Loop final class CookieJars: CookieSource {
    /// The limits in Redis.
    struct Limits {
        /// The most bytes of one jar.
        var bytes = 64 << 10
        /// The most jars of one scope. Jars without a scope count as one scope.
        var perScope = 1000
        /// The most jars of all scopes together.
        var jars = 10_000
    }

    private nonisolated static let tag = RedisSpace.cookies.tag
    private let node: RedisNode
    private let logger: Logger
    private let limits: Limits
    /// The lifetime in ms of a jar after its last use.
    private nonisolated static let lifetime: Int64 = 30 * 86_400_000
    /// The lifetime in ms of a jar that no later fetch has read. It is shorter because most jars are never asked for again.
    private nonisolated static let firstLifetime: Int64 = 86_400_000

    init(redis: RedisNodes, logger: Logger, limits: Limits = Limits()) {
        (node, self.logger, self.limits) = (redis.node(for: Self.tag), logger, limits)
    }

    /// - Parameter scope: the hash of the scope that owns the jar (`Source.scope`). The same name in another scope is another jar.
    nonisolated static func key(of jar: String, scope: String? = nil) -> String {
        tag.prefix + "jar:" + member(jar, scope)
    }

    /// Returns the name of a jar among all scopes.
    private nonisolated static func member(_ jar: String, _ scope: String?) -> String {
        // Names of jars never contain @.
        jar + (scope.map { "@\($0)" } ?? "")
    }

    /// Also extends the lifetime of a jar with cookies to thirty days.
    func read(_ jar: String, of scope: String?) async throws(TintypeError) -> [ExactText: String] {
        do throws(RedisError) {
            return try await run(CookieScripts.read, jar, scope, [.int(Self.lifetime)]).exactPairs.mapValues { CookieLines.line(kept: $0) }
        } catch {
            throw TintypeError(.unavailable, .download, "the cookie jar cannot be read: \(error)")
        }
    }

    func write(_ jar: String, of scope: String?, from before: [ExactText: String], to after: [String]) async {
        let (kept, gone) = CookieLines.changes(from: before, to: after, at: Int64(WallClock.now))
        guard !kept.isEmpty || !gone.isEmpty else { return }
        var words: [RedisArgument] = [
            .int(before.isEmpty ? Self.firstLifetime : Self.lifetime), RedisArgument(limits.bytes), RedisArgument(limits.perScope),
            RedisArgument(limits.jars), RedisArgument(kept.count),
        ]
        for cookie in kept { words += [.string(cookie.key.text), .string(cookie.line)] }
        for key in gone { words.append(.string(key.text)) }
        do throws(RedisError) {
            _ = try await run(CookieScripts.write, jar, scope, words)
        } catch {
            logger.warning("a cookie jar could not be written", ["jar": jar, "error": "\(error)"])
        }
    }

    private func run(_ script: LuaScript, _ jar: String, _ scope: String?, _ words: [RedisArgument]) async throws(RedisError) -> RedisReply {
        try await node.run(script, keys: [Self.tag.prefix], [.string(Self.member(jar, scope))] + words)
    }
}
