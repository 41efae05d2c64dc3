package import TintypeCore

/// The place of one HTTP request in a trace, and its span if that is sent. Lives on the loop.
@Loop package final class HTTPTrace {
    /// The context for the work of the request.
    package let context: TraceContext
    private let tracer: Tracer?
    private var span: TraceSpan?

    /// Begins the span of a request.
    /// - Parameters:
    ///   - route: The name of the route, which stands for its paths: paths may hold secrets.
    ///   - tracer: nil: no spans are sent. The context of the client counts all the same.
    /// - Returns: nil if the client has named no trace, and none begins here.
    package init?(_ exchange: HTTPExchange, route: String, _ tracer: Tracer?) {
        let parent = exchange.trace
        guard parent != nil || tracer != nil else { return nil }
        var span = tracer?.begin("\(exchange.method) \(route)", .server, below: parent)
        span?["http.request.method"] = .string(exchange.method)
        span?["http.route"] = .string(route)
        // A trace that this process does not send goes on as one that is not sent.
        guard let context = span?.context ?? (tracer == nil ? parent : parent?.unsampled) else { return nil }
        (self.context, self.tracer, self.span) = (context, tracer, span)
    }

    /// Whether the span is sent, and has not ended.
    package var isOpen: Bool { span != nil }

    /// Sets an attribute of the span.
    package func note(_ key: String, _ value: JSON) { span?[key] = value }

    /// Ends the span. Only the first call counts.
    /// - Parameter status: The status of the answer; nil: the client has gone before.
    package func end(status: Int?) {
        guard var span else { return }
        self.span = nil
        span["http.response.status_code"] = status.map { JSON($0) }
        let failure: String? = if let status { status >= 500 ? "status \(status)" : nil } else { "the client has gone" }
        tracer?.end(span, failure: failure)
    }
}

extension HTTPExchange {
    /// The place of the request in the trace of its client (W3C Trace Context). It is nil without a valid `traceparent`, and with several,
    /// since any of them could be the right one.
    package var trace: TraceContext? { list("traceparent").flatMap { TraceContext(parent: $0, state: list("tracestate")) } }
}
