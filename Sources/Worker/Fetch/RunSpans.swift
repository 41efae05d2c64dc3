import TintypeCore
import TintypeTransport
import TintypeQueue

/// The spans of one run: the run itself, its download, its pixels and its writes. They go to the tracer when the run has ended. Lives on the loop.
///
/// The run belongs to the trace of the first request that is sent. Those of other requests that share the fetch are linked.
@Loop final class RunSpans {
    private let tracer: any Tracer
    private var run: TraceSpan

    /// - Returns: nil if there is no collector, or the trace of no request is sent.
    init?(_ claimed: ClaimedFetch, queue: String, _ tracer: (any Tracer)?) {
        guard let tracer else { return nil }
        let first = claimed.traces.lazy.filter(\.isSampled).compactMap { tracer.begin("process \(queue)", .consumer, below: $0) }.first
        guard let first else { return nil }
        self.tracer = tracer
        run = first
        run["messaging.system"] = "tintype"
        run["messaging.operation.type"] = "process"
        run["messaging.destination.name"] = .string(queue)
        run["messaging.message.id"] = .string(claimed.lease.fetch)
        run["tintype.attempt"] = JSON(claimed.attempt)
        run["tintype.queued"] = JSON(claimed.queuedSeconds)
        link(claimed.traces)
    }

    var context: TraceContext { run.context }

    /// Links the requests that share the fetch.
    func link(_ traces: [TraceContext]) {
        for trace in traces where trace.isSampled && trace.span != run.parent { run.link(trace) }
    }

    /// Adds the way of the source to the worker.
    /// - Parameters:
    ///   - began: Seconds since 1970.
    ///   - host: The host that was asked.
    func loaded(_ source: LoadedSource, from host: String, began: Double) {
        guard source.origin == .remote else { return add("read source", .client, began, ["tintype.from": .string("\(source.origin)")]) }
        var span = TraceSpan("GET \(host)", .client, below: context, start: began, end: WallClock.now)
        span["http.request.method"] = "GET"
        span["server.address"] = .string(host)
        span["http.response.status_code"] = source.answer.map { JSON($0.status) }
        span["http.response.body.size"] = JSON(source.bytes.count)
        var at = began
        for (name, seconds) in [("dns", source.timings.dns), ("connect", source.timings.connect), ("tls", source.timings.tls)] where seconds > 0 {
            at += seconds
            span.events.append((name, at))
        }
        if source.timings.firstByte > 0 { span.events.append(("first byte", began + source.timings.firstByte)) }
        tracer.take(span)
    }

    /// Adds a download that failed.
    func failed(_ error: TintypeError, from host: String, began: Double) {
        var attributes: JSONObject = ["server.address": .string(host), "error.type": .string(error.name.rawValue)]
        attributes["http.response.status_code"] = error.details["status"]
        add("GET \(host)", .client, began, attributes, failure: error.name.rawValue)
    }

    /// Adds the work of a pixel process, which tells how long each step took.
    /// - Parameter began: Seconds since 1970.
    func drawn(_ result: PixelResult, began: Double) {
        var at = began
        for (name, seconds) in [("decode", result.timings.decode), ("transform", result.timings.transform), ("encode", result.timings.encode)]
        where seconds > 0 {
            tracer.take(TraceSpan(name, .internal, below: context, start: at, end: at + seconds))
            at += seconds
        }
    }

    /// Adds an operation that ends now.
    /// - Parameter began: Seconds since 1970.
    func add(_ name: String, _ kind: TraceSpan.Kind, _ began: Double, _ attributes: JSONObject = [:], failure: String? = nil) {
        var span = TraceSpan(name, kind, below: context, start: began, end: WallClock.now)
        for (key, value) in attributes.members { span[key] = value }
        span.failure = failure
        tracer.take(span)
    }

    /// Notes the error that the run ends with.
    func fail(_ error: TintypeError) { run["error.type"] = .string(error.name.rawValue) }

    /// Ends the run.
    /// - Parameter outcome: As in the metrics.
    func end(_ outcome: String) {
        run["tintype.outcome"] = .string(outcome)
        tracer.end(run, failure: ["failed", "retried", "stale"].contains(outcome) ? run["error.type"]?.string ?? outcome : nil)
    }
}
