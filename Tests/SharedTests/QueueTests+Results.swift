import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

extension QueueTests {
    @Test @Loop func `a reload joins no older fetch, only a reload that has not begun`() async throws {
        let h = try await QueueHarness()
        let reload: (inout Submission) -> Void = {
            $0.readResults = false; $0.joining = .reload
        }
        _ = try await h.submit("r1")
        let first = try await h.claim()
        #expect(try await h.submit("r2", reload) == .queued(state: .queued, position: 0, joined: false))
        #expect(try await h.submit("r3", reload) == .queued(state: .queued, position: 0, joined: true))
        #expect(try await h.submit("r4") == .queued(state: .queued, position: 0, joined: true))
        try await h.succeed(first)
        #expect(try await h.queue.receipt("r1")?.state == .succeeded)
        #expect(try await h.queue.receipt("r2")?.state == .queued)
        let second = try await h.claim()
        #expect(try await h.submit("r5", reload) == .queued(state: .queued, position: 0, joined: false))
        try await h.succeed(second)
        try await h.succeed(try await h.claim())
        for id in ["r2", "r3", "r4", "r5"] { #expect(try await h.queue.receipt(id)?.state == .succeeded, "\(id)") }
    }

    /// The results of a run whose source came at some moment.
    func made(_ hash: String, at moment: Int, ttl: ResultTime = 60, source: String? = nil) -> RenditionOutcome {
        let info: JSONObject = ["key": "source-small", "sha256": .string(hash), "storedAt": JSON(moment)]
        return RenditionOutcome(
            "source-small", .success(info: info, source: source.map { ["sha256": .string($0)] } ?? [:], description: nil, time: ttl))
    }

    /// The store has one picture for a key: the last one written.
    @Test(
        arguments: [
            // The index has a result of time 200, kept for an hour. Then an older or newer run ends, with the same bytes or others.
            ("bb", 100, 60.0, nil), ("bb", 300, 60, "bb"), ("aa", 100, 60, "aa 200"), ("aa", 100, 7200, "aa 100"), ("aa", 300, 60, "aa 300"),
            // No tier keeps it.
            ("bb", 300, ResultTime.bytesOnly, nil), ("bb", 300, ResultTime.whileFresh, nil), ("aa", 300, ResultTime.bytesOnly, "aa 200"),
        ] as [(String, Int, ResultTime, String?)])
    @Loop func `the index describes the existing bytes, or none`(hash: String, moment: Int, ttl: ResultTime, left: String?) async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.resultTime = ResultTime.bytesOnly }
        let first = try await h.claim()
        _ = try await h.submit("r2") { ($0.readResults, $0.joining, $0.resultTime) = (false, .reload, ResultTime.bytesOnly) }
        let second = try await h.claim()
        #expect(try await h.queue.finish(second.lease, .success(metrics: [:], [made("aa", at: 200, ttl: 3600)])) == .done)
        #expect(try await h.queue.finish(first.lease, .success(metrics: [:], [made(hash, at: moment, ttl: ttl)])) == .done)
        let text = try await h.queue.dump().text("x:source-small")
        let info = try text.map { try JSON(parsing: String($0.prefix { $0 != "\n" })) }
        let words = left?.split(separator: " ").map(String.init) ?? []
        #expect(info?["sha256"]?.string == words.first, "\(text ?? "nothing")")
        if words.count > 1 { #expect(info?["storedAt"]?.int == Int(words[1])) }
    }

    @Test(arguments: [("aa", true), ("bb", false)]) @Loop
    func `a client that reloaded learns whether the index had the same result`(hash: String, isSame: Bool) async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        _ = try await h.queue.finish(try await h.claim().lease, .success(metrics: [:], [made("11", at: 100, source: "aa")]))
        _ = try await h.submit("r2") { ($0.showsCached, $0.joining) = (true, .asking) }
        var origin = ResultOrigin.remote
        origin.isUpdated = true
        _ = try await h.queue.finish(try await h.claim().lease, .success(metrics: [:], [made("11", at: 200, source: hash)], from: origin))
        let result = try await h.publicEvents(of: "r2").last?["result"]
        #expect(result?["updated"] == .bool(!isSame) && result?["notModified"] == .bool(isSame) && result?["from"] == "remote", "\(result ?? .null)")
    }

    @Test @Loop func `a client with a cached result gets no previews, and others do`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        _ = try await h.queue.finish(try await h.claim().lease, .success(metrics: [:], [made("11", at: 100, source: "aa")]))
        func refresh(_ receipt: String, _ digest: String) async throws {
            _ = try await h.submit(receipt, renditions: [digest]) {
                ($0.showsCached, $0.joining, $0.wantsProgress, $0.previews) = (true, .asking, true, PreviewOptions())
            }
        }
        try await refresh("r2", "small")
        #expect(try await h.publicEvents(of: "r2").map { $0["type"] } == ["queued", "cached"])
        let after = try await h.queue.dump()
        let fetch = try #require(after.names("f:").first { after.hash("f:" + $0)["state"] == "queued" })
        #expect(after.hash("f:" + fetch)["previews"] == nil && after.hash("f:" + fetch)["progressInterval"] != nil)
        #expect(after.hash("fr:" + fetch)["r2"]?.contains(" progress") == true)
        try await refresh("r3", "large")
        let joined = try await h.queue.dump()
        #expect(
            joined.hash("f:" + fetch)["previews"] != nil && joined.hash("fr:" + fetch)["r3"]?.contains(" previews") == true
                && joined.hash("fr:" + fetch)["r2"]?.contains(" progress") == true)
    }

    @Test @Loop func `a rendition without a name is not listed, and names may hold anything`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1", renditions: ["", "b"]) { ($0.renditions[1].name, $0.resultTime) = ("a \"b\"\n\\", 0) }
        let fetch = try await h.claim()
        _ = try await h.queue.finish(
            fetch.lease,
            .success(
                metrics: [:],
                fetch.renditions.map {
                    RenditionOutcome($0.digest, .success(info: [:], source: ["url": "u"], description: ["blurhash": "%1x"], time: 0))
                }))
        let result = try await h.publicEvents(of: "r1").last?["result"]
        #expect(result?["renditions"] == [["name": "a \"b\"\n\\"]] && result?["description"] == ["blurhash": "%1x"])
        #expect(try await h.queue.dump().names("x:").isEmpty, "a time to live of 0 keeps nothing")
    }

    @Test @Loop func `a description waits for the pictures, from the index too, and needs no bytes`() async throws {
        let h = try await QueueHarness()
        func told(_ fetch: ClaimedFetch) throws -> RenditionOutcome {
            let digest = try #require(fetch.renditions.first { $0.digest == "source-" }?.digest)
            return RenditionOutcome(digest, .success(info: [:], source: ["url": "u"], description: ["blurhash": "x"], time: 60))
        }
        func description(of receipt: String) async throws -> JSON? { try await h.publicEvents(of: receipt).last?["result"]?["description"] }
        _ = try await h.submit("r1", renditions: ["b", ""])
        let first = try await h.claim()
        _ = try await h.queue.rendition(first.lease, told(first), metrics: [:], from: .remote)
        _ = try await h.queue.finish(first.lease, .success(metrics: [:], [QueueHarness.made("source-b")]))
        #expect(try await description(of: "r1") == ["blurhash": "x"])
        #expect(try await h.queue.dump().hash("r:r1")["description"] == nil, "it is in the result")
        guard case .indexed([Indexed("source-b", sha256: nil)]) = try await h.submit("r2", renditions: ["", "b"], { $0.isVerified = false }) else {
            Issue.record("not asked first"); return
        }
        guard case .finished = try await h.submit("r2", renditions: ["", "b"]) else { Issue.record("not answered"); return }
        #expect(try await description(of: "r2") == ["blurhash": "x"])
        #expect(try await h.queue.forget(results: ["source-b"]) == 1)
        guard case .queued = try await h.submit("r3", renditions: ["b", ""], { $0.isVerified = false }) else {
            Issue.record("there is nothing to verify"); return
        }
        let second = try await h.claim()
        #expect(second.renditions.map(\.digest) == ["source-b"])
        try await h.succeed(second)
        #expect(try await description(of: "r3") == ["blurhash": "x"])
    }

    @Test @Loop func `progress goes to the receipts that asked, and is remembered`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.wantsProgress = true }
        _ = try await h.submit("r2")
        let fetch = try await h.claim()
        #expect(fetch.wantsProgress)
        let event = FetchEvent(type: .progress, body: ["receivedBytes": 10, "expectedBytes": nil, "phase": "decode", "fraction": 0.5])
        #expect(try await h.queue.progress(fetch.lease, [FetchEvent(type: .response, body: ["status": 200]), event]) == .ok)
        let messages = try await h.messages()
        let heard = messages.filter { $0.channel == h.queue.keys.events(coordinator: "c1") }.compactMap { QueueEvent($0.payload) }
        let progress = try #require(heard.last { $0.type == .progress })
        #expect(progress.receipts.map(\.receipt) == ["r1"] && progress.body == event.body.fragment)
        #expect(messages.filter { $0.channel == h.queue.keys.publicEvents(receipt: "r2") }.count == 2)
        #expect(try await h.queue.receipt("r1")?.progress == event.body.fragment)
        _ = try await h.queue.cancel(receipt: "r1", reason: "requested")
        #expect(try await h.publicEvents(of: "r1").last?["phase"] == "decode")
    }

    @Test @Loop func `a late request for progress is announced to the worker`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        let fetch = try await h.claim()
        #expect(!fetch.wantsProgress)
        _ = try await h.submit("r2") { $0.wantsProgress = true }
        let told = try await h.messages().filter { $0.channel == h.queue.keys.control }.compactMap { ControlMessage($0.payload) }
        #expect(told == [.watch(fetch.lease, every: .milliseconds(250))])
        #expect(try await h.queue.beat(worker: "w1", info: [:], [fetch.lease]).watched == [fetch.lease.fetch: .milliseconds(250)])
    }

    @Test @Loop func `a fetch reports at the finest pace of its receipts, and a finer one is announced when it joins`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1") { $0.wantsProgress = true }
        _ = try await h.submit("r2") { ($0.wantsProgress, $0.progressInterval) = (true, 0.1) }
        let fetch = try await h.claim()
        #expect(fetch.progressInterval == .milliseconds(100))
        _ = try await h.submit("r3") { ($0.wantsProgress, $0.progressInterval) = (true, 0.2) }
        _ = try await h.submit("r4") { ($0.wantsProgress, $0.progressInterval) = (true, 0.02) }
        let told = try await h.messages().filter { $0.channel == h.queue.keys.control }.compactMap { ControlMessage($0.payload) }
        #expect(told == [.watch(fetch.lease, every: .milliseconds(20))])
        #expect(try await h.queue.beat(worker: "w1", info: [:], [fetch.lease]).watched == [fetch.lease.fetch: .milliseconds(20)])
    }
}
