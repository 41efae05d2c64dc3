import TestSupport

@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeQueue

/// A life of requests with the same text wherever a text comes from outside: from clients, from origins, and from workers that repeat it.
@Loop struct StrangersLife {
    private let h: QueueHarness
    private let text: String

    init(_ harness: QueueHarness, _ text: String) { (h, self.text) = (harness, text) }

    private var json: JSON { .string(text) }
    private var failure: TintypeError { TintypeError(.httpStatus, .download, text, retryable: false, details: ["url": json]) }
    private var transient: TintypeError { TintypeError(.dns, .download, text, retryable: true, details: ["url": json]) }

    func live() async throws {
        try await succeed()
        try await fail()
        try await call()
        try await group()
        try await shapeless()
    }

    private func submission(_ receipt: String, source: String) -> Submission {
        var submission = QueueHarness.submission(receipt, source: source, renditions: [text, "small"])
        let fetch: JSON = ["url": .string("http://a.test/?" + text), "headers": ["x": json]]
        submission.fetch = fetch.text
        submission.renditions[0].digest = source + "-first"
        submission.renditions[0].json = (["text": json, "url": .string("http://" + text)] as JSON).text
        submission.bare = CredentialStripper.text(of: fetch, renditions: [])
        submission.meta = ",\"userInfo\":\(json.text)"
        submission.callback = CallbackTarget(url: "http://h.test/" + text, secret: text)
        submission.supersedeKey = text
        submission.wantsProgress = true
        submission.maxAttempts = 2
        submission.deadlineSeconds = 3600
        return submission
    }

    private func made(_ digest: String) -> RenditionOutcome {
        RenditionOutcome(digest, .success(info: ["key": json], source: ["url": json], description: ["exif": json], time: 60))
    }

    /// Requests that are made one after the other, answered from the index, superseded and cancelled.
    private func succeed() async throws {
        let first = submission("r1", source: "s1")
        _ = try await h.queue.submit(first)
        _ = try await h.queue.submit(first)
        let run = try await h.claim()
        _ = try await h.queue.progress(run.lease, [FetchEvent(type: .response, body: ["url": json])])
        _ = try await h.queue.progress(run.lease, [FetchEvent(type: .progress, body: ["phase": "decode", "x": json])])
        _ = try await h.queue.beat(worker: "w1", info: ["x": json], [run.lease])
        _ = try await h.queue.rendition(run.lease, made("s1-first"), metrics: ["x": json])
        _ = try await h.queue.finish(run.lease, .success(metrics: ["x": json], [made("s1-small")]))
        _ = try await h.queue.submit(submission("r2", source: "s1"))
        _ = try await h.queue.submit(submission("r3", source: "s2"))
        _ = try await h.queue.submit(submission("r4", source: "s3"))
        _ = try await h.queue.setPriority(receipt: "r4", 3)
        for isPaused in [true, false] { _ = try await h.queue.pause(receipt: "r4", isPaused) }
        _ = try await h.queue.snapshots(["r1", "r2", "r3", "r4"])
        _ = try await h.queue.cancel(receipt: "r4", reason: text)
    }

    /// Fetches that become dead letters after two runs, and sources that are blacklisted and refused.
    private func fail() async throws {
        _ = try await h.queue.submit(submission("f1", source: "s4"))
        for _ in 0..<2 {
            _ = try await h.queue.finish(try await h.claim().lease, .failure(transient, retryAfter: nil))
            h.tick(60_000)
            _ = try await h.queue.reap()
        }
        let letters = try await h.queue.deadLetters(limit: 10).items
        guard !letters.isEmpty else { throw TestFailure("no dead letter") }
        _ = try await h.queue.retry(dead: letters.map(\.id))
        _ = try await h.queue.cancelAll(reason: text)
        _ = try await h.queue.submit(submission("f2", source: "s5"))
        let listing = BlacklistListing(seconds: 60, text: "all \(failure.json.text)")
        _ = try await h.queue.finish(try await h.claim().lease, .failure(failure, retryAfter: nil), listing: listing)
        _ = try await h.queue.submit(submission("f3", source: "s5"))
        _ = try await h.queue.blacklist(limit: 10)
    }

    private func call() async throws {
        let due = try await h.queue.dueCallbacks(count: 10, lease: .seconds(3))
        guard !due.isEmpty else { throw TestFailure("no callback") }
        for (number, one) in due.enumerated() { try await h.queue.settle(one, retryAfter: number == 0 ? .seconds(1) : nil) }
        var submission = submission("c1", source: "s6")
        submission.supersedeKey = nil
        try await h.queue.owe(submission, at: "1", body: "\"x\":\(json.text)", event: (["x": json] as JSON).text)
    }

    private func group() async throws {
        let request = (["url": json, "tag": json] as JSON).text
        guard let token = try await h.queue.start(group: GroupRecord(id: "g-1", kind: .batch), coordinator: "c1", requests: [request, request]) else {
            throw TestFailure("no group")
        }
        let held = GroupLease(group: "g-1", token: token)
        _ = try await h.queue.begin(held, index: 0, GroupRecord.Begun(queue: "default", receipt: "g-1.0"))
        _ = try await h.queue.settle(held, index: 0, outcome: ["state": "failed", "error": failure.json], failure: failure)
        _ = try await h.queue.group("g-1", .results(from: 0, limit: 10))
        _ = try await h.queue.cancel(group: "g-1", reason: text)
    }

    /// Each script once with the text as every argument, for everything that is read before the argument is found invalid.
    private func shapeless() async throws {
        let words = [RedisArgument](repeating: .string(text), count: 40)
        for script in QueueScript.allCases { _ = try? await h.queue.run(script, words) }
    }
}
