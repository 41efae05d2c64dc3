import Foundation
import TestSupport
import Testing

/// Origins that fail for a while, with real workers and real time.
@Suite(.timeLimit(.minutes(2)), .serialized) struct RetryTests {
    @Test func `what an origin fails twice is there at the third attempt, and missing files are asked once`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let url = deployment.url("/status/500?times=2")
        let answer = try await client.call("image.load", #"{"url":"\#(url)","progress":true,"fetch":{"retry":{"base":0.1}}}"#)
        #expect(answer.fields["state"] as? String == "succeeded" && answer.fields["attempts"] as? Int == 3, "\(answer.object)")
        let causes = try #require(answer.fields["causes"] as? [[String: Any]])
        #expect(causes.count == 2 && causes.allSatisfy { $0["name"] as? String == "httpStatus" && $0["status"] as? Int == 500 })
        let events = await client.notifications { $0.contains { $0.params?["type"] as? String == "succeeded" } }
        let waits = events.compactMap { $0.params?["type"] as? String == "retrying" ? $0.params?["delay"] as? Double : nil }
        #expect(waits.count == 2 && (0.05...0.15).contains(waits[0]) && (0.1...0.3).contains(waits[1]), "\(waits)")

        let missing = try await client.call("image.load", #"{"url":"\#(deployment.url("/status/404"))"}"#)
        let data = missing.error?["data"] as? [String: Any]
        #expect(missing.errorName == "httpStatus" && data?["attempts"] as? Int == 1, "\(missing.object)")
        let counts = try await deployment.counts()["counts"] as? [String: Int]
        #expect(counts?["/status/404"] == 1 && counts?["/status/500?times=2"] == 3)
        await deployment.stop()
    }

    @Test(arguments: [429, 503])
    func `a host that says Retry-After is left alone for so long, and no other`(status: Int) async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let other = try deployment.client()
        let busy = deployment.url("/status/\(status)?times=1&retry=4")
        let began = ContinuousClock.now
        async let load = client.call("image.load", #"{"url":"\#(busy)","progress":true,"fetch":{"retry":{"base":0.01}}}"#)
        _ = await client.notifications { $0.contains { $0.params?["type"] as? String == "retrying" } }
        let info = try await other.call("queue.get", #"{"queue":"default"}"#)
        let held = try #require(info.fields["heldHosts"] as? [String: Double], "\(info.object)")
        #expect(held.keys.sorted() == ["127.0.0.1"])
        // Another picture of this host waits; the same server under another name does not.
        async let waiting = other.call("image.load", #"{"url":"\#(deployment.url("/picture.png?w"))"}"#)
        let elsewhere = busy.replacingOccurrences(of: "127.0.0.1", with: "localhost").replacingOccurrences(
            of: "/status/\(status)?times=1&retry=4", with: "/picture.png?o")
        let free = try await other.call("image.load", #"{"url":"\#(elsewhere)"}"#)
        #expect(free.fields["state"] as? String == "succeeded", "\(free.object)")
        #expect(ContinuousClock.now - began < .seconds(4), "the other host waited")
        #expect(try await waiting.fields["state"] as? String == "succeeded")
        #expect(ContinuousClock.now - began >= .seconds(4), "the held host was asked too early")
        let answer = try await load
        #expect(answer.fields["attempts"] as? Int == 2, "\(answer.object)")
        let after = try await other.call("queue.get", #"{"queue":"default"}"#)
        #expect((after.fields["heldHosts"] as? [String: Double])?.isEmpty == true, "\(after.object)")
        await deployment.stop()
    }
}
