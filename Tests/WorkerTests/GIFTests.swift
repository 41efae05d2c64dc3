@testable import Bitmaps
@testable import ImageHeads
import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import Engine

/// The reading of GIFs: what the frames leave open, and files that end early. The expected pictures are those of Chromium, frame by frame.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)), .scoped)
struct GIFTests {
    private typealias Frame = TestGIFs.Frame

    /// Returns the frames in letters, a row after the other: the first letter of a color, or a point where nothing is.
    private static func letters(_ image: VipsImage) throws -> String {
        try (0..<image.height).map { y in
            try (0..<image.width).map { x in
                let pixel = try image.pixel(x, y)
                if pixel.count > 3, pixel[3] == 0 { return "." }
                let names: [[Double]: String] = [
                    [255, 0, 0]: "r", [0, 255, 0]: "g", [0, 0, 255]: "b", [255, 255, 0]: "y", [0, 0, 0]: "k", [255, 255, 255]: "w",
                ]
                return names[pixel.prefix(3).map { $0 < 128 ? 0 : 255 }] ?? "?"
            }.joined()
        }.joined(separator: " ")
    }

    private static func drawn(_ bytes: [UInt8], failOn: Int = 1) throws -> [VipsImage] {
        try VipsRuntime.start()
        return try bytes.withUnsafeBytes { raw in
            let clock = PictureClock(deadline: .now + .seconds(60))
            let painter = try AnimatedGIF(raw, limits: ImageLimits(), clock: clock)
            try painter.check(failOn: failOn)
            let frames = DrawnFrames(painter, failOn: failOn, clock: clock)
            return try (0..<painter.count).map { try frames.frame($0, 0...1) }
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let file: TestGIFs
        /// Each frame in letters.
        let frames: [String]
        let hasAlpha: Bool

        init(_ name: String, _ frames: [TestGIFs.Frame], _ expected: [String], hasAlpha: Bool, _ change: (inout TestGIFs) -> Void = { _ in }) {
            (testDescription, self.frames, self.hasAlpha) = (name, expected, hasAlpha)
            var file = TestGIFs(frames: frames)
            change(&file)
            self.file = file
        }
    }

    /// Cases of GIF89a, 20 and 23, in files without and with a transparent color. The background color of the header never shows.
    static let cases: [Case] = {
        let (left, dot) = ((width: 2, height: 2), (width: 1, height: 1))
        func part(_ number: Int, _ x: Int, _ size: (width: Int, height: Int), _ disposal: Int = 0, _ transparent: Int? = nil) -> Frame {
            Frame(number: number, x: x, width: size.width, height: size.height, disposal: disposal, transparent: transparent)
        }
        let background: (inout TestGIFs) -> Void = { $0.background = 3 }
        return [
            Case("all covered", [Frame(), part(1, 1, left)], ["rrrr rrrr", "rggr rggr"], hasAlpha: false),
            Case("a first frame smaller than the screen", [part(0, 1, left), part(1, 0, dot)], [".rr. .rr.", "grr. .rr."], hasAlpha: true, background),
            Case("a still picture smaller than the screen", [part(0, 1, left)], [".rr. .rr."], hasAlpha: true) { $0.again = nil },
            Case("the same without a control", [Frame(x: 1, width: 2, hasControl: false)], [".rr. .rr."], hasAlpha: true),
            Case("a frame that clears its place", [Frame(), part(1, 0, left, 2), part(2, 3, dot)], ["rrrr rrrr", "ggrr ggrr", "..rb ..rr"], hasAlpha: true),
            Case("a first frame that clears all", [Frame(disposal: 2), part(1, 0, left)], ["rrrr rrrr", "gg.. gg.."], hasAlpha: true, background),
            Case(
                "a cleared place that is filled", [Frame(disposal: 2), Frame(number: 1, disposal: 2), Frame(number: 2)],
                ["rrrr rrrr", "gggg gggg", "bbbb bbbb"],
                hasAlpha: false),
            Case("a place that is cleared at the end only", [Frame(), Frame(number: 1, disposal: 2)], ["rrrr rrrr", "gggg gggg"], hasAlpha: false),
            Case(
                "a first frame that is taken back", [Frame(disposal: 3), part(1, 0, left), part(2, 3, dot)], ["rrrr rrrr", "gg.. gg..", "gg.b gg.."],
                hasAlpha: true, background),
            Case(
                "a later frame that is taken back", [Frame(), part(1, 0, left, 3), part(2, 3, dot)], ["rrrr rrrr", "ggrr ggrr", "rrrb rrrr"], hasAlpha: false),
            Case("the same by the number 4", [Frame(), part(1, 0, left, 4), part(2, 3, dot)], ["rrrr rrrr", "ggrr ggrr", "rrrb rrrr"], hasAlpha: false),
            Case(
                "taken back to a cleared place", [Frame(disposal: 2), Frame(number: 1, disposal: 3), part(2, 3, dot)], ["rrrr rrrr", "gggg gggg", "...b ...."],
                hasAlpha: true),
            Case("a transparent color", [Frame(), Frame(transparent: 1, numbers: [1, 2, 1, 2, 2, 1, 2, 1])], ["rrrr rrrr", "rbrb brbr"], hasAlpha: true),
            Case("a transparent color on nothing", [Frame(transparent: 1, numbers: [1, 2, 1, 2, 2, 1, 2, 1])], [".b.b b.b."], hasAlpha: true),
            Case("a later frame beyond the screen", [Frame(), part(1, 3, left)], ["rrrr rrrr", "rrrg rrrg"], hasAlpha: false),
            Case("a frame outside of the screen", [Frame(), part(1, 9, left, 2), part(2, 3, dot)], ["rrrr rrrr", "rrrr rrrr", "rrrb rrrr"], hasAlpha: false),
            Case("a first frame beyond the screen", [part(0, 3, left)], ["...rr ...rr"], hasAlpha: true),
            Case("a frame without pixels", [Frame(), part(1, 0, (0, 0), 2)], ["rrrr rrrr", "rrrr rrrr"], hasAlpha: false),
            Case("interlaced", [Frame(width: 1, height: 5, isInterlaced: true, numbers: [0, 1, 2, 3, 0])], ["r y b r g"], hasAlpha: false) {
                ($0.width, $0.height) = (1, 5)
            },
            Case(
                "interlaced and cut", [Frame(width: 1, height: 5), Frame(width: 1, height: 8, isInterlaced: true, numbers: [0, 0, 2, 2, 1, 3, 1, 3])],
                ["r r r r r", "r g b y r"], hasAlpha: false
            ) { ($0.width, $0.height) = (1, 5) },
            Case("no colors", [Frame(numbers: [0, 1, 0, 1, 0, 1, 2, 3])], ["kkkk kkkk"], hasAlpha: false) { $0.palette = [] },
            Case("more numbers than colors", [Frame(numbers: [0, 1, 2, 3, 0, 1, 2, 3])], ["rgkk rgkk"], hasAlpha: false) { $0.palette.removeLast(2) },
            Case("numbers of 8 bits", [Frame(disposal: 2, numbers: [0, 1, 2, 3, 3, 2, 1, 0]), part(1, 1, left)], ["rgby ybgr", ".gg. .gg."], hasAlpha: true) {
                ($0.size, $0.palette) = (8, $0.palette + Array(repeating: [9, 9, 9], count: 252))
            },
        ]
    }()

    @Test(arguments: cases) func `Parts that no frame covers are transparent`(_ one: Case) throws {
        let bytes = one.file.bytes
        let frames = try Self.drawn(bytes)
        #expect(try frames.map(Self.letters) == one.frames)
        #expect(frames.allSatisfy { $0.hasAlpha == one.hasAlpha })
        // The header guard says the same, before anything is unpacked.
        let header = try #require(bytes.withUnsafeBytes { ImageHeader.read($0, as: .gif) })
        #expect(header.hasAlpha == one.hasAlpha && header.frames == frames.count && header.isComplete)
        #expect((header.width, header.height) == (frames[0].width, frames[0].height))
        // Results of every kind that moves, and a still one. libvips reads the GIF, whose frames it gets whole and with a transparent color.
        for output in [#"{"format":"webp","lossless":true}"#, #"{"format":"gif"}"#, #"{"format":"png"}"#] {
            let made = try TestPictures.made(bytes, PictureTests.rendition("", output))
            let count = try made.withUnsafeBytes { try #require(ImageHeader.read($0, as: HeaderGuard().check($0))).frames }
            let image = try TestPictures.decoded(made, frames: count)
            var expected = one.frames
            // Encoders merge equal frames.
            if output.contains("png") {
                expected = [one.frames[0]]
            } else if count < expected.count {
                expected = expected.indices.filter { $0 == 0 || expected[$0] != expected[$0 - 1] }.map { expected[$0] }
            }
            #expect(try Self.letters(image) == expected.joined(separator: " "), "\(output)")
        }
    }

    @Test(arguments: ["png", "jpeg", "webp", "avif"]) func `A format without transparency shows the background of the request`(format: String) throws {
        let bytes = TestGIFs(width: 64, height: 32, frames: [Frame(x: 32, width: 32, height: 32)]).bytes
        let output = #"{"format":"\#(format)","background":"blue"}"#
        for steps in ["", #"{"op":"resize","width":32}"#] {
            let image = try TestPictures.decoded(TestPictures.made(bytes, PictureTests.rendition(steps, output)))
            let (left, right) = (try image.pixel(image.width / 4, 8), try image.pixel(3 * image.width / 4, 8))
            #expect(format == "jpeg" ? near(left, [0, 0, 255]) : left.count == 4 && left[3] == 0, "\(left)")
            #expect(nearOpaque(right, [255, 0, 0]), "\(right)")
        }
    }

    @Test func `The screen counts, however unusual its size is`() throws {
        for (width, height) in [(640, 480), (800, 600), (2100, 30)] {
            let frames = try Self.drawn(TestGIFs(width: width, height: height, frames: [Frame(x: 8, y: 9)]).bytes)
            #expect(frames[0].width == width && frames[0].height == height)
            #expect(try frames[0].pixel(8, 9) == [255, 0, 0, 255] && frames[0].pixel(12, 9)[3] == 0)
        }
        #expect(try Self.drawn(TestGIFs(width: 0, height: 0, frames: [Frame()]).bytes)[0].width == 4)
    }

    @Test func `Delays and plays are those of the file`() throws {
        func facts(_ change: (inout TestGIFs) -> Void) -> (plays: Int, delays: [Int])? {
            var file = TestGIFs(frames: [Frame(delay: 7), Frame(number: 1, delay: 0), Frame(number: 2, hasControl: false)])
            change(&file)
            return file.bytes.withUnsafeBytes { GIFAnimation(ByteReader(bytes: $0)).map { ($0.plays, $0.frames.map(\.delay)) } }
        }
        #expect(facts { $0.again = 0 }?.plays == 0 && facts { $0.again = 4 }?.plays == 5 && facts { $0.again = nil }?.plays == 1)
        #expect(facts { _ in }?.delays == [70, 0, 100])
    }

    // MARK: Damage

    @Test func `An animation that is cut anywhere is refused, and shown as far as it goes if that is allowed`() throws {
        let file = TestGIFs(frames: [Frame(), Frame(number: 1, x: 1, width: 2), Frame(number: 2, numbers: [2, 1, 2, 1, 2, 1, 2, 1])])
        let bytes = file.bytes
        var starts = [bytes.firstRange(of: [0x21, 0xf9])?.lowerBound ?? 0]
        while let next = bytes[(starts[starts.count - 1] + 1)...].firstRange(of: [0x21, 0xf9])?.lowerBound { starts.append(next) }
        starts.append(bytes.count - 1)
        let whole = try Self.drawn(bytes).map(Self.letters)
        // The first bytes of data are ten behind the descriptor, which follows the control.
        for cut in (starts[0] + 8 + 10 + 3)..<bytes.count {
            let part = Array(bytes[..<cut])
            let shown = try Self.drawn(part, failOn: 0).map(Self.letters)
            #expect(shown.count <= 3 && (shown.dropLast() == whole.prefix(shown.count).dropLast()), "\(cut)")
            if let frames = starts.firstIndex(of: cut) {
                // Between two frames nothing tells that more should come.
                #expect(try Self.drawn(part).map(Self.letters) == Array(whole.prefix(frames)), "\(cut)")
                continue
            }
            let error = #expect(throws: PictureFailure.self, "\(cut)") { try Self.drawn(part) }
            #expect(error?.reason == .badImageData && error?.message.hasPrefix("the GIF ends early, after \(cut) bytes") == true, "\(error?.message ?? "")")
            for frames in ["all", "first"] {
                let rendition = try Rendition(canonical: JSON(parsing: #"{"decode":{"frames":"\#(frames)"},"output":{"format":"webp"}}"#))
                #expect(throws: PictureFailure.self) { try TestPictures.made(part, rendition) }
            }
        }
        #expect(throws: PictureFailure.self) { try Self.drawn(Array(bytes[..<(starts[0] + 15)]), failOn: 0) }
        #expect(try Self.drawn(bytes + [1, 2, 3]).count == 3, "bytes behind the trailer count for nothing")
    }

    @Test(arguments: [1, 0]) func `A frame whose data end early is shown as far as it goes`(failOn: Int) throws {
        for end in [TestGIFs.End.code, .clearAndCode, .none] {
            let still = try Self.drawn(TestGIFs(frames: [Frame(end: end)]).bytes, failOn: failOn)
            // Without an end the last bits are a number too.
            #expect(try still.map(Self.letters) == [end == .none ? "rrrr r..." : "rrrr ...."], "\(end)")
            let moving = TestGIFs(frames: [Frame(), Frame(number: 1, end: end), Frame(number: 2)])
            #expect(try Self.drawn(moving.bytes, failOn: failOn).map(Self.letters) == ["rrrr rrrr", "gggg rrrr", "bbbb bbbb"], "\(end)")
        }
        #expect(try Self.drawn(TestGIFs(frames: [Frame(numbers: Array(repeating: 0, count: 9))]).bytes).map(Self.letters) == ["rrrr rrrr"], "one too many")
    }

    @Test func `A frame with an impossible code is refused, and shown up to it if that is allowed`() throws {
        let file = TestGIFs(frames: [Frame(), Frame(number: 1, end: .broken), Frame(number: 2)])
        let error = #expect(throws: PictureFailure.self) { try Self.drawn(file.bytes) }
        #expect(error?.message == "the GIF is damaged: it contains codes that no encoder writes (the data of frame 2 are broken)")
        #expect(try Self.drawn(file.bytes, failOn: 0).map(Self.letters) == ["rrrr rrrr", "gggg rrrr", "bbbb bbbb"])
        var odd = file
        odd.size = 12
        #expect(throws: PictureFailure.self) { try Self.drawn(odd.bytes) }
    }

    @Test func `More frames than are counted are not opened`() {
        func refusal(_ count: Int) -> PictureFailure.Reason? {
            GuardTests.refusal(TestGIFs(width: 1, height: 1, frames: Array(repeating: Frame(width: 1, height: 1, hasControl: false), count: count)).bytes)
        }
        #expect(refusal(PNGAnimation.mostFrames) == nil && refusal(PNGAnimation.mostFrames + 1) == .unsupportedFormat)
    }

    @Test func `Random animations look as libvips shows them`() throws {
        try VipsRuntime.start()
        var dice = Dice(49)
        for round in 0..<40 {
            // With a transparent color in each frame, libnsgif knows all that counts. Only it confuses the rows of an interlaced frame that the screen cuts.
            var file = TestGIFs(width: Int.random(in: 1...20, using: &dice), height: Int.random(in: 1...20, using: &dice), frames: [])
            file.size = [2, 3, 8].randomElement(using: &dice) ?? 2
            let colors = [0, 1, 2, 3]
            for _ in 0..<Int.random(in: 1...6, using: &dice) {
                var frame = Frame(
                    x: Int.random(in: 0...8, using: &dice), y: Int.random(in: 0...8, using: &dice), width: Int.random(in: 1...20, using: &dice),
                    height: Int.random(in: 1...20, using: &dice), disposal: Int.random(in: 0...4, using: &dice),
                    transparent: colors.randomElement(using: &dice),
                    isInterlaced: file.frames.isEmpty && Bool.random(using: &dice))
                frame.numbers = (0..<frame.width * frame.height).map { _ in colors.randomElement(using: &dice) ?? 0 }
                file.frames.append(frame)
            }
            let (ours, theirs) = (try Self.drawn(file.bytes), try TestPictures.decoded(file.bytes, frames: file.frames.count))
            #expect(try ours.map(Self.letters).joined(separator: " ") == Self.letters(theirs), "\(round)")
        }
    }

    @Test(arguments: 1...12) func `Codes of every length are read as the encoder wrote them`(colors: Int) throws {
        try VipsRuntime.start()
        var dice = Dice(UInt64(colors))
        let numbers = (0..<90 * 70).map { _ in UInt8(Int.random(in: 0..<20 * colors, using: &dice)) }
        let picture = try VipsImage.of(numbers.flatMap { [$0, $0, $0] }, width: 90, height: 70, bands: 3)
        let bytes = try TestPictures.encoded(VipsOperation("copy").set("in", picture).set("interpretation", Int(VipsColors.sRGB.rawValue)).image(), .gif)
        let (ours, theirs) = (try Self.drawn(bytes)[0], try TestPictures.decoded(bytes))
        let opaque = try theirs.hasAlpha == ours.hasAlpha ? ours : VipsOperation("bandjoin_const").set("in", ours).set("c", [255.0]).image()
        #expect(try opaque.samples() == theirs.samples())
    }
}
