@testable import ImageHeads
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine
@testable import Worker

/// The reported progress of the work on a picture.
@Suite(.timeLimit(.minutes(3)), .scoped)
struct ProgressTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var source: ImageFormat
        var transform: String
        var output: String
        var isPlanar = false
        var testDescription: String { "\(source) \(transform) \(output)\(isPlanar ? " by planes" : "")" }
    }
    static let cases = [
        Case(source: .jpeg, transform: #"{"op":"resize","width":900}"#, output: #"{"format":"jpeg"}"#, isPlanar: true),
        Case(source: .jpeg, transform: #"{"op":"resize","width":900}"#, output: #"{"format":"webp"}"#),
        Case(source: .jpeg, transform: "", output: #"{"format":"jpeg","maxBytes":60000}"#),
        Case(source: .jpeg, transform: "", output: #"{"format":"jpeg","quality":"auto"}"#),
        Case(
            source: .png, transform: #"{"op":"rotate","angle":30},{"op":"blur","sigma":2},{"op":"rotate","angle":90}"#, output: #"{"format":"png"}"#),
        Case(source: .png, transform: #"{"op":"trim"},{"op":"resize","width":900}"#, output: #"{"format":"jpeg"}"#),
        Case(source: .png, transform: #"{"op":"animate","columns":2,"rows":2},{"op":"blur","sigma":2}"#, output: #"{"format":"gif","effort":1}"#),
        Case(source: .gif, transform: #"{"op":"frames","pick":[2,0,1]},{"op":"rotate","angle":90}"#, output: #"{"format":"gif","effort":1}"#),
        Case(source: .gif, transform: #"{"op":"frames","pick":[0,2]}"#, output: #"{"format":"webp","effort":0}"#),
    ]

    private static func source(_ format: ImageFormat) throws -> [UInt8] {
        let waves = try PlanarTests.waves(1000, 900)
        guard format == .gif else { return try TestPictures.encoded(waves, format) }
        return try TestPictures.animation(1000, 900, [[255, 0, 0], [0, 255, 0], [0, 0, 255]], delays: [100, 100, 100], loop: 0, .gif)
    }

    @Test(arguments: cases) func `progress never falls, and reaches its end once, while the result is written`(_ one: Case) throws {
        try VipsRuntime.start()
        let source = try Self.source(one.source)
        let rendition = try PictureTests.rendition(one.transform, one.output)
        var told: [(phase: PictureFailure.Phase, fraction: Double)] = []
        try source.withUnsafeBytes { raw in
            let clock = PictureClock(deadline: .now + .seconds(120), interval: .zero) { told.append(($0, $1)) }
            let run = try PictureRun(
                raw, format: one.source, limits: ImageLimits(), clock: clock, graphs: one.isPlanar ? PlanarGraphs() : nil)
            _ = try run.render(rendition)
        }
        #expect(zip(told, told.dropFirst()).allSatisfy { $0.fraction <= $1.fraction }, "\(told)")
        #expect(told.allSatisfy { (0...1).contains($0.fraction) })
        #expect(told.filter { $0.phase != .encode }.allSatisfy { $0.fraction <= 0.5 }, "the first half is the work before the encoder")
        #expect(Set(told.map(\.fraction)).count > 3 && told.last?.phase == .encode && told.last?.fraction ?? 0 >= 0.5)
    }

    @Test @Loop func `the progress of a fetch rises through its renditions`() async throws {
        let h = try await WorkerHarness()
        let renditions: [JSON] = (1...4).map {
            ["name": .string("r\($0)"), "transform": [["op": "resize", "width": JSON($0 * 20)]], "output": ["format": "png"]]
        }
        let receipt = try await h.submit(
            ["url": .string(h.url("/picture.png?size=200x200")), "renditions": .array(renditions), "progress": true])
        var fractions: [Double] = []
        let (over, ready) = (OneShot<Void>(), OneShot<Void>())
        h.subscriber.subscribe(h.queue.keys.publicEvents(receipt: receipt), confirmed: { ready.complete(.success(())) }) { _, payload in
            guard let event = try? JSON(parsing: payload) else { return }
            if event["type"] == "progress", event["phase"] != "download", let fraction = event["fraction"]?.double { fractions.append(fraction) }
            if event["type"] == "succeeded" { over.complete(.success(())) }
        }
        try await ready.wait()
        try await h.runOne()
        try await over.wait()
        #expect(fractions == fractions.sorted() && fractions.last ?? 0 >= 0.75 && fractions.last ?? 2 <= 1, "\(fractions)")
    }

    @Test func `the latest of the waiting reports comes last`() {
        var pace = ReportPace<Int>(interval: .milliseconds(250))
        for (phase, report) in [("decode", 1), ("encode", 2), ("decode", 3), ("store", 4), ("decode", 5)] { pace.add(report, phase: phase) }
        #expect(pace.take(at: .now) == [2, 4, 5])
    }

    @Test func `reports go out earlier if a receipt asks for a shorter interval`() {
        var pace = ReportPace<Int>(interval: .milliseconds(250))
        let now = ContinuousClock.now
        pace.add(1, phase: "download")
        #expect(pace.due(at: now) == now && pace.take(at: now) == [1])
        pace.add(2, phase: "download")
        pace.add(3, phase: "download")
        #expect(pace.due(at: now) == now + .milliseconds(250))
        pace.interval = .milliseconds(20)
        #expect(pace.due(at: now) == now + .milliseconds(20) && pace.take(at: now) == [3])
    }

    @Test(
        arguments: [
            (true, 0.25), (["interval": 0.02], 0.02), (["interval": 0], 0.02), (["interval": 10], 0.25), (["fraction": 0.1], 0.1),
            (["fraction": 0.001, "interval": 5], 0.02), (["fraction": 1], 0.25),
        ] as [(JSON, Double)])
    func `a worker reports as often as the request asks, at most fifty times a second`(asked: JSON, pace: Double) throws {
        #expect(try ImageRequest(["url": "http://a.test/", "progress": asked]).progress?.pace == pace)
    }

    @Test @Loop func `a receipt that begins to watch gets the progress at once`() async throws {
        let h = try await WorkerHarness()
        let url = JSON.string(h.url("/picture.png"))
        try await h.submit(["url": url])
        let claimed = try await h.claim()
        let reporter = FetchReporter(queue: h.queue, lease: claimed.lease, interval: nil, scope: h.scope) { _ in }
        reporter.download(received: 3, expected: 10)
        reporter.download(received: 7, expected: 10)
        let late = try await h.submit(["url": url, "progress": true])
        var received: [Int?] = []
        let (told, over, ready) = (OneShot<Void>(), OneShot<Void>(), OneShot<Void>())
        h.subscriber.subscribe(h.queue.keys.publicEvents(receipt: late), confirmed: { ready.complete(.success(())) }) { _, payload in
            guard let event = try? JSON(parsing: payload), event["type"] == "progress" else { return }
            received.append(event["receivedBytes"]?.int)
            told.complete(.success(()))
            if event["receivedBytes"] == 9 { over.complete(.success(())) }
        }
        try await ready.wait()
        reporter.interval = .milliseconds(250)
        try await told.wait()
        // Reports from before the end of a part are not sent after it.
        await reporter.flush()
        reporter.interval = nil
        reporter.interval = .milliseconds(250)
        await reporter.flush()
        reporter.download(received: 9, expected: 10)
        try await over.wait()
        #expect(received == [7, 9])
    }

    @Test @Loop func `a picture that is made again does not lower the progress`() async throws {
        let h = try await WorkerHarness()
        let receipt = try await h.submit(["url": .string(h.url("/picture.png")), "progress": true])
        let claimed = try await h.claim()
        var fractions: [Double] = []
        let (over, ready) = (OneShot<Void>(), OneShot<Void>())
        h.subscriber.subscribe(h.queue.keys.publicEvents(receipt: receipt), confirmed: { ready.complete(.success(())) }) { _, payload in
            guard let event = try? JSON(parsing: payload), let fraction = event["fraction"]?.double else { return }
            fractions.append(fraction)
            if fractions.count == 2 { over.complete(.success(())) }
        }
        try await ready.wait()
        let reporter = FetchReporter(queue: h.queue, lease: claimed.lease, interval: .milliseconds(250), scope: h.scope, onAnswer: { _ in })
        reporter.phase(.encode, fraction: 0.8, source: 9)
        await reporter.flush()
        reporter.phase(.decode, fraction: 0.2, source: 9)
        await reporter.flush()
        try await over.wait()
        #expect(fractions == [0.8, 0.8])
    }
}
