import Foundation
import TintypeCore
import TintypeQueue
import TintypeTransport
import TestSupport
import Testing

@testable import Coordinator
@testable import TintypeHistory

/// The statistics of the fleet: values, and whole coordinators.
@Suite(.timeLimit(.minutes(1)), .scoped) struct StatisticsTests {
    private func totals(_ text: String) throws -> MetricTotals { try #require(MetricTotals(try JSON(parsing: text))) }

    @Test func `additions of totals are spread over the seconds until the next ones`() throws {
        var fleet = FleetTotals()
        let name = "tintype_rpc_requests_total"
        // A process that is heard first may have counted for days.
        fleet.take(try totals(#"{"\#(name) a ok":100}"#), of: "c1")
        #expect(fleet.second().isEmpty)
        fleet.take(try totals(#"{"\#(name) a ok":106,"\#(name) b ok":3}"#), of: "c1")
        fleet.take(try totals(#"{"\#(name) a ok":1}"#), of: "c2", isSpread: false)
        fleet.take(try totals(#"{"\#(name) a ok":11}"#), of: "c2", isSpread: false)
        #expect((0..<4).map { _ in fleet.second().sum(of: .rpcRequests) } == [13, 3, 3, 0])
        // One that is forgotten and comes back counts anew.
        fleet.keep { $0 == "c1" }
        fleet.take(try totals(#"{"\#(name) a ok":50}"#), of: "c2")
        #expect(fleet.second().isEmpty)
    }

    @Test func `a point of several seconds has the shares of all of them`() throws {
        var fleet = FleetTotals()
        let name = "tintype_rpc_requests_total"
        fleet.take(try totals(#"{"\#(name) a ok":100}"#), of: "c1")
        fleet.take(try totals(#"{"\#(name) a ok":109}"#), of: "c1")
        #expect(fleet.added(in: 2).sum(of: .rpcRequests) == 6)
        #expect(fleet.added(in: 1_000_000).sum(of: .rpcRequests) == 3 && fleet.added(in: 1).isEmpty)
    }

    /// Ticks as the time that the wall clock shows, the time that has passed, and what becomes of them.
    static let ticks: [[(wall: Int, now: Double, tick: PointTimes.Tick)]] = [
        [(100, 1, .point(seconds: 1, isFirst: false)), (101, 2.01, .point(seconds: 1, isFirst: false))],
        // Two ticks fall into one second.
        [(100, 1.2, .point(seconds: 1, isFirst: false)), (100, 2.1, .none), (102, 3.2, .point(seconds: 2, isFirst: false))],
        // The process stood still.
        [(100, 1, .point(seconds: 1, isFirst: false)), (107, 8.1, .point(seconds: 7, isFirst: false)), (108, 8.3, .point(seconds: 1, isFirst: false))],
        // The clock was put forward by an hour, back by two seconds, and back by an hour.
        [(100, 1, .point(seconds: 1, isFirst: false)), (3701, 2, .point(seconds: 1, isFirst: false))],
        [
            (100, 1, .point(seconds: 1, isFirst: false)), (99, 2, .none), (100, 3, .none), (101, 4, .point(seconds: 3, isFirst: false)),
        ],
        [(3700, 1, .point(seconds: 1, isFirst: false)), (101, 2, .point(seconds: 1, isFirst: true)), (102, 3, .point(seconds: 1, isFirst: false))],
    ]

    @Test(arguments: ticks.indices) func `a point says how many seconds it holds, whatever the clock does`(index: Int) {
        var times = PointTimes(now: 0)
        for (wall, now, tick) in Self.ticks[index] { #expect(times.tick(at: wall, now: now) == tick, "\(wall)") }
    }

    @Test func `totals come back from JSON, and differences are what happened`() throws {
        let metrics = Metrics()
        metrics.add(.errors, 2, labels: "httpStatus", "download")
        for seconds in [0.003, 0.02, 100] { metrics.observe(.fetchPhaseSeconds, seconds, labels: "decode") }
        let first = metrics.totals(of: FleetMetrics.ofWorkers)
        #expect(MetricTotals(first.json)?.json == first.json && !first.isEmpty)
        metrics.add(.errors, labels: "timeout", "download")
        metrics.observe(.fetchPhaseSeconds, 0.004, labels: "decode")
        let added = metrics.totals(of: FleetMetrics.ofWorkers).since(first)
        #expect(added.sum(of: .errors) == 1 && added.all(of: .errors).map(\.labels) == [["timeout", "download"]])
        let decode = try #require(added.all(of: .fetchPhaseSeconds).first?.numbers)
        #expect(decode.first == 1 && decode.dropFirst(2).reduce(0, +) == 1)
        #expect(Quantile.estimate(1, of: 1, in: decode.dropFirst(2), Metric.fetchPhaseSeconds.description.buckets) == 0.005)
        for wrong in ["[]", #"{"a":"b"}"#, #"{"a":["b",1]}"#, "1"] {
            let read = MetricTotals(try JSON(parsing: wrong))
            #expect(read == nil || read == MetricTotals() || wrong.contains("1]"), "\(wrong)")
        }
    }

    @Test(arguments: [(0.5, 0.015), (0.25, 0.005), (0.75, 0.055), (1.0, 0.1)])
    func `a quantile lies evenly within its bucket`(part: Double, expected: Double) throws {
        let value = try #require(Quantile.estimate(part, of: 8, in: [2, 2, 2, 2], [0.005, 0.015, 0.055, 0.1]))
        #expect(abs(value - expected) < 1e-9, "\(value)")
    }

    @Test func `above the last bound a quantile is the bound, and nothing has none`() {
        #expect(Quantile.estimate(0.99, of: 10, in: [1], [0.5]) == 0.5)
        #expect(Quantile.estimate(0.5, of: 0, in: [0], [0.5]) == nil)
    }

    @Test func `a point names what happened`() throws {
        let added = try totals(
            """
            {"tintype_rpc_requests_total image.load ok":3,"tintype_rpc_requests_total queue.get ok":1,"tintype_submits_total default joined":2,
             "tintype_cache_lookups_total memory hit":5,"tintype_fetches_finished_total default failed":1,"tintype_errors_total timeout connect":1,
             "tintype_errors_total timeout download":2,"tintype_result_bytes_total webp":30,"tintype_source_bytes_total jpeg":900,
             "tintype_result_source_bytes_total webp":900,"tintype_submits_total default overloaded":4,"tintype_submits_total default invalidParams":9,
             "tintype_reaped_total deadlines":5,"tintype_reaped_total leases":9,"tintype_cache_lookups_total sources stale":6,
             "tintype_cache_lookups_total sources expired":7,"tintype_http_requests_total images 200":2,"tintype_http_requests_total looks 200":9}
            """)
        let point = JSON.object(StatisticsPoint(time: 7, seconds: 1, added).json)
        let counts = try #require(point["counts"]?.object?.members).filter { $0.1.double != 0 }.map { "\($0.0) \($0.1.text)" }
        let expected = [
            "requests 4", "pictures 2", "submits 15", "joined 2", "refused 4", "expired 5", "memoryHits 5", "sourceHits 6", "sourceMisses 7", "failed 1",
            "bytesMade 30", "bytesOfSources 900",
        ]
        #expect(counts == expected)
        #expect(point["counts"]?["crashes"]?.int == 0)
        #expect(point["errors"]?.text == #"{"deadlineExceeded":5,"overloaded":4,"timeout":3}"#)
        #expect(point["formats"]?.text == #"{"webp":{"bytes":30,"ofSources":900}}"#)
    }

    @Test func `a histogram with other buckets, as of another version, is left out`() throws {
        let name = "tintype_fetch_phase_seconds"
        for numbers in ["[]", "[1]", "[1,2,3]", "5"] {
            let point = StatisticsPoint(time: 7, seconds: 1, try totals(#"{"\#(name) decode":\#(numbers),"tintype_fetch_queued_seconds":[3,4]}"#))
            #expect(point.json["phases"]?.text == "{}", "\(numbers)")
        }
    }

    private func read(_ points: [StatisticsRings.Shown]) throws -> [JSON] { try points.map { try JSON(parsing: $0.text) } }

    @Test func `fifteen seconds make one point, four of these a minute, and old points go`() throws {
        var rings = StatisticsRings()
        let one = try totals(#"{"tintype_rpc_requests_total a ok":1}"#)
        for time in 1...2000 { rings.append(StatisticsPoint(time: time, seconds: 1, one)) }
        let seconds = rings.points(.second, after: 0)
        #expect(seconds.count == 900 && seconds.last?.time == 2000 && seconds.first?.time == 1101)
        #expect(rings.points(.second, after: 1998).map(\.time) == [1999, 2000])
        for (step, times) in [(StatisticsRings.Step.quarterMinute, Array(stride(from: 1905, through: 1995, by: 15))), (.minute, [1920, 1980])] {
            let points = rings.points(step, after: 1900)
            #expect(points.map(\.time) == times)
            #expect(try read(points).allSatisfy { $0["seconds"]?.int == step.rawValue && $0["counts"]?["requests"]?.int == step.rawValue })
        }
    }

    @Test func `a point without its last second ends at its time all the same`() throws {
        var rings = StatisticsRings()
        let one = try totals(#"{"tintype_rpc_requests_total a ok":1}"#)
        // The clock stood still in the 15th and 30th second, and in the whole second minute.
        for time in (1...60).filter({ $0 % 15 != 0 }) + [121, 122] { rings.append(StatisticsPoint(time: time, seconds: 1, one)) }
        let quarters = try read(rings.points(.quarterMinute, after: 0))
        #expect(quarters.map { $0["time"]?.int } == [15, 30, 45, 60] && quarters.allSatisfy { $0["seconds"]?.int == 14 })
        #expect(try read(rings.points(.minute, after: 0)).map { $0["seconds"]?.int } == [56])
    }

    @Test func `quantiles of a minute come from the histograms of all processes and seconds, and points have theirs`() throws {
        let name = "tintype_fetch_phase_seconds decode"
        func histogram(_ counts: [Int: Int]) -> String {
            let buckets = StatisticsPoint.bounds.indices.map { "\(counts[$0] ?? 0)" }
            return #"{"\#(name)":[\#(counts.values.reduce(0, +)),1,\#(buckets.joined(separator: ","))]}"#
        }
        var rings = StatisticsRings()
        // 99 in the third bucket in one second, and one in the tenth in another: the average of their medians would be far off.
        let metrics = [try totals(histogram([2: 99])), try totals(histogram([9: 1]))]
        for time in 1...60 { rings.append(StatisticsPoint(time: time, seconds: 1, time == 7 ? metrics[0] : time == 40 ? metrics[1] : MetricTotals())) }
        let minute = try #require(try read(rings.points(.minute, after: 0)).first?["phases"]?["decode"])
        #expect(minute["count"]?.int == 100 && minute["buckets"]?.text == "[2,99,0,0,0,0,0,0,1]")
        let buckets: [Double] = [0, 0, 99, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
        for (word, part) in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)] {
            let exact = try #require(Quantile.estimate(part, of: 100, in: buckets, StatisticsPoint.bounds))
            #expect(abs((minute[word]?.double ?? 0) - exact) < 1e-4 && exact <= 0.005, "\(word)")
        }
        let second = try read(rings.points(.second, after: 39))[0]["phases"]?["decode"]
        #expect(second?["buckets"]?.text == "[9,1]" && second?["p50"]?.double == 0.75)
        #expect(Metric.fetchQueuedSeconds.description.buckets == StatisticsPoint.bounds, "one list of bounds")
    }

    @Test func `what is above the last bound is in no bucket`() throws {
        let zeros = [String](repeating: "0", count: StatisticsPoint.bounds.count).joined(separator: ",")
        let point = StatisticsPoint(time: 7, seconds: 1, try totals(#"{"tintype_fetch_phase_seconds decode":[1,90,\#(zeros)]}"#))
        #expect(point.json["phases"]?["decode"]?.text == #"{"count":1,"sum":90,"p50":60,"p95":60,"p99":60,"buckets":[]}"#)
    }

    @Test func `a look that becomes due during another one comes next`() {
        var polls = PollSchedule()
        #expect(polls.begin(atWorkers: false, atQueues: false) == nil)
        #expect(polls.begin(atWorkers: false, atQueues: true) == PollSchedule.Poll(atWorkers: false, atQueues: true))
        #expect(polls.begin(atWorkers: true, atQueues: true) == nil, "the first one goes on")
        polls.end()
        #expect(polls.begin(atWorkers: false, atQueues: true) == PollSchedule.Poll(atWorkers: true, atQueues: true))
        polls.end()
        #expect(polls.begin(atWorkers: false, atQueues: false) == nil, "each look is made once")
    }

    @Test @Loop func `each coordinator shows the requests of all, each once`() async throws {
        let h = try await CoordinatorHarness()
        let other = try await h.another()
        let clients = [try h.client(), try h.client(of: other)]
        // The first totals of a process are where its counts begin, so both coordinators have to know each other.
        for client in clients { try await h.until { try await client.call("stats.series")["points"]?.array?.isEmpty == false } }
        for coordinator in [h.coordinator, other] {
            try await h.until {
                let event = coordinator.part(FleetStatistics.self).events(after: nil).last
                return try event.map { try JSON(parsing: Array($0.data.utf8))["coordinators"]?.int } == 2
            }
        }
        // Nobody else submits: the calls that ask for the points are none.
        for (number, client) in clients.enumerated() {
            for place in 0..<(3 + number) { try await client.call("image.submit", #"{"url":"http://a.test/\#(number)-\#(place)","detached":true}"#) }
        }
        for client in clients {
            var sum = 0.0
            try await h.until {
                let points = try await client.call("stats.series")["points"]?.array ?? []
                sum = points.reduce(0) { $0 + ($1["counts"]?["submits"]?.double ?? 0) }
                return sum > 6.99
            }
            #expect(abs(sum - 7) < 0.01, "\(sum)")
        }
        #expect(try await clients[0].call("stats.series", #"{"step":2}"#).error?.data["path"]?.string == "step")
        let none = try await clients[0].call("stats.series", #"{"step":60,"since":9999999999}"#)
        #expect(none["points"]?.array?.isEmpty == true && none["bounds"]?.array?.count == StatisticsPoint.bounds.count)
    }

    @Test @Loop func `the stream has a point each second, and continues behind the last one`() async throws {
        let h = try await CoordinatorHarness()
        let stream = try EventSourceClient(h.coordinator.httpAddress, "?stats=1")
        let events = await stream.events(3)
        #expect(events.allSatisfy { $0.type == "stats" })
        let last = try JSON(parsing: Array(try #require(events.last).data.utf8))
        #expect(last["coordinators"]?.int == 1 && last["queues"]?[0]?["name"]?.string == "default")
        let limits = last["queues"]?[0]?["limits"]
        #expect(limits?["maxConcurrent"]?.int != nil && limits?["hostLimits"] == nil, "there may be thousands of hosts")
        let next = try EventSourceClient(h.coordinator.httpAddress, "?stats=1&lastEventId=\(try #require(events.first?.id))")
        #expect(await next.events(2).first?.id == events[1].id)
        for wrong in ["?stats=2", "?stats=1&queue=default", "?stats=1&lastEventId=x"] {
            #expect(try await HTTP.get("\(h.base)/events\(wrong)").status == 400, "\(wrong)")
        }
    }

    @Test @Loop func `fetches that run, their hosts, pictures and failures are listed, without secrets`() async throws {
        let h = try await CoordinatorHarness()
        let client = try h.client()
        #expect(try await client.call("pictures.list")["items"]?.array?.isEmpty == true)
        let channel = QueueKeys("default").publicEvents
        try await h.until { try await h.redis.command("PUBSUB", "NUMSUB", channel).hasSuffix("1") }
        try await client.call("image.submit", #"{"url":"http://user:pass@origin.test/a?key=secret","receipt":"r","detached":true}"#)
        let fetch = try await h.worker.claim()
        let run = try #require(try await client.call("runs.list")["items"]?[0])
        #expect(run["host"]?.string == "origin.test" && run["url"]?.string == "http://origin.test/a?key=***" && run["attempt"]?.int == 1, "\(run)")
        let host = try #require(try await client.call("hosts.list")["items"]?[0])
        #expect(host["host"]?.string == "origin.test" && host["running"]?.int == 1 && host["limit"]?.int == 6, "\(host)")
        try await h.worker.succeed(fetch)
        try await h.until { try await client.call("pictures.list")["items"]?[0]?["receipt"]?.string == "r" }
        try await client.call("image.submit", #"{"url":"http://origin.test/b?key=secret","receipt":"f","detached":true}"#)
        let missing = TintypeError(.httpStatus, .download, "the server answered 404").about(url: "http://origin.test/b?key=secret")
        try await h.worker.fail(try await h.worker.claim(), missing)
        try await h.until { try await client.call("failures.list")["items"]?[0]?["sample"]?["receipt"]?.string == "f" }
        let failures = try await client.call("failures.list")
        let group = failures["items"]?[0]
        #expect(group?["error"]?.string == "httpStatus" && group?["count"]?.int == 1 && group?["host"]?.string == "origin.test", "\(failures)")
        for method in ["runs.list", "hosts.list", "pictures.list", "failures.list"] {
            let text = try await client.call(method).result?.text ?? ""
            #expect(!text.contains("secret") && !text.contains("pass"), "\(text)")
        }
        #expect(RunsList.shared([["a1", "a2", "a3"], [], ["b1"], ["c1", "c2"]], limit: 5) == ["a1", "b1", "c1", "a2", "c2"], "each queue has its part")
        #expect(try await client.call("runs.list", #"{"queue":"none"}"#).error?.name == "unknownQueue")
    }
}
