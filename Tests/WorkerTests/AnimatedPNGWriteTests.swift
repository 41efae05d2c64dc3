import Foundation
@testable import ImageHeads
@testable import PNG
import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import Engine

/// The writing of animated PNGs: when one is written, its content, and the view of another decoder.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)), .serialized, .scoped)
struct AnimatedPNGWriteTests {
    private static let colors: [[Double]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255]]
    private static let moving = #"{"format":"png","animated":true}"#

    private static func animation(_ bytes: [UInt8]) -> PNGAnimation? { bytes.withUnsafeBytes { PNGAnimation(ByteReader(bytes: $0)) } }

    private static func made(_ source: [UInt8], _ transform: String = "", _ output: String = moving) throws -> [UInt8] {
        try TestPictures.made(source, PictureTests.rendition(transform, output))
    }

    @Test(arguments: [ImageFormat.gif, .webp]) func `Frames, delays and plays of another format are kept if requested`(format: ImageFormat) throws {
        let source = try TestPictures.animation(12, 8, Self.colors, delays: [100, 250, 40], loop: 3, format)
        let bytes = try Self.made(source)
        let animation = try #require(Self.animation(bytes))
        #expect(animation.frames.map(\.delay) == [100, 250, 40] && animation.plays == 3 && animation.beginsWithPicture)
        for (frame, color) in zip(try TestFrames.drawn(bytes), Self.colors) { #expect(try nearOpaque(frame.pixel(6, 4), color, within: 0)) }
        #expect(try Self.animation(Self.made(source, "", #"{"format":"png"}"#)) == nil, "the default is the first frame")
        let page = try Rendition(canonical: JSON(parsing: #"{"decode":{"frames":"first"},"output":\#(Self.moving)}"#))
        #expect(try Self.animation(TestPictures.made(source, page)) == nil)
    }

    @Test func `An animated PNG stays animated, and steps change each frame`() throws {
        let source = TestFrames.plain(3, width: 16, height: 8).bytes
        for output in ["{}", #"{"format":"png"}"#, #"{"format":"auto","accept":["*/*"]}"#] {
            let bytes = try Self.made(source, #"{"op":"resize","width":4}"#, output)
            let frames = try TestFrames.drawn(bytes)
            #expect(frames.count == 3 && frames.allSatisfy { $0.width == 4 && $0.height == 2 }, "\(output)")
            #expect(try nearOpaque(frames[2].pixel(1, 1), [0, 0, 255], within: 2))
        }
        let gif = try Self.made(source, "", #"{"format":"auto","accept":["image/gif"]}"#)
        #expect(gif.starts(with: Array("GIF89a".utf8)))
        // A sheet of pictures has no frames.
        let sheet = try TestPictures.encoded(TestPictures.quarters(8, 8), .png)
        #expect(try Self.animation(Self.made(sheet, #"{"op":"animate","columns":2,"rows":2}"#, #"{"format":"png"}"#)) == nil)
        #expect(try Self.animation(Self.made(sheet, #"{"op":"animate","columns":2,"rows":2}"#))?.count == 4)
        #expect(try Self.made(sheet, #"{"op":"animate","columns":2,"rows":2}"#, "{}").starts(with: Array("RIFF".utf8)))
    }

    @Test func `Only the changed part of a frame is written, and an equal frame makes the one before longer`() throws {
        var encoder = APNGEncoder(width: 6, height: 5, channels: 3, plays: 0, effort: 6, front: [])
        var samples = [UInt8](repeating: 9, count: 6 * 5 * 3)
        func add(_ delay: Int) -> Bool { samples.withUnsafeBytes { encoder.add($0, delay: delay) } }
        #expect(add(100) && add(50))
        samples[(2 * 6 + 3) * 3 + 1] = 77
        samples[(3 * 6 + 4) * 3] = 78
        #expect(add(70_000))
        #expect(add(1))
        let finished = encoder.finish()
        let file = try #require(finished)
        defer { free(file.baseAddress) }
        let animation = try #require(PNGAnimation(ByteReader(bytes: UnsafeRawBufferPointer(file))))
        #expect(animation.count == 2 && animation.frames.map(\.delay) == [150, 70_000])
        let second = animation.frames[1]
        #expect((second.x, second.y, second.width, second.height) == (3, 2, 2, 2) && second.disposal == .none && !second.isOver)
        let last = try #require(TestFrames.drawn([UInt8](UnsafeRawBufferPointer(file))).last)
        #expect(try last.samples() == samples)
    }

    @Test func `Frames that are all equal become a still picture`() throws {
        let source = try TestPictures.animation(12, 8, [Self.colors[0], Self.colors[1]], delays: [100, 100], loop: 0, .gif)
        let bytes = try Self.made(source, #"{"op":"frames","pick":[1,1,1]}"#)
        #expect(Self.animation(bytes) == nil && bytes.firstRange(of: Array("fcTL".utf8)) == nil)
        #expect(try near(TestPictures.decoded(bytes).pixel(3, 3).prefix(3).map { $0 }, Self.colors[1], within: 0))
    }

    @Test func `The metadata of a result comes before its frames`() throws {
        let profile = try VipsOperation("profile_load").set("name", "p3").bytes("profile").copied()
        let picture = try TestPictures.quarters(8, 8).withHeader { header in
            header.set("icc-profile-data", profile)
            for (name, value) in [("page-height", 4), ("n-pages", 2)] { header.set(name, value) }
            header.set("delay", [30, 40])
        }
        let bytes = try TestPictures.encoded(picture, .png, OutputOptions(format: .png))
        #expect(Self.animation(bytes)?.count == 2)
        #expect(try TestPictures.decoded(bytes).bytes("icc-profile-data") == profile)
    }

    /// Pillow, if the Python of the tests has it, prints its view as JSON.
    private static let script = """
        import json, sys
        from PIL import Image
        image = Image.open(sys.argv[1])
        frames = []
        for number in range(image.n_frames):
            image.seek(number)
            frames.append([image.info.get("duration"), list(image.convert("RGBA").getpixel((6, 4)))])
        print(json.dumps({"loop": image.info.get("loop"), "frames": frames}))
        """

    static let python = ProcessInfo.processInfo.environment["TINTYPE_CLIENTS"].flatMap { python in
        (try? run(python, ["-c", "import PIL"])) == nil ? nil : python
    }

    private struct Failed: Error {}

    static func run(_ program: String, _ arguments: [String]) throws -> Data {
        let (process, output) = (Process(), Pipe())
        (process.executableURL, process.arguments) = (URL(fileURLWithPath: program), arguments)
        (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed() }
        return data
    }

    @Test(.enabled(if: python != nil, "the Python of TINTYPE_CLIENTS has no Pillow")) func `Another decoder sees the same frames`() throws {
        let source = try TestPictures.animation(12, 8, Self.colors, delays: [100, 250, 40], loop: 3, .gif)
        let folder = try TemporaryFolder("film")
        let path = folder.path + "/moving.png"
        try Data(Self.made(source, #"{"op":"resize","width":24,"height":16,"enlarge":true}"#)).write(to: URL(fileURLWithPath: path))
        let seen = try JSON(parsing: [UInt8](Self.run(#require(Self.python), ["-c", Self.script, path])))
        #expect(seen["loop"] == 3 && seen["frames"]?.array?.count == 3)
        for (frame, (delay, color)) in zip(seen["frames"]?.array ?? [], zip([100.0, 250, 40], Self.colors)) {
            #expect(frame.array?[0].double == delay && frame.array?[1].array?.compactMap(\.double) == color + [255], "\(frame)")
        }
    }
}
