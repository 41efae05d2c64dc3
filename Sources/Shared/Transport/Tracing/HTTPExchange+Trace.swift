package import TintypeCore

extension HTTPExchange {
    /// The place of the request in the trace of its client (W3C Trace Context); nil without a valid `traceparent`.
    package var trace: TraceContext? { header("traceparent").flatMap { TraceContext(parent: $0, state: list("tracestate")) } }
}

extension Tracer {
    /// Begins the span of an HTTP request, if its trace is sent.
    /// - Parameter route: The name of the route, which stands for its paths: paths may hold secrets.
    package func begin(_ exchange: HTTPExchange, route: String) -> TraceSpan? {
        guard var span = begin("\(exchange.method) \(route)", .server, below: exchange.trace) else { return nil }
        span["http.request.method"] = .string(exchange.method)
        span["http.route"] = .string(route)
        return span
    }

    /// Ends the span of an HTTP request.
    /// - Parameter status: The status of the answer; nil: the client has gone before.
    package func end(_ span: TraceSpan, status: Int?) {
        var span = span
        span["http.response.status_code"] = status.map { JSON($0) }
        guard let status else { return end(span, failure: "the client has gone") }
        end(span, failure: status >= 500 ? "status \(status)" : nil)
    }
}
