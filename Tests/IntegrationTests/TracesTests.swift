import Foundation
import TestSupport
import TintypeCore
import Testing

/// Traces from a client's context to the callback, over real processes and a collector that reads OTLP by its published messages.
@Suite(.timeLimit(.minutes(2)), .scoped) struct TracesTests {
    @Test func `a request is one trace, from its client to its callback`() async throws {
        let collector = try await TraceCollector()
        let deployment = try await Deployment(coordinatorArguments: ["--allow-addresses", "127.0.0.0/8"], environment: collector.environment())
        let (trace, parent) = TraceCollector.context("a")
        let url = deployment.url("/picture.png?size=640x480")
        let loaded = try await deployment.client().call(
            "image.load",
            #"{\#(TraceCollector.meta(parent)),"url":"\#(url)","transform":[{"op":"resize","width":64}],"callback":\#(collector.callback),"cache":{"write":["results"]}}"#
        )
        #expect(loaded.state == "succeeded", "\(loaded)")
        let names: Set = [
            "image.load", "publish default", "process default", "GET 127.0.0.1", "decode", "transform", "encode", "store put", "callback",
        ]
        let spans = try await collector.spans(of: trace, until: names)
        #expect(Set(spans.map(\.name)) == names && Set(spans.map(\.id)).count == spans.count)
        let named = Dictionary(spans.map { ($0.name, $0) }) { first, _ in first }
        let (request, publish, run) = try (#require(named["image.load"]), #require(named["publish default"]), #require(named["process default"]))
        #expect([request.parent, publish.parent, run.parent] == ["00f067aa0ba902b7", request.id, publish.id])
        for name in ["GET 127.0.0.1", "decode", "transform", "encode", "store put"] { #expect(named[name]?.parent == run.id, "\(name)") }
        #expect(named["callback"]?.parent == publish.id && spans.allSatisfy { $0.error == nil })
        // The kinds of OpenTelemetry: internal 1, server 2, client 3, producer 4, consumer 5.
        #expect([request.kind, publish.kind, run.kind, named["GET 127.0.0.1"]?.kind, named["decode"]?.kind, named["callback"]?.kind] == [2, 4, 5, 3, 1, 3])
        #expect(request["rpc.method"] == "image.load" && request["tintype.receipt"]?.string == loaded.receipt && request.json["state"] == "vendor=1")
        #expect(publish["messaging.message.id"]?.string == loaded.receipt && run["tintype.attempt"] == 1 && run["tintype.outcome"] == "succeeded")
        #expect(named["GET 127.0.0.1"]?["http.response.status_code"] == 200 && named["GET 127.0.0.1"]?.events == ["dns", "connect", "first byte"])
        #expect(
            Set(spans.map { $0.json["service"]?.string }) == ["tintype-coordinator", "tintype-worker"] && collector.posts.allSatisfy { $0["key"] == "a key" })
        // The receiver of the callback goes on with the trace.
        let callback = try #require(collector.callbacks.first)
        #expect(
            callback["headers"]?["traceparent"]?.string == "00-\(trace)-\(named["callback"]?.id ?? "")-01" && callback["headers"]?["tracestate"] == "vendor=1")
        #expect(callback["event"]?["traceparent"]?.string == "00-\(trace)-\(publish.id)-01")
        // A bucket of the coordinator leads to the trace.
        let metrics = try await HTTP.get(deployment.coordinators[0].base + "/metrics", ["-H", "Accept: application/openmetrics-text"])
        #expect(String(decoding: metrics.body, as: UTF8.self).contains("# {trace_id=\"\(trace)\"}"))
    }

    @Test func `a context is no part of a request`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let url = deployment.url("/picture.png?size=64x48")
        let first = try await client.call("image.load", #"{\#(TraceCollector.meta(TraceCollector.context("a").parent)),"url":"\#(url)"}"#)
        let again = try await client.call("image.load", #"{\#(TraceCollector.meta(TraceCollector.context("b").parent)),"url":"\#(url)"}"#)
        let plain = try await client.call("image.load", #"{"url":"\#(url)"}"#)
        #expect(first.from == "remote" && [again.from, plain.from] == ["memory", "memory"], "\(first) \(again) \(plain)")
        #expect(Set([first, again, plain].map { $0.renditions.first?["key"]?.string }).count == 1)
        for wrong in ["1", "[]", "null"] {
            let refused = try await client.call("system.ping", #"{"_meta":\#(wrong)}"#)
            #expect(refused.error?.name == "invalidParams" && refused.error?.data["path"] == "_meta", "\(refused)")
        }
        // A context that cannot be read is as none.
        for parent in ["", "00-x", String(repeating: "0", count: 60_000)] {
            #expect(try await client.call("system.ping", #"{"_meta":{"traceparent":"\#(parent)"}}"#).error == nil)
        }
    }

    @Test func `requests that share a fetch have their own traces, and the run links them`() async throws {
        let collector = try await TraceCollector()
        let deployment = try await Deployment(environment: collector.environment())
        let (first, second) = (TraceCollector.context("a"), TraceCollector.context("b"))
        let url = deployment.url("/slow/picture.png?size=64x48&delay=1")
        let clients = try [deployment.client(), deployment.client()]
        async let one = clients[0].call("image.load", #"{\#(TraceCollector.meta(first.parent)),"url":"\#(url)","progress":{}}"#)
        // The second request joins a run that has begun.
        _ = await clients[0].notifications { all in all.contains { $0.type == "started" } }
        let two = try await clients[1].call("image.load", #"{\#(TraceCollector.meta(second.parent)),"url":"\#(url)"}"#)
        #expect(try await one.state == "succeeded" && two.state == "succeeded")
        let spans = try await collector.spans(of: first.trace, until: ["image.load", "publish default", "process default"])
        let others = try await collector.spans(of: second.trace, until: ["image.load", "publish default"])
        #expect(spans.first { $0.name == "process default" }?.links == [second.trace] && !others.contains { $0.name == "process default" })
        #expect(try await deployment.counts()["requests"]?.int ?? 1 <= 1)
    }

    @Test(arguments: [404, 503]) func `a run that fails for good links those that joined it too`(status: Int) async throws {
        let collector = try await TraceCollector()
        let deployment = try await Deployment(environment: collector.environment())
        let (first, second) = (TraceCollector.context("a"), TraceCollector.context("b"))
        // 404 fails as an answer that the request does not accept, and 503 as one that another run might mend.
        let params = #""url":"\#(deployment.url("/status/\(status)?gate=0"))","fetch":{"retry":{"attempts":1}}"#
        let clients = try [deployment.client(), deployment.client()]
        async let one = clients[0].call("image.load", "{\(TraceCollector.meta(first.parent)),\(params),\"progress\":{}}")
        _ = await clients[0].notifications { all in all.contains { $0.type == "started" } }
        async let two = clients[1].call("image.load", "{\(TraceCollector.meta(second.parent)),\(params)}")
        try await Gate.until("the second request has joined") {
            try await deployment.coordinators[0].value(of: #"tintype_submits_total{queue="default",outcome="joined"}"#) == 1
        }
        try await deployment.open(gate: "0")
        let ends = try await [one, two]
        #expect(ends.map { $0.error?.name } == ["httpStatus", "httpStatus"])
        let spans = try await collector.spans(of: first.trace, until: ["image.load", "process default"])
        let run = try #require(spans.first { $0.name == "process default" })
        #expect(run.links == [second.trace] && run.error == "httpStatus")
        #expect(!collector.spans.contains { $0.trace == second.trace && $0.name == "process default" })
    }

    @Test func `an unsampled trace goes on, and none of its spans is sent`() async throws {
        let collector = try await TraceCollector()
        let deployment = try await Deployment(coordinatorArguments: ["--allow-addresses", "127.0.0.0/8"], environment: collector.environment())
        let (trace, parent) = TraceCollector.context("a", sampled: false)
        let client = try deployment.client()
        let failed = try await client.call(
            "image.load", #"{\#(TraceCollector.meta(parent)),"url":"\#(deployment.url("/status/404"))","callback":\#(collector.callback)}"#)
        #expect(failed.error?.name == "httpStatus")
        try await Gate.until("the callback has come") { !collector.callbacks.isEmpty }
        #expect(collector.callbacks.first?["headers"]?["traceparent"]?.string == parent)
        // Log lines have the ids without a collector's help.
        #expect(await deployment.workers[0].process.errorText(containing: "trace_id=\(trace) span_id=00f067aa0ba902b7"))
        // A later trace shows that the earlier one is not on its way.
        let sampled = TraceCollector.context("b")
        _ = try await client.call("system.ping", "{\(TraceCollector.meta(sampled.parent))}")
        _ = try await collector.spans(of: sampled.trace, until: ["system.ping"])
        #expect(!collector.spans.contains { $0.trace == trace })
    }

    @Test func `a trace that the operator does not send is sent in no part`() async throws {
        let collector = try await TraceCollector()
        let deployment = try await Deployment(
            coordinatorArguments: ["--allow-addresses", "127.0.0.0/8"], environment: collector.environment("200", ["OTEL_TRACES_SAMPLER": "always_off"]))
        let (trace, parent) = TraceCollector.context("a")
        let loaded = try await deployment.client().call(
            "image.load", #"{\#(TraceCollector.meta(parent)),"url":"\#(deployment.url("/picture.png"))","callback":\#(collector.callback)}"#)
        #expect(loaded.state == "succeeded", "\(loaded)")
        try await Gate.until("the callback has come") { !collector.callbacks.isEmpty }
        #expect(collector.callbacks.first?["headers"]?["traceparent"]?.string == "00-\(trace)-00f067aa0ba902b7-00" && collector.spans.isEmpty)
    }

    @Test func `a state of a trace is no reference to a step`() async throws {
        let deployment = try await Deployment()
        let meta = #""_meta":{"traceparent":"\#(TraceCollector.context("a").parent)","tracestate":"v=${steps[9].x}"}"#
        let client = try deployment.client()
        let chain = try await client.call("chain.start", #"{\#(meta),"steps":[{"url":"\#(deployment.url("/picture.png"))"}]}"#)
        let group = try #require(chain.group, "\(chain)")
        #expect(try await client.call("group.get", #"{"group":"\#(group)","wait":20}"#).state == "succeeded")
    }

    @Test func `a failure is told in its spans, with each attempt`() async throws {
        let collector = try await TraceCollector()
        let deployment = try await Deployment(environment: collector.environment())
        let (trace, parent) = TraceCollector.context("a")
        let failed = try await deployment.client().call(
            "image.load", #"{\#(TraceCollector.meta(parent)),"url":"\#(deployment.url("/status/503"))","fetch":{"retry":{"attempts":2,"base":0.01}}}"#)
        #expect(failed.error?.name == "httpStatus", "\(failed)")
        let spans = try await collector.spans(of: trace, until: ["image.load"])
        try await Gate.until("both runs are there") { collector.spans.count { $0.trace == trace && $0.name == "process default" } == 2 }
        let runs = collector.spans.filter { $0.trace == trace && $0.name == "process default" }
        #expect(runs.map { $0["tintype.attempt"] } == [1, 2] && runs.map(\.error) == ["httpStatus", "httpStatus"], "\(runs)")
        #expect(spans.first { $0.name == "image.load" }?.error == "httpStatus")
        #expect(collector.spans.filter { $0.name == "GET 127.0.0.1" }.allSatisfy { $0.error == "httpStatus" && $0["http.response.status_code"] == 503 })
    }

    @Test func `HTTP carries the context in its headers, and items of a group are in the trace of their call`() async throws {
        let collector = try await TraceCollector()
        let deployment = try await Deployment(
            coordinatorArguments: ["--images", "127.0.0.1:0", "--images-unsigned"], environment: collector.environment())
        let (coordinator, source) = (deployment.coordinators[0], deployment.url("/picture.png?size=64x48"))
        let (posted, shown, grouped) = (TraceCollector.context("a"), TraceCollector.context("b"), TraceCollector.context("c"))
        let answer = try await HTTP.get(
            coordinator.base + "/rpc",
            [
                "-H", "traceparent: \(posted.parent)", "-H", "Content-Type: application/json", "-d",
                #"{"jsonrpc":"2.0","id":1,"method":"image.load","params":{"url":"\#(source)"}}"#,
            ])
        #expect(answer.status == 200)
        let spans = try await collector.spans(of: posted.trace, until: ["image.load", "process default"])
        #expect(spans.first { $0.name == "image.load" }?.parent == "00f067aa0ba902b7")

        let door = "http://" + (coordinator.ready["images"] ?? "")
        let picture = try await HTTP.get(
            door + "/unsafe/rs:fit:16:16/plain/" + deployment.url("/picture.png"), ["-H", "traceparent: \(shown.parent)"])
        #expect(picture.status == 200)
        let visit = try await collector.spans(of: shown.trace, until: ["GET door", "publish default", "process default"])
        let span = try #require(visit.first { $0.name == "GET door" })
        #expect(span["http.response.status_code"] == 200 && visit.first { $0.name == "publish default" }?.parent == span.id)

        let client = try deployment.client()
        let items = (1...2).map { #"{"url":"\#(deployment.url("/picture.png?size=32x2\($0)"))"}"# }.joined(separator: ",")
        let batch = try await client.call("batch.start", #"{\#(TraceCollector.meta(grouped.parent)),"items":[\#(items)]}"#)
        #expect(batch.group != nil, "\(batch)")
        _ = try await collector.spans(of: grouped.trace, until: ["batch.start", "publish default", "process default"])
        try await Gate.until("both items are there") { collector.spans.count { $0.trace == grouped.trace && $0.name == "process default" } == 2 }
        let start = collector.spans.first { $0.name == "batch.start" }
        #expect(collector.spans.filter { $0.trace == grouped.trace && $0.name == "publish default" }.allSatisfy { $0.parent == start?.id })
    }

    @Test func `a busy collector is asked again, and one that is away costs no picture`() async throws {
        let collector = try await TraceCollector()
        let deployment = try await Deployment(environment: collector.environment("429,200"))
        let (trace, parent) = TraceCollector.context("a")
        let client = try deployment.client()
        _ = try await client.call("system.ping", "{\(TraceCollector.meta(parent))}")
        _ = try await collector.spans(of: trace, until: ["system.ping"])
        #expect(collector.posts.compactMap { $0["status"]?.int } == [429, 200])
        #expect(try await deployment.coordinators[0].value(of: #"tintype_trace_spans_total{outcome="sent"}"#) == 1)
        collector.process.signal(SIGKILL)
        let loaded = try await client.call("image.load", #"{\#(TraceCollector.meta(parent)),"url":"\#(deployment.url("/picture.png"))"}"#)
        #expect(loaded.state == "succeeded")
    }

    @Test func `spans that a collector rejects within a batch are counted and named`() async throws {
        let collector = try await TraceCollector()
        // Each call is a batch of its own. One says nothing, one rejects its span, and one only warns.
        let deployment = try await Deployment(workers: 0, environment: collector.environment("200,200-1,200-0", ["OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "1"]))
        let (client, coordinator) = (try deployment.client(), deployment.coordinators[0])
        for digit in ["a", "b", "c"] as [Character] {
            let context = TraceCollector.context(digit)
            _ = try await client.call("system.ping", "{\(TraceCollector.meta(context.parent))}")
            _ = try await collector.spans(of: context.trace, until: ["system.ping"])
        }
        try await Gate.until("all spans are counted") { try await coordinator.value(of: #"tintype_trace_spans_total{outcome="sent"}"#) == 2 }
        #expect(try await coordinator.value(of: #"tintype_trace_spans_total{outcome="failed"}"#) == 1)
        #expect(await coordinator.process.errorText(containing: "the collector has rejected spans of a batch"))
        #expect(await coordinator.process.errorText(containing: "too many spans today"))
    }

    @Test(arguments: ["400", "404"]) func `spans that a collector refuses are dropped and counted`(status: String) async throws {
        let collector = try await TraceCollector()
        let deployment = try await Deployment(workers: 0, environment: collector.environment(status))
        _ = try await deployment.client().call("system.ping")
        try await Gate.until("the span is counted") {
            try await deployment.coordinators[0].value(of: #"tintype_trace_spans_total{outcome="failed"}"#) == 1
        }
        #expect(await deployment.coordinators[0].process.errorText(containing: "the collector has not taken spans"))
    }

    @Test func `a variable that cannot be followed is named, and the program starts`() async throws {
        let deployment = try await Deployment(
            workers: 0, environment: ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"])
        #expect(await deployment.coordinators[0].process.errorText(containing: "OTEL_EXPORTER_OTLP_PROTOCOL: grpc is not spoken"))
        #expect(try await deployment.client().call("system.ping").error == nil)
    }
}
