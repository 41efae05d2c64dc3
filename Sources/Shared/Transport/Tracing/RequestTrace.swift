package import TintypeCore

/// The place of one request in a trace, and its span if that is sent. A reference, so that a request without a trace costs one test wherever the trace
/// would matter. Lives on the loop.
@Loop package final class RequestTrace {
    /// The context for the work of the request.
    package let context: TraceContext
    /// The span of the request, if its trace is sent and it has not ended.
    package var span: TraceSpan?
    private let tracer: (any Tracer)?

    /// - Parameter span: The context is that of the span, if there is one.
    package init(_ context: TraceContext, _ span: TraceSpan? = nil, _ tracer: (any Tracer)? = nil) {
        (self.context, self.span, self.tracer) = (span?.context ?? context, span, tracer)
    }

    /// Begins the span of a request.
    /// - Parameters:
    ///   - parent: The context of the client.
    ///   - tracer: nil: no spans are sent. The context of the client counts all the same.
    /// - Returns: nil if the client has named no trace, and none begins here.
    package convenience init?(_ name: String, below parent: TraceContext?, _ tracer: (any Tracer)?) {
        let span = tracer?.begin(name, .server, below: parent)
        // A trace that this process does not send goes on as one that is not sent.
        guard let context = span?.context ?? (tracer == nil ? parent : parent?.unsampled) else { return nil }
        self.init(context, span, tracer)
    }

    /// Begins the span of a request over HTTP.
    /// - Parameter route: The name of the route, which stands for its paths: paths may hold secrets.
    package convenience init?(_ exchange: HTTPExchange, route: String, _ tracer: (any Tracer)?) {
        let parent = exchange.trace
        guard parent != nil || tracer != nil else { return nil }
        self.init("\(exchange.method) \(route)", below: parent, tracer)
        span?["http.request.method"] = .string(exchange.method)
        span?["http.route"] = .string(route)
    }

    /// Ends the span. Only the first call counts.
    package func end(failure: String?) {
        guard let span else { return }
        self.span = nil
        tracer?.end(span, failure: failure)
    }

    /// Ends the span of a request over HTTP.
    /// - Parameter status: The status of the answer; nil: the client has gone before.
    package func end(status: Int?) {
        span?["http.response.status_code"] = status.map { JSON($0) }
        let failure: String? = if let status { status >= 500 ? "status \(status)" : nil } else { "the client has gone" }
        end(failure: failure)
    }
}

extension HTTPExchange {
    /// The place of the request in the trace of its client (W3C Trace Context). It is nil without a valid `traceparent`, and with several,
    /// since any of them could be the right one.
    package var trace: TraceContext? { list("traceparent").flatMap { TraceContext(parent: $0, state: list("tracestate")) } }
}
