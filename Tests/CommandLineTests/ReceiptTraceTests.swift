import TintypeCore
import Testing

@testable import Console

/// The way of a receipt, from the answer of `receipt.get`.
@Suite struct ReceiptTraceTests {
    private func trace(_ text: String) throws -> ReceiptTrace { ReceiptTrace(try JSON(parsing: Array(text.utf8))) }

    private static let succeeded = #"""
        {"receipt":"trip-1","state":"succeeded","result":{"from":"remote","attempts":2,"causes":[{"name":"httpStatus","status":503}],"worker":"w-1",
        "source":{"url":"https://a.example/p.jpg","format":"jpeg","width":100,"height":50,"bytes":5000},"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "metrics":{"queued":0.1,"dns":0.01,"connect":0.02,"tls":0.03,"firstByte":0.1,"download":0.3,"decode":0.05,"transform":0.05,"encode":0.1,"store":0.01,"total":0.66}}}
        """#

    @Test func `the phases are durations in their order, and no phase contains another`() throws {
        let phases = try trace(Self.succeeded).phases
        #expect(
            phases.map(\.name) == ["queue", "dns", "connect", "tls", "first byte", "download", "decode", "transform", "encode", "store", "other"])
        #expect(abs(phases.reduce(0) { $0 + $1.seconds } - 0.66) < 1e-9, "together they are the whole")
        let times = Dictionary(uniqueKeysWithValues: phases.map { ($0.name, ($0.seconds * 1000).rounded()) })
        #expect(times["first byte"] == 40 && times["download"] == 200 && times["other"] == 50, "\(times)")
    }

    @Test func `the text has attempts, worker, trace and a bar for each phase`() throws {
        let text = try trace(Self.succeeded).text()
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines[0] == "trip-1 succeeded in 660 ms, from remote" && lines[1].contains("100x50 jpeg"))
        #expect(lines[2] == "trace 4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(lines[3] == "2 attempts, worker w-1; failed: httpStatus 503 (the queue's time contains them and the pauses between them)", "\(lines[3])")
        #expect(lines[4] == "phases by their duration, in their order; waits between them are in other, at the end")
        #expect(lines[5].hasPrefix("phase ") && lines[5].hasSuffix("  time    part of the whole") && lines.count == 17, "\(text)")
        let download = try #require(lines.first { $0.hasPrefix("download") })
        #expect(download.contains("download    200 ms  ·") && download.hasSuffix("············████████████················"), "\(download)")
        #expect(lines.suffix(11).allSatisfy { $0.contains("█") })
        let json = try trace(Self.succeeded).json()
        #expect(json["phases"]?[0] == ["name": "queue", "seconds": 0.1], "nobody knows when a phase began: \(json)")
    }

    @Test(arguments: [
        ("memory", "an earlier result answered it"), ("results", "an earlier result answered it"), ("sources", "made of a source that was downloaded before"),
    ])
    func `a receipt without a fetch of its own says so`(from: String, text: String) throws {
        let zero = #""metrics":{"queued":0,"dns":0,"download":0,"total":0}"#
        let shown = try trace(#"{"receipt":"r","state":"succeeded","result":{"from":"\#(from)","attempts":0,\#(zero)}}"#).text()
        #expect(shown.contains(text) && !shown.contains("█"), "\(shown)")
    }

    @Test func `a receipt that joined a running fetch says so`() throws {
        let late = try trace(
            #"{"receipt":"r","state":"succeeded","result":{"from":"remote","attempts":1,"metrics":{"queued":0,"download":2,"encode":0.1,"total":0.4}}}"#)
        #expect(late.hasJoined && late.text().contains("joined a fetch that ran already") && late.json()["joined"] == true)
        #expect(try !trace(Self.succeeded).hasJoined)
    }

    @Test func `a failed receipt shows its attempts and its error`() throws {
        let failed = try trace(
            #"{"receipt":"r","state":"failed","error":{"code":1010,"message":"no \u001b[2J","data":{"name":"httpStatus","phase":"download","attempts":3,"causes":[{"name":"dns"},{"name":"httpStatus","status":500},{"name":"httpStatus","status":500}]}}}"#
        )
        let text = failed.text()
        #expect(
            text.hasPrefix("r failed\n3 attempts; failed: dns, httpStatus 500, httpStatus 500\nno phases: only results have them; the error names the phase")
                && text.contains("no \\u001b[2J") && !text.contains("\u{1b}"),
            "\(text)")
    }

    @Test(arguments: [
        #"{"receipt":"r","state":"queued","position":3,"attempts":0}"#,
        #"{"receipt":"r","state":"succeeded","result":{"metrics":{"total":1e300,"queued":-5,"dns":1e300}}}"#,
        "{}", #"{"receipt":"r","state":"succeeded","result":{"metrics":{"total":0}}}"#, #"{"result":{"metrics":{"queued":0.1,"total":"x"}}}"#,
    ])
    func `any answer gives some lines`(answer: String) throws {
        let trace = try trace(answer)
        #expect(!trace.text().isEmpty && trace.json()["phases"]?.array != nil)
    }

    @Test func `events that came meanwhile have a line each, and progress only its last`() throws {
        var events = TraceEvents()
        for text in [
            #"{"type":"queued","at":100,"position":2}"#, #"{"type":"started","at":100.5,"worker":"w","attempt":1}"#,
            #"{"type":"response","at":100.6,"status":200,"expectedBytes":5000}"#, #"{"type":"progress","at":100.7,"phase":"download","receivedBytes":1000}"#,
            #"{"type":"progress","at":100.8,"phase":"download","receivedBytes":2000}"#, #"{"type":"preview","at":100.8}"#,
            #"{"type":"retrying","at":101,"attempt":2,"delay":2,"error":{"message":"m","data":{"name":"httpStatus","status":429}}}"#,
            #"{"type":"succeeded","at":104}"#,
        ] { events.take(try JSON(parsing: Array(text.utf8))) }
        #expect(
            events.lines == [
                "+0 µs  queued, 2 before it", "+500 ms  attempt 1 begins at worker w", "+600 ms  the origin answers 200, 5.0 kB to come",
                "+800 ms  download, 2.0 kB received",
                "+1.0 s  it fails: httpStatus 429; the next attempt begins after 2.0 s, or when the host is no longer throttled",
                "+4.0 s  succeeded",
            ], "\(events.lines)")
    }
}
