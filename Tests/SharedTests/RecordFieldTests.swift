import TestSupport
import Testing
import TintypeCore
import TintypeTransport

@testable import TintypeQueue

/// The fields of records: those that are described, and those that the scripts write.
@Suite(.timeLimit(.minutes(1)), .scoped) struct RecordFieldTests {
    /// The code of all scripts without comments.
    private let code = QueueScripts.sources.values.flatMap { $0.split(separator: "\n") }
        .map { $0.split(separator: "--", omittingEmptySubsequences: false)[0] }.joined(separator: "\n")

    /// `QueueInvariants` finds a field that no description has (Q10), in every step of `QueueModelTests`.
    @Test(arguments: RecordKind.allCases) func `every described field is one that the scripts write`(kind: RecordKind) {
        // A coordinator writes settings by their names.
        let configured = ["order", "maxConcurrent", "maxConcurrentPerHost", "maxQueued", "paused"]
        for field in kind.fields where kind != .settings || !configured.contains(field.name) {
            let name = field.name.prefix { $0 != "<" }
            #expect(code.contains("'\(name)'"), "no script writes \(field.name) of \(kind.rawValue)")
        }
    }

    @Test(arguments: RecordKind.allCases) func `a field is described once`(kind: RecordKind) {
        #expect(Set(kind.fields.map(\.name)).count == kind.fields.count)
    }

    @Test @Loop func `a field that nobody has described breaks a rule`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        let key = h.queue.keys.receipt("r1")
        _ = try await h.redis.command(["HSET", .string(key), "digs", "x"])
        #expect(QueueInvariants.violations(in: try await h.queue.dump()).contains { $0.hasPrefix("Q10") && $0.contains("digs") })
    }
}
