import Foundation
import Testing
import TestSupport
import TintypeQueue
import TintypeTransport

/// Every script uses keys of one tag only. Redis itself checks this, as one server of a cluster.
@Suite(.timeLimit(.minutes(3)), .serialized, .scoped) struct QueueSlotTests {
    /// Scripts without flags may use keys of several slots. With flags, Redis refuses such a script.
    private static let flagged = QueueScripts.sources.merging(
        Set(QueueScript.allCases.map(\.file)).compactMap { name in
            QueueScripts.sources[name].flatMap { $0.hasPrefix("#!") ? nil : (name, "#!lua\n" + $0) }
        }
    ) { $1 }

    @Loop private func harness(_ sources: [String: String]) async throws -> QueueHarness {
        try await QueueHarness(scripts: QueueScripts(sources: sources), isCluster: true)
    }

    @Test(arguments: [1, 2, 3]) @Loop func `the random life of a queue runs on a cluster`(seed: UInt64) async throws {
        let h = try await harness(Self.flagged)
        try await QueueModel(seed: seed, harness: h).run(steps: 300)
    }

    @Test(arguments: [("prelude", "local CFG = P .. 'cfg'", "local CFG = 'tintype:{other}:cfg'"), ("receipts", "P .. 'cbs'", "'tintype:{other}:cbs'")])
    @Loop func `a key of another tag is noticed`(file: String, text: String, replacement: String) async throws {
        var sources = Self.flagged
        let source = try #require(sources[file])
        try #require(source.contains(text))
        sources[file] = source.replacing(text, with: replacement)
        let h = try await harness(sources)
        let error = await #expect(throws: (any Error).self) { try await QueueModel(seed: 1, harness: h).run(steps: 450) }
        #expect("\(error.map { "\($0)" } ?? "")".contains("slot"))
    }
}
