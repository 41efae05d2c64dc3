import Foundation
import TestSupport
import Testing
import TintypeCore

/// Traces of work behind a request, over real processes: fallbacks, better pictures, pictures of clients that come back; and HTTP requests that end badly.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct TraceOfWorkTests {
    private static let (door, formats) = (["--images", "127.0.0.1:0", "--images-unsigned"], ["--images-formats", "webp,avif"])

    private func door(of deployment: Deployment) -> String { "http://" + (deployment.coordinators[0].ready["images"] ?? "") }

    @Test func `a fallback has its span, and a second source its publish and its run below`() async throws {
        let collector = try await TraceCollector()
        let deployment = try await Deployment(environment: collector.environment())
        let client = try deployment.client()
        let (missing, there) = (deployment.url("/status/404"), deployment.url("/picture.png?size=64x48"))
        let (second, plain) = (TraceCollector.context("a"), TraceCollector.context("b"))
        let loaded = try await client.call(
            "image.load", #"{\#(TraceCollector.meta(second.parent)),"url":"\#(missing)","fallback":{"url":"\#(there)"}}"#)
        #expect(loaded.from == "fallback", "\(loaded)")
        try await Gate.until("both runs are there") { collector.spans.count { $0.trace == second.trace && $0.name == "process default" } == 2 }
        let spans = try await collector.spans(of: second.trace, until: ["image.load", "fallback"])
        let fallback = try #require(spans.first { $0.name == "fallback" })
        let publishes = spans.filter { $0.name == "publish default" }
        #expect(fallback["tintype.fallback"] == "request" && fallback.error == nil && publishes.count == 2)
        #expect(publishes.contains { $0.id == fallback.parent } && publishes.contains { $0.parent == fallback.id }, "\(spans)")

        let colored = try await client.call(
            "image.load", ##"{\##(TraceCollector.meta(plain.parent)),"url":"\##(missing)?n=2","fallback":{"color":"#c08","width":8,"height":8}}"##)
        #expect(colored.from == "fallback", "\(colored)")
        let others = try await collector.spans(of: plain.trace, until: ["image.load", "fallback"])
        #expect(others.first { $0.name == "fallback" }?["tintype.fallback"] == "color")
    }

    @Test func `a better picture behind a quick one is in the trace of its request`() async throws {
        let collector = try await TraceCollector()
        let deployment = try await Deployment(coordinatorArguments: Self.door + Self.formats, environment: collector.environment())
        let (trace, parent) = TraceCollector.context("a")
        let first = try await HTTP.get(
            door(of: deployment) + "/unsafe/w:64/plain/" + deployment.url("/picture.png"),
            ["-H", "Accept: image/avif,image/webp,*/*;q=0.8", "-H", "traceparent: \(parent)"])
        #expect(first.status == 200 && first.headers["tintype-next"] == "avif", "\(first.headers)")
        let spans = try await collector.spans(of: trace, until: ["GET door", "better picture"])
        try await Gate.until("both runs are there") { collector.spans.count { $0.trace == trace && $0.name == "process default" } == 2 }
        let (visit, better) = try (#require(spans.first { $0.name == "GET door" }), #require(spans.first { $0.name == "better picture" }))
        #expect(better.parent == visit.id && better.error == nil && better["tintype.receipt"]?.string?.isEmpty == false)
        #expect(collector.spans.filter { $0.trace == trace && $0.name == "publish default" }.map(\.parent) == [visit.id, better.id])
    }

    @Test func `a picture that its client comes back for is in the trace of its request, and later requests are linked`() async throws {
        let collector = try await TraceCollector()
        let deployment = try await Deployment(coordinatorArguments: Self.door, environment: collector.environment())
        let url = door(of: deployment) + "/unsafe/w:64/plain/" + deployment.url("/picture.png%3Fgate=0")
        let (first, second) = (TraceCollector.context("a"), TraceCollector.context("b"))
        for context in [first, second] {
            #expect(try await HTTP.get(url, ["-H", "Prefer: respond-async", "-H", "traceparent: \(context.parent)"]).status == 202)
        }
        try await deployment.open(gate: "0")
        let spans = try await collector.spans(of: first.trace, until: ["GET door", "async picture", "publish default", "process default"])
        let (visit, work) = try (#require(spans.first { $0.name == "GET door" }), #require(spans.first { $0.name == "async picture" }))
        #expect(visit["http.response.status_code"] == 202 && work.parent == visit.id && work.links == [second.trace] && work.error == nil)
        #expect(spans.first { $0.name == "publish default" }?.parent == work.id)
        #expect(try await collector.spans(of: second.trace, until: ["GET door"]).map(\.name) == ["GET door"])
    }

    @Test func `log lines about HTTP requests have the ids of their traces`() async throws {
        let (collector, store) = (try await TraceCollector(), try await RedisServer())
        let deployment = try await Deployment(coordinatorArguments: Self.door, store: store.url, environment: collector.environment())
        let (coordinator, (shown, asked)) = (deployment.coordinators[0], (TraceCollector.context("a"), TraceCollector.context("b")))
        let refused = try await HTTP.get(
            door(of: deployment) + "/unsafe/plain/" + deployment.url("/status/500"), ["-H", "traceparent: \(shown.parent)"])
        #expect(refused.status == 502)
        await store.kill9()
        #expect(try await HTTP.get(coordinator.base + "/images/0123456789abcdef", ["-H", "traceparent: \(asked.parent)"]).status == 503)
        let ids = [
            (
                "the picture door has no picture", shown.trace,
                try await collector.spans(of: shown.trace, until: ["GET door"]).first { $0.name == "GET door" }?.id
            ),
            ("the result store does not answer", asked.trace, try await collector.spans(of: asked.trace, until: ["GET images"]).first?.id),
        ]
        for (words, trace, span) in ids {
            #expect(await coordinator.process.errorText(containing: words))
            let line = try #require(coordinator.process.errors.split(separator: "\n").first { $0.contains(words) })
            #expect(line.contains("trace_id=\(trace) span_id=\(span ?? "?") "), "\(line)")
        }
    }

    @Test func `log lines of HTTP requests have the ids without a collector too`() async throws {
        let store = try await RedisServer()
        let deployment = try await Deployment(workers: 0, store: store.url)
        await store.kill9()
        let (trace, parent) = TraceCollector.context("a")
        #expect(try await HTTP.get(deployment.coordinators[0].base + "/images/0123456789abcdef", ["-H", "traceparent: \(parent)"]).status == 503)
        #expect(await deployment.coordinators[0].process.errorText(containing: "trace_id=\(trace) span_id=00f067aa0ba902b7"))
    }

    @Test func `a client that goes before its answer ends the span of its request`() async throws {
        let (collector, store) = (try await TraceCollector(), try await RedisServer())
        let deployment = try await Deployment(workers: 0, store: store.url, environment: collector.environment())
        let (trace, parent) = TraceCollector.context("a")
        // The store hangs, so that no answer comes.
        store.freeze()
        defer { store.thaw() }
        let client = try RawClient(port: UInt16(deployment.coordinators[0].base.split(separator: ":").last ?? "") ?? 0)
        client.send("GET /images/0123456789abcdef HTTP/1.1\r\nHost: 127.0.0.1\r\ntraceparent: \(parent)\r\n\r\n")
        client.close()
        let span = try #require(try await collector.spans(of: trace, until: ["GET images"]).first)
        #expect(span.error == "the client has gone" && span["http.response.status_code"] == nil)
    }

    @Test func `a request with two contexts has none, and several states are one`() async throws {
        let collector = try await TraceCollector()
        let deployment = try await Deployment(workers: 0, environment: collector.environment())
        let (first, second, third) = (TraceCollector.context("a"), TraceCollector.context("b"), TraceCollector.context("c"))
        let rpc = deployment.coordinators[0].base + "/rpc"
        func ping(_ headers: [String]) async throws {
            let words = headers.flatMap { ["-H", $0] } + ["-d", #"{"jsonrpc":"2.0","id":1,"method":"system.ping"}"#]
            #expect(try await HTTP.get(rpc, words).status == 200)
        }
        try await ping(["traceparent: \(first.parent)", "traceparent: \(second.parent)"])
        try await ping(["traceparent: \(third.parent)", "tracestate: one=1", "tracestate: two=2,three=3"])
        let span = try #require(try await collector.spans(of: third.trace, until: ["system.ping"]).first)
        #expect(span.json["state"] == "one=1, two=2,three=3")
        let other = try #require(collector.spans.first { $0.name == "system.ping" && $0.id != span.id })
        #expect(![first.trace, second.trace].contains(other.trace) && other.parent.isEmpty)
    }
}
