import TintypeCore
import Foundation
import TestSupport
import Testing

/// `tintype cache` against real processes.
@Suite(.timeLimit(.minutes(1)), .scoped) struct CacheCommandTests {
    @Test func `the command shows the cache, saves and removes an image, and clears tiers`() async throws {
        let deployment = try await Deployment()
        let folder = try TemporaryFolder("cache")
        func tintype(_ words: String...) async throws -> (status: Int32, output: String, errors: String) {
            let child = try ChildProcess(ServiceProcess.path("tintype"), words + ["--coordinator", "127.0.0.1:\(deployment.coordinators[0].rpcPort)"])
            return (await child.finished(), child.output, child.errors)
        }
        let loaded = try await tintype("load", deployment.url("/picture.png"), "--resize", "64x48", "--json")
        let result = try JSON(parsing: loaded.output)
        let key = try #require(result["renditions"]?.array?.first?["key"]?.string)
        let stats = try await tintype("cache")
        #expect(stats.status == 0 && ["memory", "results", "sources", "tier"].allSatisfy { stats.output.contains($0) }, "\(stats)")
        let file = folder.path + "/out.png"
        let got = try await tintype("cache", "get", key, "-o", file)
        #expect(got.status == 0, "\(got)")
        #expect(PictureBytes(try Data(contentsOf: URL(fileURLWithPath: file)))?.width == 64)
        let source = try #require(
            try await deployment.client().call("cache.get", #"{"url":"\#(deployment.url("/picture.png"))","tier":"sources"}"#).renditions.first)
        let kept = try await tintype("cache", "get", try #require(source["key"]?.string), "--tier", "sources", "-o", file)
        #expect(kept.status == 0 && kept.output.contains("from sources"), "\(kept)")
        let original = try await HTTP.get(deployment.url("/picture.png")).body
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == original)
        let removed = try await tintype("cache", "remove", key)
        #expect(removed.status == 0 && removed.output.hasPrefix("2 removed"), "\(removed)")
        let missing = try await tintype("cache", "get", key, "-o", file)
        #expect(missing.status == 1 && missing.errors.contains("not in the cache"), "\(missing)")
        #expect(try await tintype("cache", "trim", "--tier", "results").status == 0)
        #expect(try await tintype("cache", "clear", "--json").output.contains("\"removed\""))
        let wrong = try await tintype("cache", "cleer")
        #expect(wrong.status == 2 && wrong.errors.contains("clear"), "\(wrong)")
    }
}
