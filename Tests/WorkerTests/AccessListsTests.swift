import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

/// Redirects under the access lists of coordinators.
@Suite(.timeLimit(.minutes(1)), .scoped) struct AccessListsTests {
    /// Runs a fetch that was requested under the list of this digest.
    @Loop private func run(_ h: WorkerHarness, _ path: String, under digest: String?) async throws -> String {
        let receipt = try await h.submit(["url": .string(h.url(path)), "as": "bytes", "fetch": ["retry": ["attempts": 1]]]) { submission in
            guard let digest, case .object(var fetch)? = try? JSON(parsing: submission.fetch) else { return }
            fetch["access"] = .string(digest)
            submission.fetch = JSON.object(fetch).text
        }
        try await h.runOne()
        return receipt
    }

    @Test @Loop func `no redirect is followed without the request's own list, whatever other lists exist`() async throws {
        let h = try await WorkerHarness()
        let list = try AccessList(text: #"[{"paths":["/picture.png"],"access":"deny"}]"#)
        let other = try AccessList(text: #"[{"paths":["/nothing"],"access":"deny"}]"#)
        let (digest, another) = (try #require(list.digest), try #require(other.digest))
        try await h.server.command("HSET", AccessList.key, another, other.text)
        let missing = try await h.failure(try await run(h, "/redirect/1", under: digest))
        #expect(missing.name == .unavailable && missing.isRetryable, "\(missing)")
        for (number, text) in ["{}", #"[{"access":"maybe"}]"#, "[]", other.text].enumerated() {
            try await h.server.command("HSET", AccessList.key, digest, text)
            #expect(try await h.failure(try await run(h, "/redirect/1?\(number)", under: digest)).name == .unavailable, "\(text)")
        }
        try await h.server.command("HSET", AccessList.key, digest, list.text)
        #expect(try await h.failure(try await run(h, "/redirect/1?a", under: digest)).name == .denied)
        #expect(try await h.result(try await run(h, "/redirect/1?b", under: another))["source"]?["status"] == 200)
        // The list is known by now.
        try await h.server.command("DEL", AccessList.key)
        #expect(try await h.failure(try await run(h, "/redirect/1?c", under: digest)).name == .denied)
    }

    @Test @Loop func `a download without a redirect, or without a list, reads no list`() async throws {
        let h = try await WorkerHarness()
        // Redis lists every command with its keys: a worker reads other hashes too, such as the settings that know of purges.
        try await h.server.command("CONFIG", "SET", "slowlog-max-len", "100000")
        try await h.server.command("CONFIG", "SET", "slowlog-log-slower-than", "0")
        func reads() async throws -> Int {
            try await h.server.command("SLOWLOG", "GET", "-1").split(separator: "\n").count { $0.contains(AccessList.key) }
        }
        _ = try await h.result(try await run(h, "/redirect/1", under: nil))
        _ = try await h.result(try await run(h, "/picture.png?size=64x48", under: "0123456789abcdef"))
        #expect(try await reads() == 0)
        #expect(try await h.failure(try await run(h, "/redirect/1?a", under: "0123456789abcdef")).name == .unavailable)
        #expect(try await reads() == 1)
    }
}
