import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeSettings
import TestSupport
import Testing

@testable import Coordinator
@testable import TintypeStreams

/// `GET /events`: whole streams, with a real Redis.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct EventStreamTests {
    private static let request = #"{"url":"http://origin.test/a","receipt":"r","detached":true,"progress":true}"#

    @Loop private func submitted() async throws -> CoordinatorHarness {
        let h = try await CoordinatorHarness()
        try await h.client().call("image.submit", Self.request)
        return h
    }

    /// Waits until the coordinator has no stream any more.
    @Loop private func untilAlone(_ h: CoordinatorHarness) async throws { try await h.until { h.coordinator.part(EventRoute.self).count == 0 } }

    @Test @Loop func `a stream has the state, then each event once, and ends with the last one`() async throws {
        let h = try await submitted()
        let stream = try EventSourceClient(h.coordinator.httpAddress, "?receipt=r")
        let state = await stream.events(1)
        #expect(state.map(\.type) == ["state"] && state[0].id == "1", "\(stream.raw.text)")
        #expect(try JSON(parsing: state[0].data)["state"] == "queued")
        try await h.worker.succeed(try await h.worker.claim())
        let events = await stream.untilClosed()
        #expect(events.map(\.type) == ["state", "started", "rendition", "succeeded"])
        #expect(events.map(\.id) == ["1", "2", "3", "4"])
        let last = try JSON(parsing: events[3].data)
        #expect(last["seq"] == 4 && last["result"]?["renditions"]?[0]?["bytes"] == 7)
        let head = stream.raw.text
        for line in ["200 OK", "Content-Type: text/event-stream", "Cache-Control: no-store", "X-Accel-Buffering: no", "retry: 2000"] {
            #expect(head.contains(line), "\(line) is not in \(head)")
        }
        try await untilAlone(h)
    }

    @Test @Loop func `open streams are counted by their kind`() async throws {
        let h = try await submitted()
        func counts() -> [Double] {
            h.coordinator.part(EventRoute.self).sample()
            return ["receipt", "queue", "statistics"].map { h.coordinator.core.process.metrics.value(.eventStreams, labels: $0) }
        }
        #expect(counts() == [0, 0, 0] && h.coordinator.core.process.metrics.text().contains(#"tintype_event_streams{kind="queue"} 0"#))
        let streams = try ["?receipt=r", "?receipt=r", "?queue=default", "?stats=1"].map { try EventSourceClient(h.coordinator.httpAddress, $0) }
        try await h.until { counts() == [2, 1, 1] }
        for stream in streams { stream.close() }
        try await h.until { counts() == [0, 0, 0] }
    }

    @Test @Loop func `a client that comes back misses nothing and gets nothing twice`() async throws {
        let h = try await submitted()
        let address = h.coordinator.httpAddress
        let first = try EventSourceClient(address, "?receipt=r")
        _ = await first.events(1)
        let fetch = try await h.worker.claim()
        #expect(await first.events(2).map(\.type) == ["state", "started"])
        first.close()
        try await untilAlone(h)
        for received in [10, 20] { try await h.worker.progress(fetch, ["receivedBytes": JSON(received)]) }
        let second = try EventSourceClient(address, "?receipt=r", after: "2")
        #expect(await second.events(2).map(\.id) == ["3", "4"])
        second.close()
        try await untilAlone(h)
        try await h.worker.progress(fetch, ["receivedBytes": 30])
        try await h.worker.succeed(fetch)
        // A client without the header sends the same in the query.
        let third = try EventSourceClient(address, "?receipt=r&lastEventId=4")
        let rest = await third.untilClosed()
        #expect(rest.map(\.id) == ["5", "6", "7"] && rest.map(\.type) == ["progress", "rendition", "succeeded"])
    }

    @Test @Loop func `an ended receipt gives its end once, then 204`() async throws {
        let h = try await submitted()
        try await h.worker.succeed(try await h.worker.claim())
        let other = try await h.another()
        for address in [h.coordinator.httpAddress, other.httpAddress] {
            let end = try await EventSourceClient(address, "?receipt=r").untilClosed()
            #expect(end.map(\.type) == ["succeeded"] && end.map(\.id) == ["4"])
            #expect(try await EventSourceClient(address, "?receipt=r", after: "4").status() == 204)
            #expect(try await EventSourceClient(address, "?receipt=r", after: "3").untilClosed().map(\.type) == ["succeeded"])
        }
        let late = try await EventSourceClient(other.httpAddress, "?receipt=r", after: "1").untilClosed()
        #expect(late.map(\.type) == ["gap", "succeeded"])
        #expect(try await EventSourceClient(other.httpAddress, "?receipt=none").status() == 404)
    }

    @Test @Loop func `another coordinator continues a stream, and says what it does not know`() async throws {
        let h = try await submitted()
        let other = try await h.another()
        let fetch = try await h.worker.claim()
        // Nothing was missed.
        let whole = try EventSourceClient(other.httpAddress, "?receipt=r", after: "2")
        try await h.until { other.part(EventRoute.self).count == 1 }
        try await h.worker.progress(fetch, ["receivedBytes": 10])
        #expect(await whole.events(1).map(\.id) == ["3"])
        let late = try EventSourceClient(other.httpAddress, "?receipt=r", after: "1")
        let gap = await late.events(2)
        #expect(gap.map(\.type) == ["gap", "state"] && gap[1].id == "3")
        #expect(gap[0].data == #"{"lastEventId":"1"}"#)
        #expect(try JSON(parsing: gap[1].data)["progress"]?["receivedBytes"] == 10)
        try await h.worker.succeed(fetch)
        #expect(await whole.untilClosed().map(\.id) == ["3", "4", "5"])
        #expect(await late.untilClosed().map(\.type) == ["gap", "state", "rendition", "succeeded"])
    }

    @Test @Loop func `events that a broken connection to Redis has lost are a gap, and the end is not lost`() async throws {
        let h = try await submitted()
        let stream = try EventSourceClient(h.coordinator.httpAddress, "?receipt=r")
        _ = await stream.events(1)
        let fetch = try await h.worker.claim()
        #expect(await stream.events(2).last?.type == "started")
        // Two events that no message announced.
        _ = try await h.redis.command("HINCRBY", QueueKeys("default").receipt("r"), "seq", "2")
        _ = try await h.redis.command("CLIENT", "KILL", "TYPE", "pubsub")
        let gap = await stream.events(4)
        #expect(gap.map(\.type) == ["state", "started", "gap", "state"] && gap.map(\.id) == ["1", "2", "2", "4"])
        try await h.worker.succeed(fetch)
        #expect(await stream.untilClosed().last?.type == "succeeded")
    }

    @Test @Loop func `a queue has the ends of its receipts, and a client that comes back misses none`() async throws {
        let h = try await CoordinatorHarness()
        let (address, client) = (h.coordinator.httpAddress, try h.client())
        func finish(_ receipt: String) async throws {
            try await client.call("image.submit", #"{"url":"http://origin.test/\#(receipt)","receipt":"\#(receipt)","detached":true}"#)
            try await h.worker.succeed(try await h.worker.claim())
        }
        let first = try EventSourceClient(address, "?queue=default")
        let begin = await first.events(1)
        #expect(begin.map(\.type) == ["state"])
        #expect(try JSON(parsing: begin[0].data)["name"] == "default")
        first.close()
        try await untilAlone(h)
        try await finish("a")
        let second = try EventSourceClient(address, "?queue=default", after: begin[0].id)
        let event = await second.events(1)
        #expect(event.map(\.type) == ["succeeded"] && event[0].id.hasPrefix("a:"))
        try await finish("b")
        #expect(await second.events(2).last?.id.hasPrefix("b:") == true)
        second.close()
        try await untilAlone(h)
        try await finish("c")
        #expect(try await EventSourceClient(address, "?queue=default", after: event[0].id).events(2).map(\.id.first) == ["b", "c"])
        let stranger = try await EventSourceClient(address, "?queue=default", after: "z:9").events(2)
        #expect(stranger.map(\.type) == ["gap", "state"] && stranger[1].id.hasPrefix("c:"))
        #expect(try await EventSourceClient(address, "?queue=none").status() == 404)
    }

    @Test @Loop func `a client that does not read is cut`() async throws {
        let h = try await CoordinatorHarness()
        h.coordinator.part(EventRoute.self).limits.unsent = 64 << 10
        let stream = try EventSourceClient(h.coordinator.httpAddress, "?queue=default", reads: false)
        try await h.until { h.coordinator.part(EventRoute.self).count == 1 }
        let event = #"{"receipt":"x","seq":1,"type":"succeeded","fill":"\#(String(repeating: "x", count: 60 << 10))"}"#
        var sent = 0
        while h.coordinator.part(EventRoute.self).count == 1, sent < 1000 {
            _ = try await h.redis.command("PUBLISH", QueueKeys("default").publicEvents, event)
            sent += 1
        }
        #expect(h.coordinator.part(EventRoute.self).count == 0)
        stream.raw.startReading()
        await stream.raw.untilClosed()
    }

    @Test @Loop func `a quiet stream has comments, and a stopping coordinator ends the streams whole`() async throws {
        let h = try await submitted()
        h.coordinator.part(EventRoute.self).limits.keepAlive = .milliseconds(10)
        let client = try RawClient(h.coordinator.httpAddress)
        client.send("GET /events?receipt=r HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        await client.received { String(decoding: $0, as: UTF8.self).contains(": keep-alive\n\n") }
        await h.coordinator.stop()
        let text = String(decoding: await client.untilClosed(), as: UTF8.self)
        #expect(text.contains("Transfer-Encoding: chunked") && text.hasSuffix("\r\n0\r\n\r\n"), "\(text)")
    }

    @Test @Loop func `HEAD has the headers alone, and a wrong parameter is named`() async throws {
        let h = try await submitted()
        guard case .tcp(_, let port) = h.coordinator.httpAddress else { throw TestFailure("no port") }
        let head = try await RawClient.ask(port: port, "HEAD", "/events?receipt=r").description
        #expect(head.contains("200 OK") && head.contains("Content-Type: text/event-stream") && head.hasSuffix("\r\n\r\n"), "\(head)")
        #expect(try await RawClient.ask(port: port, "HEAD", "/events?receipt=none").status == 404)
        let wrong = try await RawClient.ask(port: port, "GET", "/events?receipt=r&queu=q").description
        #expect(wrong.contains("400 ") && wrong.contains(#""path":"queu""#) && wrong.contains("invalidParams"), "\(wrong)")
        let page = try await RawClient.ask(port: port, "GET", "/events?receipt=r", ["Host: 127.0.0.1", "Origin: https://evil.example"])
        #expect(page.status == 403)
    }

    @Test @Loop func `a stream whose token is refused while it begins is not opened`() async throws {
        let h = try await submitted()
        try await h.until { h.coordinator.core.process.scope.count == 0 }
        h.redis.freeze()
        let stream = try EventSourceClient(h.coordinator.httpAddress, "?receipt=r")
        try await h.until { h.coordinator.core.process.scope.count > 0 }
        h.coordinator.core.access.control.tokens = try AccessTokens(text: "another-token", path: "tokens")
        h.coordinator.part(EventRoute.self).expel()
        h.redis.thaw()
        #expect(await stream.status() == 401)
        #expect(h.coordinator.part(EventRoute.self).count == 0)
    }

    @Test @Loop func `a token sees its own receipts, and queues need an admin`() async throws {
        let folder = try TemporaryFolder("streams")
        let tokens = folder.path + "/tokens"
        try Data("load-load-load role=load\nelse-else-else role=load\nadmin-admin-admin".utf8).write(to: URL(fileURLWithPath: tokens))
        let h = try await CoordinatorHarness { $0.tokenFile = tokens }
        let client = try h.client()
        try await client.call("session.authenticate", #"{"token":"load-load-load"}"#)
        try await client.call("image.submit", Self.request)
        func status(_ query: String, _ token: String?) async throws -> Int {
            let headers = token.map { ["Authorization: Bearer \($0)"] } ?? []
            let stream = try EventSourceClient(h.coordinator.httpAddress, query, headers: headers)
            let text = String(decoding: await stream.raw.received { !EventSourceClient.events(in: String(decoding: $0, as: UTF8.self)).isEmpty }, as: UTF8.self)
            stream.close()
            return text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        }
        #expect(try await status("?receipt=r", nil) == 401)
        #expect(try await status("?receipt=r", "load-load-load") == 200)
        #expect(try await status("?receipt=r", "else-else-else") == 404)
        #expect(try await status("?receipt=r", "admin-admin-admin") == 200)
        #expect(try await status("?queue=default", "load-load-load") == 403)
        #expect(try await status("?queue=default", "admin-admin-admin") == 200)
        // A token that is no longer accepted loses its streams, long before their next comment.
        let stream = try EventSourceClient(h.coordinator.httpAddress, "?receipt=r", headers: ["Authorization: Bearer load-load-load"])
        _ = await stream.events(1)
        try Data("admin-admin-admin".utf8).write(to: URL(fileURLWithPath: tokens))
        await h.coordinator.reload()
        try await Gate.until("the stream ends", within: .seconds(5)) { h.coordinator.part(EventRoute.self).count == 0 }
        await stream.raw.untilClosed()
    }
}
