import TestSupport
import Testing
import TintypeCore

@testable import TintypeTracing

@Suite(.scoped) struct TraceSettingsTests {
    private func read(_ environment: [String: String]) -> (settings: TraceSettings?, complaints: [String]) {
        var complaints: [String] = []
        let settings = TraceSettings(environment, service: "tintype-worker", instance: "w1") { complaints.append($0) }
        return (settings, complaints)
    }

    @Test(arguments: [
        [:], ["OTEL_EXPORTER_OTLP_ENDPOINT": ""], ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_SDK_DISABLED": "true"],
        ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_TRACES_EXPORTER": "none"],
    ]) func `without a collector there are no spans, and no complaint`(environment: [String: String]) {
        let (settings, complaints) = read(environment)
        #expect(settings == nil && complaints.isEmpty)
    }

    static let wrong: [([String: String], String)] = [
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4317"], "expected a URL of http or https"),
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"], "grpc is not spoken"),
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_TRACES_EXPORTER": "zipkin"], "only otlp and none are known, not zipkin"),
    ]

    @Test(arguments: wrong) func `a collector that cannot be used is named, and the program goes on`(environment: [String: String], complaint: String) {
        let (settings, complaints) = read(environment)
        #expect(settings == nil && complaints.count == 1 && complaints[0].contains(complaint), "\(complaints)")
    }

    static let endpoints = [
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"], "http://c:4318/v1/traces"),
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "https://c/otlp/"], "https://c/otlp/v1/traces"),
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://t/spans"], "http://t/spans"),
    ]

    @Test(arguments: endpoints) func `the path is added to the common endpoint alone`(environment: [String: String], url: String) throws {
        #expect(try #require(read(environment).settings).endpoint == url)
    }

    @Test func `the variables of traces go before the common ones, and wrong numbers leave the default`() throws {
        let (settings, complaints) = read([
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_EXPORTER_OTLP_HEADERS": "a=b",
            "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "api-key=k%20ey, x = y,=z,bad",
            "OTEL_EXPORTER_OTLP_TIMEOUT": "2000", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": "soon", "OTEL_BSP_MAX_QUEUE_SIZE": "100",
            "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "500", "OTEL_BSP_SCHEDULE_DELAY": "0", "OTEL_TRACES_SAMPLER": "sometimes",
            "OTEL_EXPORTER_OTLP_CERTIFICATE": "/ca",
            "OTEL_SERVICE_NAME": "pictures", "OTEL_RESOURCE_ATTRIBUTES": "service.name=other,deployment.environment=night%2Cshift",
        ])
        let read = try #require(settings)
        #expect(read.headers.map { "\($0.name):\($0.value)" } == ["api-key:k ey", "x:y"])
        #expect(read.timeout == .seconds(10) && read.delay == .seconds(5) && read.most == 100 && read.batch == 100 && read.authorities == "/ca")
        #expect(read.sampler == .standard && complaints.count == 3, "\(complaints)")
        let resource = Dictionary(uniqueKeysWithValues: read.resource.map { ($0.key, $0.value) })
        #expect(resource["service.name"] == "pictures" && resource["deployment.environment"] == "night,shift" && resource["service.instance.id"] == "w1")
    }

    @Test func `a span is written as OTLP writes JSON`() throws {
        let parent = try #require(TraceContext(parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", state: "a=b"))
        var span = TraceSpan("GET host", .client, below: parent, start: 1_700_000_000.25, end: 1_700_000_000.5)
        span["n"] = 7
        span["n"] = 8
        span["ok"] = true
        span["ratio"] = 0.5
        span["none"] = nil
        span["long"] = .string(String(repeating: "é", count: 2000))
        span.events = [("dns", 1_700_000_000.3)]
        span.link(parent)
        span.link(parent)
        span.failure = "timeout"
        let json = try JSON(parsing: SpanDocument.text([span], resource: [("service.name", "x")]))
        let written = try #require(json["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"]?[0])
        #expect(written["traceId"] == "4bf92f3577b34da6a3ce929d0e0e4736" && written["parentSpanId"] == "00f067aa0ba902b7" && written["traceState"] == "a=b")
        #expect(written["kind"] == 3 && written["startTimeUnixNano"] == "1700000000250000000" && written["endTimeUnixNano"] == "1700000000500000000")
        #expect(written["status"] == ["code": 2, "message": "timeout"] && written["links"]?.array?.count == 1)
        #expect(written["events"] == [["timeUnixNano": "1700000000300000000", "name": "dns"]])
        let attributes = try #require(written["attributes"]?.array)
        #expect(
            attributes.count == 4 && attributes.contains(["key": "n", "value": ["intValue": "8"]])
                && attributes.contains(["key": "ok", "value": ["boolValue": true]]))
        #expect((attributes.first { $0["key"] == "long" }?["value"]?["stringValue"]?.string?.utf8.count ?? .max) <= TraceSpan.longestText + 3)
    }

    @Test func `a span has no more links than it may have`() {
        let trace = TraceID.random()
        var span = TraceSpan("x", .consumer, below: TraceContext(trace: trace, span: .random(), isSampled: true), start: 0)
        for _ in 0..<100 { span.link(TraceContext(trace: .random(), span: .random(), isSampled: true)) }
        #expect(span.links.count == TraceSpan.mostLinks && span.droppedLinks > 0)
        #expect(SpanDocument.text([span], resource: []).contains("\"droppedLinksCount\":\(span.droppedLinks)"))
    }
}
