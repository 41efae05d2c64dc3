import TintypeCore
import TintypeTransport

/// The place of one call in a trace. A reference, so that a call without a trace costs a look at a nil, wherever the trace would matter.
@Loop
final class CallTrace {
    /// The context for the work of the call.
    let context: TraceContext
    /// The span of the call, if its trace is sent and it has not ended.
    var span: TraceSpan?

    /// - Parameter span: The context is that of the span, if there is one.
    init(_ context: TraceContext, _ span: TraceSpan? = nil) { (self.context, self.span) = (span?.context ?? context, span) }

    /// Returns the span for its end: once.
    func end() -> TraceSpan? {
        defer { span = nil }
        return span
    }
}
