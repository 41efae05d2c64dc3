import TintypeCore
import Testing

@testable import TintypeTop

/// The lines above the rows: rates, caches, phases and tabs.
@Suite struct TopHeadTests {
    private func lines(_ model: TopModel, _ columns: Int = 110) -> [String] { TopExample.lines(model, columns) }

    @Test func `the head shows rates, their last minutes and the phases`() throws {
        let shown = lines(try TopExample.model())
        #expect(shown[0].contains("tintype 127.0.0.1:7411") && shown[0].contains("1 coordinator · 2 workers, 1 running · up 2 h · 0.9.0"), "\(shown[0])")
        #expect(shown[0].hasSuffix("22:13:20 UTC "), "\(shown[0])")
        // The averages of two seconds.
        #expect(shown[1].contains("requests      10/s") && shown[1].contains("▃█"), "\(shown[1])")
        #expect(shown[2].contains("pictures    0.50/s") && shown[3].contains("made        2.00/s"), "\(shown[2]) \(shown[3])")
        // The download begins with the first byte, which begins with the name: none is counted twice.
        #expect(shown[2].contains("download") && shown[2].contains("47 %"), "\(shown[2])")
        #expect(shown[3].contains("queue") && shown[3].contains("24 %"), "\(shown[3])")
        // Buckets tell quantiles: half of four times is in the middle of the second bucket.
        #expect(shown[1].hasSuffix("share     p50     p95     p99") && shown[2].hasSuffix("350 ms  480 ms  496 ms"), "\(shown[1])\n\(shown[2])")
        // Times that are in no bucket are above the last bound.
        #expect(shown[3].hasSuffix("1.0 s   1.0 s   1.0 s"), "\(shown[3])")
        #expect(shown[6].contains("caches   memory 60 % · results 50 % · sources 0 %"), "\(shown[6])")
        #expect(shown[7].contains("a minute 2 failed · 0 expired · 1 refused"), "\(shown[7])")
        #expect(try TopExample.model().snapshot.hits == 0.8)
        #expect(shown[8].contains("1 queues 2") && shown[8].contains("5 dead 2"), "\(shown[8])")
    }

    @Test func `the head fits 80 columns`() throws {
        let shown = lines(try TopExample.model(), 80)
        #expect(shown[2].contains("download") && shown[2].hasSuffix("350 ms  480 ms  496 ms") && !shown[2].contains("47 %"), "\(shown[2])")
        #expect(shown[6].hasPrefix(" memory 60 % results 50 % sources 0 %"), "\(shown[6])")
        #expect(shown[7].hasPrefix(" a minute 2 failed 0 expired 1 refused"), "\(shown[7])")
    }

    @Test(arguments: [(110, " 1 queues 2   2 running 32 "), (90, "1 queues 2 2 running 32 3 hosts"), (70, "1 queues 2 running 3 hosts")])
    func `tabs need less room on a narrow screen`(columns: Int, text: String) throws {
        let shown = lines(try TopExample.model(), columns)
        #expect(shown.contains { $0.contains(text) }, "\(shown)")
    }

    @Test func `points are kept once, and five minutes of them`() {
        var snapshot = TopSnapshot()
        snapshot.add(points: (0..<400).map { ["time": JSON($0), "seconds": 1] })
        snapshot.add(points: [["time": 399, "seconds": 1], ["time": 400, "seconds": 1]])
        #expect(snapshot.points.count == 300 && snapshot.lastPoint == 400 && snapshot.points.first?["time"]?.int == 101)
        // The clock went back.
        snapshot.add(points: [["time": 7, "seconds": 1]], isWhole: true)
        #expect(snapshot.points.count == 1 && snapshot.lastPoint == 7)
    }

    @Test(arguments: [
        (0.25, 0.15), (0.5, 0.2), (0.625, 0.6), (0.75, 1.0), (0.99, 1.0),
    ])
    func `histograms of several points add up`(part: Double, seconds: Double) throws {
        var times = PhaseHistogram()
        // One time above the last bound is in no bucket.
        for phase in [#"{"count":2,"sum":0.3,"buckets":[1,2]}"#, #"{"count":1,"sum":0.6,"buckets":[2,1]}"#, #"{"count":1,"sum":9,"buckets":[]}"#] {
            times.add(try TopExample.json(phase))
        }
        #expect(times.count == 4 && times.sum == 9.9)
        let quantile = try #require(times.quantile(part, [0.1, 0.2, 1.0]))
        #expect(abs(quantile - seconds) < 1e-9, "\(quantile)")
        #expect(times.quantile(part, []) == nil && PhaseHistogram().quantile(part, [0.1]) == nil)
    }

    @Test(arguments: [
        #"{"count":1,"buckets":[-1,1]}"#, #"{"count":1,"buckets":[9e15,1]}"#, #"{"count":1,"buckets":["a"]}"#, #"{"count":1,"buckets":[99999,1]}"#,
    ])
    func `buckets that cannot be are left out`(phase: String) throws {
        var times = PhaseHistogram()
        times.add(try TopExample.json(phase))
        #expect(times.quantile(0.5, [0.1, 0.2]) == 0.2)
    }
}
