import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator

/// The methods for dead letters, as a client calls them.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct DeadLetterMethodsTests {
    @Test func `dead letters are listed without secrets, retried and removed`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try await harness.client()
        for number in 0..<2 {
            try await client.call(
                "image.submit",
                #"{"url":"http://origin.test/a?for=geheim&n=\#(number)","receipt":"d\#(number)","fetch":{"retry":{"attempts":1}},"detached":true}"#)
            let fetch = try await harness.worker.claim()
            let failure = TintypeError(.dns, .download, "no such host")
            _ = try await harness.worker.queue.finish(fetch.lease, .failure(failure, retryAfter: nil))
        }
        let page = try await client.call("dead.list", #"{"queue":"default","limit":1}"#)
        let items = try #require(page["items"]?.array, "\(page)")
        let first = try #require(items.first)
        let cursor = try #require(page["cursor"]?.string)
        #expect(items.count == 1)
        #expect(first["error"]?["code"]?.int == 1013 && first["attempts"]?.int == 1)
        #expect(first["url"]?.string?.hasPrefix("http://origin.test/a") == true && "\(page)".contains("geheim") == false)
        let id = try #require(first["id"]?.string)
        let rest = try await client.call("dead.list", #"{"queue":"default","cursor":"\#(cursor)"}"#)
        let other = try #require(rest["items"]?.array?.first?["id"]?.string)

        #expect(try await client.call("dead.retry", #"{"queue":"default","ids":["\#(id)"]}"#)["retried"]?.int == 1)
        try await harness.worker.succeed(try await harness.worker.claim())
        let again = try await client.call("receipt.get", #"{"receipt":"retry-\#(id)","wait":20}"#)
        #expect(again.state == "succeeded", "\(again)")
        #expect(try await client.call("dead.remove", #"{"queue":"default","ids":["\#(other)","none"]}"#)["removed"]?.int == 1)
        #expect(try await client.call("dead.list", #"{"queue":"nowhere"}"#).error?.name == "unknownQueue")

        try await client.call("image.submit", #"{"url":"http://origin.test/b","receipt":"waits"}"#)
        #expect(try await client.call("queue.cancelAll", #"{"queue":"default"}"#)["queued"]?.int == 0)
        _ = await client.notifications { $0.contains { $0.type == "cancelled" } }
    }
}
