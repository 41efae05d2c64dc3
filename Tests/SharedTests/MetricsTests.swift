import Glibc
@testable import TintypeCore
import Testing

@Suite(.timeLimit(.minutes(1))) struct MetricsTests {
    @Test func `every metric has its own name, in Prometheus' alphabet, and a sentence`() {
        let all = Metric.allCases.map(\.description)
        #expect(Set(all.map(\.name)).count == all.count)
        for one in all {
            #expect(one.name.wholeMatch(of: /(tintype|process)_[a-z][a-z_]*[a-z]/) != nil, "\(one.name)")
            #expect(one.help.hasSuffix(".") && !one.help.contains { "\"\\\n".contains($0) }, "\(one.name)")
            #expect((one.kind == .counter) == one.name.hasSuffix("_total"), "\(one.name)")
            #expect((one.kind == .histogram) == !one.buckets.isEmpty, "\(one.name)")
            #expect(one.buckets == one.buckets.sorted() && Set(one.buckets).count == one.buckets.count, "\(one.name)")
            for label in one.labels { #expect(label.wholeMatch(of: /[a-z]+/) != nil) }
        }
    }

    @Test func `counters add up by labels and gauges are set`() {
        let metrics = Metrics()
        metrics.add(.downloads, labels: "failed")
        metrics.add(.downloads, 2, labels: "succeeded")
        metrics.set(.fetchesRunning, 3)
        metrics.add(.fetchesRunning, -1)
        let text = metrics.text()
        #expect(text.contains("# TYPE tintype_downloads_total counter\n"))
        #expect(text.contains("tintype_downloads_total{outcome=\"failed\"} 1\ntintype_downloads_total{outcome=\"succeeded\"} 2\n"))
        #expect(text.contains("\ntintype_fetches_running 2\n"))
        #expect(metrics.value(.downloads, labels: "succeeded") == 2)
    }

    @Test func `a histogram counts upwards and ends in +Inf, sum and count`() {
        let metrics = Metrics()
        for seconds in [0.0009, 0.003, 0.003, 100] { metrics.observe(.downloadSeconds, seconds) }
        metrics.observe(.downloadSeconds, .milliseconds(3))
        let text = metrics.text()
        #expect(text.contains("tintype_download_seconds_bucket{le=\"0.001\"} 1\n"))
        #expect(text.contains("tintype_download_seconds_bucket{le=\"0.005\"} 4\n"))
        #expect(text.contains("tintype_download_seconds_bucket{le=\"60\"} 4\n"))
        #expect(text.contains("tintype_download_seconds_bucket{le=\"+Inf\"} 5\n"))
        #expect(text.contains("tintype_download_seconds_count 5\n"))
    }

    @Test func `counters without labels exist from the start, gauges from their first value, and label values are escaped`() {
        let metrics = Metrics()
        #expect(!metrics.text().contains("tintype_redis_sentinels") && !metrics.text().contains(" gauge\n"))
        metrics.set(.redisSentinels, 0)
        #expect(metrics.text().contains("\ntintype_redis_sentinels 0\n"))
        metrics.add(.claims, labels: "a\"b\\c\nd")
        let text = metrics.text()
        #expect(text.contains("tintype_leases_lost_total 0\n"))
        #expect(text.contains(#"tintype_claims_total{queue="a\"b\\c\nd"} 1"#))
        #expect(!text.contains("tintype_rpc_seconds"))
    }

    @Test func `a client cannot make more than a thousand series`() {
        let metrics = Metrics()
        for number in 0..<3000 { metrics.add(.claims, labels: "q\(number)") }
        #expect(metrics.value(.claims, labels: "other") == 2000)
        #expect(metrics.text().split(separator: "\n").filter { $0.hasPrefix("tintype_claims_total{") }.count == 1001)
    }

    @Test func `the process knows its own size`() {
        let metrics = Metrics()
        metrics.sampleProcess(role: "test", start: 1, descriptors: 100)
        #expect(metrics.value(.processResidentBytes, labels: "parent") > 1_000_000)
        #expect(metrics.value(.processOpenFiles) > 2)
        #expect(metrics.value(.processCPUSeconds) > 0)
        // All programs share these names.
        #expect(metrics.value(.standardResidentBytes) == metrics.value(.processResidentBytes, labels: "parent"))
        #expect(metrics.value(.standardCPUSeconds) == metrics.value(.processCPUSeconds) && metrics.value(.standardStartSeconds) == 1)
        #expect(metrics.value(.standardOpenFiles) == metrics.value(.processOpenFiles) && metrics.value(.standardMaxOpenFiles) == 100)
    }

    @Test(arguments: [
        // The name of a program may look like the end of itself.
        ("7 (pixels) S 1 7 7 0 -1 4194560 100 0 0 0 150 50 9 9 20 0 3 0 100 1 1", 200.0), ("7 (a) b) R 1 7 7 0 -1 4194560 100 0 0 0 0 1 0 0", 1),
        ("7 (pixels) Z 1 7", 0), ("", 0),
    ]) func `the processor time of a process is read from the line of the kernel`(line: String, ticks: Double) {
        #expect(ProcessStatistics.cpuSeconds(ofStatus: line) == ticks / Double(sysconf(Int32(_SC_CLK_TCK))))
    }
}
