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

    /// Counts the spans that it takes.
    private final class CountingTracer: Tracer {
        let isOn: Bool
        private(set) var ended = 0

        init(isOn: Bool = true) { self.isOn = isOn }

        func samples(_ trace: TraceID, parent: TraceContext?) -> Bool { isOn }
        func take(_ span: TraceSpan) { ended += 1 }
        func close(within limit: Duration) {}
    }

    @Test @Loop func `a span ends once`() throws {
        let tracer = CountingTracer()
        let trace = try #require(try handled(["traceparent: \(Self.first)"]) { RequestTrace($0, route: "images", tracer) } ?? nil)
        #expect(trace.span != nil && tracer.ended == 0 && trace.context.parent != Self.first)
        trace.end(status: nil)
        #expect(trace.span == nil && tracer.ended == 1)
        trace.end(status: 200)
        #expect(tracer.ended == 1)
    }

    @Test @Loop func `without a collector the client's context goes on, and a request without one has none`() throws {
        let trace = try #require(try handled(["traceparent: \(Self.first)"]) { RequestTrace($0, route: "images", nil) } ?? nil)
        #expect(trace.span == nil && trace.context.parent == Self.first)
        #expect(try #require(try handled([]) { RequestTrace($0, route: "images", nil) }) == nil)
    }

    @Test @Loop func `a trace that is not sent goes on as one that nobody sends`() throws {
        let tracer = CountingTracer(isOn: false)
        let trace = try #require(try handled(["traceparent: \(Self.first)"]) { RequestTrace($0, route: "images", tracer) } ?? nil)
        #expect(trace.span == nil && trace.context.parent == Self.first.dropLast(2) + "00")
        trace.end(status: 200)
        #expect(tracer.ended == 0)
        #expect(try #require(try handled([]) { RequestTrace($0, route: "images", tracer) }) == nil)
    }
}
