import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// The methods for what was given up, as a client calls them.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct DeadLetterMethodsTests {
    @Test func `what was given up is listed without its secrets, tried again, and removed`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        for number in 0..<2 {
            try await client.call(
                "image.submit",
                #"{"url":"http://origin.test/a?for=geheim&n=\#(number)","receipt":"d\#(number)","fetch":{"retry":{"attempts":1}},"detached":true}"#)
            let fetch = try await harness.worker.claim()
            let failure = TintypeError(.dns, .download, "no such host")
            _ = try await harness.worker.queue.finish(fetch.held, .failure(failure, retryAfter: nil))
        }
        let page = try await client.call("dead.list", #"{"queue":"default","limit":1}"#)
        let items = try #require(page.fields["items"] as? [[String: Any]], "\(page.object)")
        let first = try #require(items.first)
        let cursor = try #require(page.fields["cursor"] as? String)
        #expect(items.count == 1)
        #expect((first["error"] as? [String: Any])?["code"] as? Int == 1013 && first["attempts"] as? Int == 1)
        #expect((first["url"] as? String)?.hasPrefix("http://origin.test/a") == true && "\(page.object)".contains("geheim") == false)
        let id = try #require(first["id"] as? String)
        let rest = try await client.call("dead.list", #"{"queue":"default","cursor":"\#(cursor)"}"#)
        let other = try #require((rest.fields["items"] as? [[String: Any]])?.first?["id"] as? String)

        #expect(try await client.call("dead.retry", #"{"queue":"default","ids":["\#(id)"]}"#).fields["retried"] as? Int == 1)
        try await harness.worker.succeed(try await harness.worker.claim())
        let again = try await client.call("receipt.get", #"{"receipt":"retry-\#(id)","wait":20}"#)
        #expect(again.fields["state"] as? String == "succeeded", "\(again.object)")
        #expect(try await client.call("dead.remove", #"{"queue":"default","ids":["\#(other)","none"]}"#).fields["removed"] as? Int == 1)
        #expect(try await client.call("dead.list", #"{"queue":"nowhere"}"#).errorName == "unknownQueue")

        try await client.call("image.submit", #"{"url":"http://origin.test/b","receipt":"waits"}"#)
        #expect(try await client.call("queue.cancelAll", #"{"queue":"default"}"#).fields["queued"] as? Int == 0)
        _ = await client.notifications { $0.contains { $0.params?["type"] as? String == "cancelled" } }
    }
}
