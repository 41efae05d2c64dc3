import Shared
import TestSupport
import Testing

@testable import Coordinator

/// Cursors of lists, as clients may spell them.
@Suite(.timeLimit(.minutes(1)), .serialized) struct CursorTests {
    @Test(arguments: ["blacklist.list", "dead.list"]) func `a cursor that no answer has named is refused`(method: String) async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        for cursor in ["9223372036854775807", "1000000001", "00000000001", "-5", "+5", "abc", "", " 1", "٣"] {
            let refused = try await client.call(method, #"{"queue":"default","cursor":"\#(cursor)"}"#)
            let data = refused.error?["data"] as? [String: Any]
            #expect(refused.errorName == "invalidParams" && data?["path"] as? String == "cursor", "\(cursor): \(refused.object)")
        }
        let beyond = try await client.call(method, #"{"queue":"default","cursor":"1000000000","limit":1000}"#)
        #expect((beyond.fields["items"] as? [Any])?.isEmpty == true && beyond.fields["cursor"] == nil, "\(beyond.object)")
        await harness.stop()
    }
}
