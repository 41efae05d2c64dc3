import Shared
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct QueueTests {
    @Test @Loop func `a receipt is queued, started, and ends with its result`() async throws {
        let h = try await QueueHarness()
        #expect(try await h.submit("r1") { $0.meta = #","tag":"t""# } == .queued(state: .queued, position: 0, joined: false))
        h.tick(250)
        let fetch = try await h.claim()
        #expect(fetch.attempt == 1 && fetch.host == "a.test" && fetch.queuedSeconds == 0.25 && fetch.deadlineSeconds == 29.75)
        #expect(fetch.fetch == #"{"urls":["http://a.test/source"]}"#)
        #expect(fetch.renditions == [OwedRendition(digest: "source-small", json: #"{"name":"small"}"#)])
        h.tick(50)
        let answer = try await h.queue.finish(fetch.held, .success(metrics: ["dns": 0.5, "total": 9], [QueueHarness.made("source-small")]))
        #expect(answer == .done)
        let events = try await h.publicEvents(of: "r1")
        #expect(events.map { $0["type"]?.string } == ["queued", "started", "succeeded"])
        #expect(events.map { $0["seq"]?.int } == [1, 2, 3])
        #expect(events.allSatisfy { $0["tag"] == "t" && $0["queue"] == "default" && $0["receipt"] == "r1" })
        #expect(events[0]["position"] == 0 && events[1]["worker"] == "w1" && events[1]["attempt"] == 1)
        #expect(events[2]["at"]?.double == 1_700_000_000.3)
        #expect(
            events[2]["result"] == [
                "receipt": "r1", "from": "remote", "state": "succeeded", "notModified": false, "source": ["url": "u"],
                "renditions": [["name": "small", "key": "source-small"]], "description": [:], "attempts": 1, "worker": "w1",
                "metrics": ["dns": 0.5, "queued": 0.25, "total": 0.3],
            ])
        h.stop()
    }
}
