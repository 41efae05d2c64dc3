import TintypeCore
import TestSupport
import Testing

@testable import Coordinator

/// Cursors of lists, as clients may write them.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct CursorTests {
    @Test(arguments: ["blacklist.list", "dead.list"]) func `an invalid cursor is refused`(method: String) async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        let wrong = [
            "", "5", "abc", ":", "5:", ":a", "-5:a", "+5:a", " 5:a", "٣:a", "1234567890123456:a", "5:A", "5:a b", "5:a:", "5:a:b:c", "5:a:ä",
            "5:" + String(repeating: "a", count: 65),
        ]
        for cursor in wrong {
            let refused = try await client.call(method, #"{"queue":"default","cursor":"\#(cursor)"}"#)
            let data = refused.error?.data
            #expect(refused.error?.name == "invalidParams" && data?["path"]?.string == "cursor", "\(cursor): \(refused)")
        }
        let beyond = try await client.call(method, #"{"queue":"default","cursor":"0:0-0:nowhere","limit":1000}"#)
        #expect(beyond["items"]?.array?.isEmpty == true && beyond["cursor"] == nil, "\(beyond)")
    }
}
