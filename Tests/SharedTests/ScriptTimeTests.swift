import TestSupport
import Testing

@testable import TintypeTransport
@testable import TintypeQueue

/// The time of scripts for texts from outside. Redis does nothing else meanwhile, and a script that has written cannot be stopped.
@Suite(.tags(.untiered), .timeLimit(.minutes(5)), .serialized, .scoped) struct ScriptTimeTests {
    /// Characters that patterns and parsers search for, and one that none searches for.
    static let nasty = ["a", "@", "=", "&", ".", "%", "/", "\"", "\\", " ", "0", "[", "{", ":", ",", "?"]

    /// Microseconds of the slowest call of each script, measured by Redis, with `text` wherever a text comes from outside.
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

    /// Whether `long`, for `factor` times the text, took at most two and a half times the time of linear work.
    /// A quarter of a second is added for a busy machine; quadratic work takes seconds for 64 KiB.
    private func isLinear(_ short: Int, _ long: Int, factor: Int) -> Bool { 2 * long <= 5 * factor * short + 500_000 }

    /// A time that is too long is measured twice more: a busy machine is slow once, a quadratic script each time.
    @Test(.holdsLoop("the test writes requests of 256 KiB"), arguments: nasty)
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

    /// The pattern that a failed run once met, on a query without `=`.
    @Test @Loop func `a pattern with backtracking is detected`() async throws {
        var sources = QueueScripts.sources
        sources["fail"] = try #require(sources["fail"]).replacing(
            "local fid, token, failed, pause =", with: "for _ in string.gmatch(options.failure, '([^&=]+)=') do end\nlocal fid, token, failed, pause =")
        let scripts = QueueScripts(sources: sources)
        // Short enough for Redis to answer in time; twenty times the text takes four hundred times as long, not twenty.
        var short = Int.max
        for _ in 0..<3 { short = min(short, try await times(of: String(repeating: "a", count: 500), scripts: scripts)["fail"] ?? 0) }
        do {
            let long = try await times(of: String(repeating: "a", count: 10_000), scripts: scripts)
            #expect(!isLinear(short, long["fail"] ?? 0, factor: 20), "\(short) µs, \(long["fail"] ?? 0) µs")
        } catch RedisError.timedOut {
            // A busy machine takes longer than the five seconds that a client waits. The test finds the fault all the same.
        }
    }
}
