import Foundation
import TintypeCore
import TestSupport
import Testing

/// Origins that fail for a while, with real workers and real time.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct RetryTests {
    @Test func `a third attempt succeeds after two failures, and missing files are requested once`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let url = deployment.url("/status/500?times=2")
        let answer = try await client.call("image.load", #"{"url":"\#(url)","progress":true,"fetch":{"retry":{"base":0.1}}}"#)
        #expect(answer.state == "succeeded" && answer["attempts"]?.int == 3, "\(answer)")
        let causes = try #require(answer["causes"]?.array)
        #expect(causes.count == 2 && causes.allSatisfy { $0["name"]?.string == "httpStatus" && $0["status"]?.int == 500 })
        let events = await client.notifications { $0.contains { $0.type == "succeeded" } }
        let waits = events.compactMap { $0.type == "retrying" ? $0.params?["delay"]?.double : nil }
        #expect(waits.count == 2 && (0.05...0.15).contains(waits[0]) && (0.1...0.3).contains(waits[1]), "\(waits)")

        let missing = try await client.call("image.load", #"{"url":"\#(deployment.url("/status/404"))"}"#)
        let data = missing.error?.data
        #expect(missing.error?.name == "httpStatus" && data?["attempts"]?.int == 1, "\(missing)")
        let counts = try await deployment.counts()["counts"]?.integers
        #expect(counts?["/status/404"] == 1 && counts?["/status/500?times=2"] == 3)
        #expect(try await deployment.violations(client) == [])
    }

    @Test(.tags(.timed), arguments: [429, 503])
    func `Retry-After throttles its own host for that time, and no other`(status: Int) async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let other = try deployment.client()
        let busy = deployment.url("/status/\(status)?times=1&retry=8")
        let began = ContinuousClock.now
        async let load = client.call("image.load", #"{"url":"\#(busy)","progress":true,"fetch":{"retry":{"base":0.01}}}"#)
        _ = await client.notifications { $0.contains { $0.type == "retrying" } }
        let info = try await other.call("queue.get", #"{"queue":"default"}"#)
        let held = try #require(info["heldHosts"]?.doubles, "\(info)")
        #expect(held.keys.sorted() == ["127.0.0.1"])
        // Another picture of this host waits; the same server under another name does not.
        async let waiting = other.call("image.load", #"{"url":"\#(deployment.url("/picture.png?w"))"}"#)
        let elsewhere = busy.replacingOccurrences(of: "127.0.0.1", with: "localhost").replacingOccurrences(
            of: "/status/\(status)?times=1&retry=8", with: "/picture.png?o")
        let free = try await other.call("image.load", #"{"url":"\#(elsewhere)"}"#)
        #expect(free.state == "succeeded", "\(free)")
        let late = try await waiting
        #expect(late.state == "succeeded")
        let queued = [free, late].map { ($0["metrics"]?["queued"]?.double) ?? -1 }
        #expect(queued[0] >= 0 && queued[0] * 2 < queued[1], "the other host waited: \(queued)")
        #expect(ContinuousClock.now - began >= .milliseconds(7_900), "the held host was asked too early")
        let answer = try await load
        #expect(answer["attempts"]?.int == 2, "\(answer)")
        let after = try await other.call("queue.get", #"{"queue":"default"}"#)
        #expect(after["heldHosts"]?.doubles?.isEmpty == true, "\(after)")
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `fifty requests that fail together are not retried together`() async throws {
        let deployment = try await Deployment(workers: 2)
        let client = try deployment.client()
        for number in 0..<50 {
            let url = deployment.url("/status/500?times=1&n=\(number)")
            try await client.call(
                "image.submit", #"{"url":"\#(url)","as":"bytes","progress":true,"fetch":{"retry":{"base":0.5}},"deadline":60}"#)
        }
        let events = await client.notifications { $0.count { $0.type == "succeeded" } == 50 }
        let waits = events.compactMap { $0.type == "retrying" ? $0.params?["delay"]?.double : nil }
        #expect(waits.count == 50 && waits.allSatisfy { (0.25...0.75).contains($0) }, "\(waits)")
        // Fifty pauses of a half to one and a half times the base: all but one run in 10³⁰ exceed a fifth of it.
        #expect((waits.max() ?? 0) - (waits.min() ?? 0) >= 0.1, "\(waits)")
        #expect(try await deployment.counts()["total"]?.int == 100)
        #expect(try await deployment.violations(client) == [])
    }

    @Test func `a fetch that fails at every attempt becomes a dead letter, which an operator can retry once`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let url = deployment.url("/status/500?times=3")
        let answer = try await client.call("image.load", #"{"url":"\#(url)","as":"bytes","fetch":{"retry":{"attempts":3,"base":0.01}},"deadline":60}"#)
        #expect(answer.error?.name == "httpStatus" && answer.error?.data["attempts"]?.int == 3, "\(answer)")
        // The last failure is the end of the fetch, and no retry.
        for (outcome, count) in ["retried": 2, "failed": 1] {
            try await Gate.until("\(outcome) is counted") {
                try await deployment.workers[0].value(of: #"tintype_fetches_finished_total{queue="default",outcome="\#(outcome)"}"#) == count
            }
        }
        let letters = try await client.call("dead.list", #"{"queue":"default"}"#)["items"]?.array ?? []
        let id = try #require(letters.first?["id"]?.string)
        #expect(letters.count == 1 && letters[0]["attempts"]?.int == 3)
        let retry = #"{"queue":"default","ids":["\#(id)"]}"#
        #expect(try await client.call("dead.retry", retry)["retried"]?.int == 1)
        #expect(try await client.call("dead.retry", retry)["retried"]?.int == 0)
        let again = try await client.call("receipt.get", #"{"receipt":"retry-\#(id)","wait":30}"#)
        #expect(again.state == "succeeded", "\(again)")
        #expect(try await deployment.counts()["total"]?.int == 4)
        #expect(try await client.call("dead.list", #"{"queue":"default"}"#)["items"]?.array?.isEmpty == true)
        #expect(try await deployment.violations(client) == [])
    }
}
