@testable import ImageHeads
import TintypeImages
import TestSupport
import Testing

@testable import Engine

/// The delays and the number of a result's frames, whatever was asked for.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)))
struct FrameTimeTests {
    private static let colors: [[Double]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255]]

    private static func moving(_ delays: [Int], _ format: ImageFormat) throws -> [UInt8] {
        try TestPictures.animation(40, 20, colors, delays: delays, loop: 0, format)
    }

    private static func times(_ source: [UInt8], _ steps: String, _ format: ImageFormat) throws -> [Int]? {
        let rendition = try PictureTests.rendition(steps, #"{"format":"\#(format.rawValue)","lossless":true}"#)
        return try TestPictures.decoded(TestPictures.made(source, rendition), frames: 3).ints("delay")
    }

    /// Returns the expected delay at a pace, limited by the format and by the delays that viewers accept.
    private static func shown(_ delay: Double, _ format: ImageFormat) -> Int {
        let held = Int(min(max(delay, 20), format == .gif ? 655_350 : 16_777_215).rounded())
        return format == .gif ? (held + 5) / 10 * 10 : held
    }

    @Test(arguments: [0.01, 100], [ImageFormat.gif, .webp])
    func `The delay of a frame stays within its format, however often the pace changes`(speed: Double, format: ImageFormat) throws {
        for count in [2, 9, 31] {
            let steps = Array(repeating: #"{"op":"frames","speed":\#(speed)}"#, count: count).joined(separator: ",")
            let pace = (0..<count).reduce(1.0) { pace, _ in pace * speed }
            let wanted = Self.shown(100 / pace, format)
            #expect(try Self.times(Self.moving([100, 100, 100], .gif), steps, format) == [wanted, wanted, wanted], "\(count)")
            let sheet = Self.shown(655_350 / pace, format)
            let made = try Self.times(OperationTests.quarters(60, 20), #"{"op":"animate","columns":3,"delay":655350},"# + steps, format)
            #expect(made == [sheet, sheet, sheet], "\(count) of a sheet")
        }
    }

    @Test func `A GIF has no delay that viewers misread`() throws {
        // 11 to 14 ms would be one hundredth of a second, which viewers show as ten. The others are rounded to hundredths.
        let short = try Self.moving([11, 14, 26], .webp)
        #expect(try Self.times(short, "", .gif) == [20, 20, 30])
        #expect(try Self.times(short, "", .webp) == [11, 14, 26], "delays that WebP can hold stay")
        // Sixteen bits hold 655.35 s.
        let long = try Self.moving([700_000, 655_350, 30], .webp)
        #expect(try Self.times(long, "", .gif) == [655_350, 655_350, 30])
        #expect(try Self.times(long, "", .webp) == [700_000, 655_350, 30])
    }

    @Test func `The frames of a long WebP end within its largest time`() throws {
        var facts = PlanTests.facts(.webp, 9, 9, frames: 256)
        facts.hasAlpha = false
        let slow = try PlanTests.plan(facts, #"{"transform":[{"op":"frames","speed":0.01},{"op":"frames","speed":0.01},{"op":"frames","speed":0.01}]}"#)
        let delays = slow.delays(of: Array(repeating: 1000, count: 256))
        #expect(delays.count == 256 && delays.reduce(0, +) <= Int(Int32.max))
    }

    /// More frames than may be wanted, each in another gray. Frames between two wanted ones are passed over.
    @Test(arguments: [ImageFormat.gif, .webp], [[0, 399], [399, 0], [7, 7, 250]])
    func `Frames far apart are taken from an animation that is too long for all frames`(format: ImageFormat, pick: [Int]) throws {
        let colors = (0..<400).map { number -> [Double] in [Double(number % 200), Double(number / 200) * 100, 50] }
        let source = try TestPictures.animation(64, 48, colors, delays: (0..<400).map { 30 + $0 * 10 }, loop: 0, format)
        let names = pick.map { "\($0)" }.joined(separator: ",")
        let rendition = try PictureTests.rendition(#"{"op":"frames","pick":[\#(names)]},{"op":"invert"}"#, #"{"format":"gif"}"#)
        var limits = ImageLimits()
        limits.maxPixels = 64 * 48 * pick.count
        let made = try TestPictures.decoded(TestPictures.made(source, rendition, limits: limits), frames: pick.count)
        #expect(made.ints("delay") == pick.map { 30 + $0 * 10 })
        for (index, number) in pick.enumerated() {
            #expect(try nearOpaque(made.pixel(30, index * 48 + 20), colors[number].map { 255 - $0 }, within: 8), "\(index)")
        }
    }

    @Test(arguments: [ImageFormat.gif, .webp]) func `Frames that the encoder merged are counted as one`(format: ImageFormat) throws {
        let source = try Self.moving([100, 100, 100], .gif)
        let rendition = try PictureTests.rendition(#"{"op":"frames","pick":[0,0,1]}"#, #"{"format":"\#(format.rawValue)"}"#)
        try source.withUnsafeBytes { raw in
            let run = try PictureRun(raw, format: .gif, limits: ImageLimits(), clock: PictureClock(deadline: .now + .seconds(60)))
            let made = try run.render(rendition)
            #expect(try made.frames == TestPictures.decoded(made.bytes.copied()).pages)
            if format == .webp { #expect(made.frames == 2) }
        }
    }
}
