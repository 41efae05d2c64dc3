import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeQueue

/// How long scripts take over what strangers have written. Redis does nothing else meanwhile, and a script that has written cannot be stopped.
@Suite(.timeLimit(.minutes(5)), .serialized, .scoped) struct ScriptTimeTests {
    /// Characters that patterns and parsers look for, and one that none looks for.
    static let nasty = ["a", "@", "=", "&", ".", "%", "/", "\"", "\\", " ", "0", "[", "{", ":", ",", "?"]

    /// Microseconds that Redis itself has needed for the slowest call of each script, in a life of requests that hold `text` wherever strangers may write.
    @Loop private func times(of text: String, scripts: QueueScripts = .shipped) async throws -> [String: Int] {
        let h = try await QueueHarness(scripts: scripts)
        _ = try await h.redis.command(["CONFIG", "SET", "slowlog-log-slower-than", "0"])
        _ = try await h.redis.command(["CONFIG", "SET", "slowlog-max-len", "100000"])
        try await StrangersLife(h, text).live()
        var slowest: [String: Int] = [:]
        let names = Dictionary(scripts.all.map { ($0.sha1, $0.name) }, uniquingKeysWith: { one, _ in one })
        for entry in try await h.redis.command(["SLOWLOG", "GET", "-1"]).array ?? [] {
            guard let parts = entry.array, parts.count > 3, let words = parts[3].array, let time = parts[2].int else { continue }
            guard words.first?.string?.lowercased() == "evalsha", let name = words[1].string.flatMap({ names[$0] }) else { continue }
            slowest[name] = max(slowest[name] ?? 0, Int(time))
        }
        await h.stop()
        return slowest
    }

    /// Whether `long`, over `factor` times the text, has taken no more than two and a half times the time of linear work.
    /// A quarter of a second on top, for a machine that does other things; what is quadratic takes seconds for 64 KiB.
    private func isLinear(_ short: Int, _ long: Int, factor: Int) -> Bool { 2 * long <= 5 * factor * short + 500_000 }

    /// A time that is too long is taken twice more: a busy machine is slow once, a quadratic script each time.
    @Test(arguments: nasty)
    @Loop func `no script takes more than linear time over what strangers write`(character: String) async throws {
        let short = try await times(of: String(repeating: character, count: 16 << 10))
        var slow: [String: Int] = [:]
        for _ in 0..<3 {
            let long = try await times(of: String(repeating: character, count: 64 << 10))
            #expect(Set(long.keys) == Set(QueueScripts.shipped.all.map(\.name)))
            slow = long.filter { !isLinear(short[$0.key] ?? 0, $0.value, factor: 4) }
            if slow.isEmpty { break }
        }
        for (name, time) in slow { Issue.record("\(name) takes \(short[name] ?? 0) µs, and \(time) µs for four times as much") }
    }

    /// The pattern that stood in `bury`, on a query without `=`.
    @Test @Loop func `a pattern that goes back is found out`() async throws {
        var sources = QueueScripts.sources
        sources["fail"] = try #require(sources["fail"]).replacing(
            "local fid, token, key =", with: "for _ in string.gmatch(ARGV[3], '([^&=]+)=') do end\nlocal fid, token, key =")
        let scripts = QueueScripts(sources: sources)
        // Short enough that Redis answers in time all the same; twenty times as much takes four hundred times as long, not twenty.
        var short = Int.max
        for _ in 0..<3 { short = min(short, try await times(of: String(repeating: "a", count: 500), scripts: scripts)["fail"] ?? 0) }
        do {
            let long = try await times(of: String(repeating: "a", count: 10_000), scripts: scripts)
            #expect(!isLinear(short, long["fail"] ?? 0, factor: 20), "\(short) µs, \(long["fail"] ?? 0) µs")
        } catch RedisError.timedOut {
            // A machine with other work takes longer than the five seconds a client waits: found out all the same.
        }
    }
}
