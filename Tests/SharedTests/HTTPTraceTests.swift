import TestSupport
import Testing
import TintypeCore

@testable import TintypeTransport

/// The places of HTTP requests in traces.
@Suite(.scoped) struct HTTPTraceTests {
    private static let (first, second) = ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")

    /// Returns what a handler finds out about a request with these headers.
    @Loop private func handled<T>(_ headers: [String], _ look: @escaping @Loop (HTTPExchange) -> T) throws -> T? {
        var found: T?
        let wire = ScriptedWire()
        let service = try wire.serve { exchange in
            found = look(exchange)
            exchange.respond(200)
        }
        wire.receive(Array(("GET / HTTP/1.1\r\nHost: h\r\n" + headers.map { $0 + "\r\n" }.joined() + "\r\n").utf8))
        service.closeAll()
        return found
    }

    static let cases: [(headers: [String], parent: String?, state: String?)] = [
        ([], nil, nil), (["traceparent: \(first)"], first, nil), (["TraceParent:  \(first) "], first, nil),
        (["traceparent: \(first)", "traceparent: \(second)"], nil, nil), (["traceparent: \(first)", "traceparent: \(first)"], nil, nil),
        (["traceparent: \(first), \(second)"], nil, nil), (["traceparent: \(first)", "traceparent:"], nil, nil), (["tracestate: a=1"], nil, nil),
        (["traceparent: \(first)", "tracestate: a=1"], first, "a=1"),
        (["traceparent: cc\(first.dropFirst(2))", "traceparent: cc\(first.dropFirst(2))"], nil, nil),
        (["tracestate: a=1", "traceparent: \(first)", "tracestate: b=2,c=3", "Tracestate: d=4"], first, "a=1, b=2,c=3, d=4"),
    ]

    @Test(arguments: cases.indices) @Loop func `one context counts, several are none, and several states are one`(index: Int) throws {
        let (headers, parent, state) = Self.cases[index]
        let trace = try #require(try handled(headers) { $0.trace })
        #expect(trace?.parent == parent && trace?.state == state, "\(headers)")
    }

    /// Returns a tracer that counts each span as dropped.
    @Loop private func tracer(_ sampler: TraceSampler = .standard) -> (Tracer, ended: @Loop () -> Int) {
        var settings = TraceSettings(endpoint: "http://127.0.0.1:9/v1/traces")
        (settings.most, settings.sampler) = (0, sampler)
        let metrics = Metrics()
        let ended: @Loop () -> Int = {
            let line = metrics.text().split(separator: "\n").first { $0.hasPrefix(#"tintype_trace_spans_total{outcome="dropped"} "#) }
            return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
        }
        return (Tracer(settings, metrics: metrics, logger: Logger(label: "test", level: .error)), ended)
    }

    @Test @Loop func `a span ends once`() throws {
        let (tracer, ended) = tracer()
        let trace = try #require(try handled(["traceparent: \(Self.first)"]) { RequestTrace($0, route: "images", tracer) } ?? nil)
        #expect(trace.span != nil && ended() == 0 && trace.context.parent != Self.first)
        trace.end(status: nil)
        #expect(trace.span == nil && ended() == 1)
        trace.end(status: 200)
        #expect(ended() == 1)
    }

    @Test @Loop func `without a collector the client's context goes on, and a request without one has none`() throws {
        let trace = try #require(try handled(["traceparent: \(Self.first)"]) { RequestTrace($0, route: "images", nil) } ?? nil)
        #expect(trace.span == nil && trace.context.parent == Self.first)
        #expect(try #require(try handled([]) { RequestTrace($0, route: "images", nil) }) == nil)
    }

    @Test @Loop func `a trace that is not sent goes on as one that nobody sends`() throws {
        let (tracer, ended) = tracer(try #require(TraceSampler("always_off", argument: nil)))
        let trace = try #require(try handled(["traceparent: \(Self.first)"]) { RequestTrace($0, route: "images", tracer) } ?? nil)
        #expect(trace.span == nil && trace.context.parent == Self.first.dropLast(2) + "00")
        trace.end(status: 200)
        #expect(ended() == 0)
        #expect(try #require(try handled([]) { RequestTrace($0, route: "images", tracer) }) == nil)
    }
}
