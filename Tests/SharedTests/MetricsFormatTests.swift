import TintypeCore
import Testing

@Suite struct MetricsFormatTests {
    static let headers: [(String?, MetricsFormat)] = [
        (nil, .prometheus), ("", .prometheus), ("*/*", .prometheus), ("text/plain", .prometheus),
        ("application/openmetrics-text", .openMetrics), ("application/openmetrics-text; version=1.0.0", .openMetrics),
        ("Application/OpenMetrics-Text ; Version=1.0.0 ; charset=utf-8", .openMetrics),
        // As Prometheus 2 and 3 ask.
        (
            "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
            .openMetrics
        ),
        ("application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.7,text/plain;version=0.0.4;q=0.6", .prometheus),
        ("application/openmetrics-text;version=0.0.1", .prometheus), ("application/openmetrics-text;version=2.0.0", .prometheus),
        ("application/openmetrics-text;q=0", .prometheus), ("application/openmetrics-text;q=x", .prometheus),
        ("application/openmetrics-text;q=0.4,text/plain;q=0.5", .prometheus), ("text/plain,application/openmetrics-text", .openMetrics),
        ("application/openmetrics-text-more", .prometheus), (";;;,,q=1", .prometheus),
    ]

    @Test(arguments: headers)
    func `OpenMetrics is for clients that want it no less than plain text`(header: String?, format: MetricsFormat) {
        #expect(MetricsFormat(accept: header) == format)
    }

    @Test func `OpenMetrics names the family of a counter without _total, writes bounds as fractions, and ends`() {
        let metrics = Metrics()
        metrics.add(.downloads, 2, labels: "failed")
        metrics.observe(.downloadSeconds, 0.7)
        metrics.set(.fetchesRunning, 3)
        let text = metrics.text(.openMetrics)
        #expect(text.contains("# TYPE tintype_downloads counter\ntintype_downloads_total{outcome=\"failed\"} 2\n"))
        #expect(text.contains("# TYPE tintype_fetches_running gauge\ntintype_fetches_running 3\n"))
        #expect(text.contains("tintype_download_seconds_bucket{le=\"1.0\"} 1\n") && text.contains("_bucket{le=\"+Inf\"} 1\n"))
        #expect(text.contains("# TYPE process_cpu_seconds counter\nprocess_cpu_seconds_total 0\n"))
        #expect(text.hasSuffix("\n# EOF\n") && text.firstRange(of: "# EOF") == text.ranges(of: "# EOF").last)
        #expect(!metrics.text().contains("# EOF"))
    }

    @Test func `a bucket of OpenMetrics leads to the trace of its latest observation`() throws {
        let metrics = Metrics()
        let sent = try #require(TraceContext(parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
        let unsent = TraceContext(trace: .random(), span: .random(), isSampled: false)
        metrics.observe(.fetchSeconds, 0.3, labels: "succeeded", trace: sent)
        metrics.observe(.fetchSeconds, 0.4, labels: "succeeded", trace: unsent)
        metrics.observe(.fetchSeconds, 100, labels: "succeeded", trace: sent)
        let lines = metrics.text(.openMetrics).split(separator: "\n").filter { $0.contains("fetch_seconds_bucket") && $0.contains(" # ") }
        let exemplar = "# {trace_id=\"4bf92f3577b34da6a3ce929d0e0e4736\"}"
        #expect(lines.count == 2 && lines[0].contains("le=\"0.5\"} 2 \(exemplar) 0.3 ") && lines[1].contains("le=\"+Inf\"} 3 \(exemplar) 100 "), "\(lines)")
        #expect(!metrics.text().contains("trace_id"))
    }

    @Test func `no label ends its quotation marks`() {
        let metrics = Metrics()
        metrics.add(.downloads, labels: "a\"\u{301}b\\\r\nc")
        #expect(metrics.text().contains("{outcome=\"a\\\"\u{301}b\\\\\\n\\nc\"} 1\n"), "\(metrics.text())")
    }

    @Test func `no two metrics are one family of OpenMetrics`() {
        let metrics = Metrics()
        for metric in Metric.allCases where metric.description.kind == .counter && metric.description.labels.isEmpty { metrics.add(metric) }
        metrics.set(.rpcConnections, 1)
        let text = metrics.text(.openMetrics)
        let families = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] }
        #expect(Set(families).count == families.count)
        #expect(text.contains("# TYPE tintype_rpc_connections gauge\n") && text.contains("# TYPE tintype_rpc_connections_total unknown\n"))
    }

    @Test func `both formats have the same series`() {
        let metrics = Metrics()
        metrics.observe(.rpcSeconds, 0.1, labels: "image.load")
        metrics.add(.errors, labels: "dns", "download")
        func names(_ format: MetricsFormat) -> [Substring] {
            metrics.text(format).split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.prefix { $0 != " " && $0 != "{" } }
        }
        #expect(names(.prometheus) == names(.openMetrics))
    }

    @Test func `an observation by its handle leads to its trace, if that is sampled`() {
        let metrics = Metrics()
        let handle = metrics.handle(.httpSeconds, labels: "door")
        metrics.observe(handle, 0.1, trace: TraceContext(trace: .random(), span: .random(), isSampled: false))
        #expect(!metrics.text(.openMetrics).contains("trace_id"))
        let trace = TraceContext(trace: .random(), span: .random(), isSampled: true)
        metrics.observe(handle, 0.1, trace: trace)
        #expect(metrics.text(.openMetrics).contains("trace_id=\"\(trace.trace)\"") && !metrics.text(.prometheus).contains("trace_id"))
    }

    @Test func `answers to clients have a bucket that ends at the objective of two seconds`() {
        #expect(Metric.rpcSeconds.description.buckets.contains(2) && Metric.storeSeconds.description.buckets.first == 0.0005)
    }
}
