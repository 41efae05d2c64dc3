package import TintypeCore
package import TintypeTransport

/// The jars of cookies that a fleet shares: one hash in Redis each, `tintype:{cookies}:jar:<jar>`, of a scope `…:<jar>@<hash of the scope>`. Lives on
/// the loop.
///
/// Read before a fetch; what it has changed is written after it, so that fetches at the same time lose nothing of each other but what both
/// have set. Cookies are secrets: nothing of them is logged.
///
/// Clients make as many jars as they have names for, and servers fill them, past the room that requests are given. So jars have limits of their own:
/// beyond them the oldest cookies of a jar go, and the jars that were not used for longest.
@Loop package final class CookieJars {
    /// How much there may be in Redis.
    struct Limits {
        /// Bytes of a jar.
        var bytes = 64 << 10
        /// Jars of one scope; those of no scope count as one.
        var perScope = 1000
        /// Jars of all scopes together.
        var jars = 10_000
    }

    private nonisolated static let tag = RedisSpace.cookies.tag
    private let node: RedisNode
    private let logger: Logger
    private let limits: Limits
    /// A jar that nobody has used for so long is gone.
    private nonisolated static let lifetime: Int64 = 30 * 86_400_000
    /// A jar that no later fetch has read yet is gone sooner: most are never asked for again.
    private nonisolated static let firstLifetime: Int64 = 86_400_000

    init(redis: RedisNodes, logger: Logger, limits: Limits) {
        (node, self.logger, self.limits) = (redis.node(for: Self.tag), logger, limits)
    }

    package convenience init(redis: RedisNodes, logger: Logger) { self.init(redis: redis, logger: logger, limits: Limits()) }

    /// - Parameter scope: the hash of the scope whose jar it is (`Source.scope`): the same name in another scope is another jar.
    package nonisolated static func key(of jar: String, scope: String? = nil) -> String {
        tag.prefix + "jar:" + member(jar, scope)
    }

    /// The name of a jar among all.
    private nonisolated static func member(_ jar: String, _ scope: String?) -> String {
        // No name of a jar holds an @.
        jar + (scope.map { "@\($0)" } ?? "")
    }

    /// The cookies of a jar by domain, path and name. A jar that has some is kept for another thirty days.
    /// - Throws: `unavailable` while Redis is out of reach.
    func read(_ jar: String, of scope: String?) async throws(TintypeError) -> [String: String] {
        do throws(RedisError) {
            return try await run(CookieScripts.read, jar, scope, [.int(Self.lifetime)]).pairs.mapValues { CookieLines.line(kept: $0) }
        } catch {
            throw TintypeError(.unavailable, .download, "the cookie jar cannot be read: \(error)")
        }
    }

    /// Writes down what a transfer has left of the cookies it began with.
    func write(_ jar: String, of scope: String?, from before: [String: String], to after: [String]) async {
        let (kept, gone) = CookieLines.changes(from: before, to: after, at: Int64(WallClock.now))
        guard !kept.isEmpty || !gone.isEmpty else { return }
        var words: [RedisArgument] = [
            .int(before.isEmpty ? Self.firstLifetime : Self.lifetime), RedisArgument(limits.bytes), RedisArgument(limits.perScope),
            RedisArgument(limits.jars), RedisArgument(kept.count),
        ]
        for cookie in kept { words += [.string(cookie.key), .string(cookie.line)] }
        for key in gone { words.append(.string(key)) }
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
