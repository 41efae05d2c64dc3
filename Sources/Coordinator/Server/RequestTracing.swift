import TintypeCore
import TintypeTransport
import TintypeImages

/// Places JSON-RPC requests in traces: reads the context that a client sends, and makes the span of a request.
///
/// The context is the member `_meta` of the parameters, as Model Context Protocol (SEP-414) names its members: `traceparent` and `tracestate`. It is no
/// part of the request: it enters no key, no fingerprint and no plan. Over HTTP, the headers count for requests without it.
@Loop
struct RequestTracing {
    /// The member of the parameters that is not part of the request.
    nonisolated static let member = "_meta"

    let tracer: (any Tracer)?

    /// Takes the context out of the parameters, and begins the span of the call.
    /// - Throws: `invalidParams` if `_meta` is no object.
    func begin(_ call: Call, _ params: inout JSONObject) throws(TintypeError) {
        let meta = params[Self.member]
        // Most calls end here: nobody has named a trace, and nobody takes spans.
        guard meta != nil || tracer != nil || call.session.trace != nil else { return }
        var parent = call.session.trace
        if let meta {
            guard let members = meta.object else { throw .invalidParams(path: Self.member, value: meta, expected: "an object") }
            params[Self.member] = nil
            parent = TraceContext(members: members) ?? parent
        }
        call.trace = RequestTrace(call.method, below: parent, tracer)
    }

    /// Ends the span of a call.
    func end(_ call: Call, _ trace: RequestTrace, _ error: ErrorName?) {
        guard var span = trace.span else { return }
        span["rpc.system"] = "jsonrpc"
        span["rpc.jsonrpc.version"] = "2.0"
        span["rpc.method"] = .string(call.method)
        if let client = call.session.grant?.client, client != .anyone { span["tintype.client"] = .string(client.shown) }
        if let error {
            span["error.type"] = .string(error.rawValue)
            span["rpc.jsonrpc.error_code"] = JSON(error.code)
        }
        trace.span = span
        trace.end(failure: error?.rawValue)
    }
}
