package import TintypeCore

/// Takes the spans of this process. A feature brings it (`TracerMaker`), and a process without one makes no spans. Lives on the loop.
@Loop package protocol Tracer: AnyObject, Sendable {
    /// Returns whether the spans of a trace are sent.
    /// - Parameter parent: The context of the caller; nil: the trace begins here.
    func samples(_ trace: TraceID, parent: TraceContext?) -> Bool

    /// Takes a span that has ended.
    func take(_ span: TraceSpan)

    /// Sends the waiting spans, but for at most `limit`. Spans that are left are dropped.
    func close(within limit: Duration) async
}

extension Tracer {
    /// Begins a span, if its trace is sent.
    /// - Parameter parent: The context of the caller; nil: a new trace begins.
    package func begin(_ name: String, _ kind: TraceSpan.Kind, below parent: TraceContext?) -> TraceSpan? {
        let trace = parent?.trace ?? .random()
        guard samples(trace, parent: parent) else { return nil }
        let context = TraceContext(trace: trace, span: .random(), isSampled: true, state: parent?.state)
        return TraceSpan(name, kind, context, parent: parent?.span, start: WallClock.now)
    }

    /// Begins a span of work for a request. The beginning of the request has decided whether its trace is sent.
    /// - Parameter request: The place of the request in its trace; nil: it has none.
    package func begin(_ name: String, _ kind: TraceSpan.Kind, for request: TraceContext?) -> TraceSpan? {
        guard let request, request.isSampled else { return nil }
        return TraceSpan(name, kind, below: request, start: WallClock.now)
    }

    /// Takes a span that ends now.
    /// - Parameter failure: The reason for which the operation failed; nil: it has not.
    package func end(_ span: TraceSpan, failure: String? = nil) {
        var span = span
        span.end = WallClock.now
        if let failure { span.failure = failure }
        take(span)
    }
}

/// The doorway of a feature that takes spans, for both servers. Makes the tracer of a process before the parts that begin spans; nil: there is none.
/// The texts are the names of the service and of the process.
package typealias TracerMaker = @Loop (_ service: String, _ instance: String, Metrics, Logger) -> (any Tracer)?
