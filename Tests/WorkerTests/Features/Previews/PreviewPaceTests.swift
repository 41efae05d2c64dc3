import ImageHeads
import TintypeCore
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine
@testable import TintypePreviews
@testable import Worker

/// The times when a preview is due, by tables: no clock, no processes.
@Suite(.tags(.optimized)) struct PreviewPaceTests {
    private static let start = ContinuousClock.now

    /// Returns the due preview of the first `count` bytes, `seconds` after the beginning.
    private func due(_ pace: inout PreviewPace, _ file: [UInt8], _ count: Int, of expected: Int?, at seconds: Double) -> PreviewPace.Due? {
        file[..<count].withUnsafeBytes { pace.due($0, expected: expected.map { Int64($0) }, at: Self.start + .seconds(seconds)) }
    }

    /// Returns three frames of noise below a stripe of their own color.
    static func moving(_ format: ImageFormat) throws -> [UInt8] {
        let noise = try TestPictures.decoded(TestPictures.noise(.png, width: 160, height: 240))
        // Encoders leave out unchanged parts, so each frame has noise of its own.
        let frames = try [[255.0, 0, 0], [0, 255, 0], [0, 0, 255]].enumerated().map { index, color in
            let part = try CropStep.apply(PictureWindow(x: 0, y: 80 * index, width: 160, height: 80), to: noise)
            return try VipsOperation("join").set("in1", VipsRuntime.solid(width: 160, height: 40, color)).set("in2", part).set("direction", 1).image()
        }
        let strip = try VipsOperation("arrayjoin").set("in", frames)
            .set("across", 1).image().withHeader { header in
                for (name, value) in [("page-height", 120), ("n-pages", 3)] { header.set(name, value) }
                header.set("delay", [100, 100, 100])
            }
        return try TestPictures.encoded(strip, format, OutputOptions(isLossless: format == .webp))
    }

    @Test(arguments: [ImageFormat.gif, .webp, .png]) func `The first frame of an animation is due once it is complete, and no other`(
        format: ImageFormat
    ) throws {
        let file = try Self.moving(format)
        var pace = PreviewPace(PreviewOptions(interval: 0.1))
        var seen: [Int] = []
        for count in stride(from: 40, to: file.count, by: 40) {
            guard let due = due(&pace, file, count, of: nil, at: Double(count)) else { continue }
            #expect(due.bytes == count && due.blur == 0)
            seen.append(count)
            if seen.count == 1 {
                pace.dropped(at: Self.start + .seconds(count))
            } else {
                pace.made(Self.start + .seconds(count), at: Self.start + .seconds(count))
            }
        }
        #expect(seen.count == 2 && seen.first ?? 0 > file.count / 20, "dropped once: \(seen) of \(file.count)")
        let first = try #require(file[..<(seen.first ?? 0)].withUnsafeBytes { FirstFrame.file(of: $0, format) })
        #expect(try nearOpaque(TestPictures.decoded(first).pixel(80, 20), [255, 0, 0], within: 8))
        #expect(file[..<30].withUnsafeBytes { FirstFrame.file(of: $0, format) } == nil)
        var blurred = PreviewPace(PreviewOptions(mode: .blur))
        #expect(due(&blurred, file, file.count / 2, of: nil, at: 0) == nil)
    }

    @Test func `A header that claims an enormous size overflows nothing`() throws {
        var file = try TestPictures.noise(.png, progressive: true)
        for at in 16..<24 { file[at] = 0xff }
        var pace = PreviewPace(PreviewOptions(interval: 0.1))
        #expect(due(&pace, file, file.count / 2, of: file.count, at: 0) == nil)
    }

    @Test func `A progressive JPEG is due with its first complete scan, and with each later one`() throws {
        let file = try TestPictures.noise(.jpeg, progressive: true)
        var pace = PreviewPace(PreviewOptions(interval: 0.1))
        var seen: [Int] = []
        var walk = JPEGScans()
        for count in stride(from: 200, to: file.count, by: 20) {
            let before = walk.complete
            file[..<count].withUnsafeBytes { walk.read($0) }
            // A clock that is always late enough; a length so large that only scans count.
            guard let due = due(&pace, file, count, of: file.count * 100, at: Double(count)) else { continue }
            #expect(walk.complete > before && due.blur == 0)
            seen.append(walk.complete)
        }
        #expect(seen == Array(Set(seen)).sorted() && seen.count >= 6, "\(seen)")
    }

    @Test(arguments: [true, false]) func `Wherever a JPEG breaks off, a decoder can show the due bytes`(isProgressive: Bool) throws {
        let file = try TestPictures.noise(.jpeg, progressive: isProgressive, width: 160, height: 120)
        // The breaks around markers, and some between.
        let near = file.indices.dropLast().filter { file[$0] == 0xff && ![0, 0xff].contains(file[$0 + 1]) }.flatMap { stride(from: $0 - 1, to: $0 + 30, by: 3) }
        let counts = Set(near + Array(stride(from: 0, to: file.count, by: 97))).filter { 0..<file.count ~= $0 }
        var rendition = Rendition(operations: [AnyOperation(Resize(width: 40, height: nil))], output: OutputOptions(format: .jpeg))
        (rendition.decode.failOn, rendition.decode.frames, rendition.decode.speed) = (.none, .first, .fast)
        var shown = 0
        for count in counts.sorted() {
            var pace = PreviewPace(PreviewOptions(interval: 0.1))
            guard let due = due(&pace, file, count, of: nil, at: 0) else { continue }
            #expect(due.bytes <= count)
            _ = try TestPictures.made(Array(file[..<due.bytes]), rendition)
            shown += 1
        }
        #expect(shown > 20, "\(shown)")
    }

    @Test func `Scans are counted by segments, without those of a thumbnail`() throws {
        let file = try TestPictures.noise(.jpeg, progressive: true)
        let thumbnail: [UInt8] = [0xff, 0xd8, 0xff, 0xda, 0, 4, 1, 1, 9, 9, 0xff, 0xda, 0, 4, 1, 1, 0xff, 0xd9]
        let disguised = file[..<2] + [0xff, 0xe1, 0, UInt8(thumbnail.count + 2)] + thumbnail + file[2...]
        func scans(_ bytes: [UInt8], step: Int) -> [Int] {
            var walk = JPEGScans()
            return stride(from: step, through: bytes.count, by: step).map { end in
                bytes[..<end].withUnsafeBytes { walk.read($0) }
                return walk.complete
            }
        }
        let whole = scans(file, step: file.count).last
        #expect(whole == scans(Array(disguised), step: disguised.count).last)
        // However it arrives.
        #expect(whole == scans(file, step: 1).last && whole ?? 0 >= 8)
    }

    @Test func `Two previews have the requested interval, and a longer one if they take long`() throws {
        let file = try TestPictures.noise(.jpeg)
        var pace = PreviewPace(PreviewOptions(interval: 0.5))
        let step = file.count / 10
        #expect(due(&pace, file, step, of: file.count, at: 0) != nil)
        pace.made(Self.start, at: Self.start + .seconds(0.01))
        #expect(due(&pace, file, step * 3, of: file.count, at: 0.49) == nil)
        #expect(due(&pace, file, step * 3, of: file.count, at: 0.5)?.fraction.map { abs($0 - 0.3) < 0.01 } == true)
        pace.made(Self.start + .seconds(0.5), at: Self.start + .seconds(0.9))
        #expect(due(&pace, file, step * 6, of: file.count, at: 2.4) == nil)
        #expect(due(&pace, file, step * 6, of: file.count, at: 2.5) != nil)
        // Too few new bytes.
        pace.made(Self.start + .seconds(2.5), at: Self.start + .seconds(2.5))
        #expect(due(&pace, file, step * 6 + 10, of: file.count, at: 9) == nil)
        // The file is nearly complete.
        #expect(due(&pace, file, file.count - 10, of: file.count, at: 9) == nil)
    }

    @Test func `A dropped preview is due again after the interval`() throws {
        let file = try TestPictures.noise(.jpeg, progressive: true)
        var pace = PreviewPace(PreviewOptions(mode: .blur, interval: 0.2))
        let most = file.count * 9 / 10
        let first = try #require(due(&pace, file, most, of: nil, at: 0))
        pace.dropped(at: Self.start)
        #expect(due(&pace, file, most, of: nil, at: 0.1) == nil)
        #expect(due(&pace, file, most, of: nil, at: 0.2) == first)
        pace.failed()
        #expect(due(&pace, file, most, of: nil, at: 9) == nil)
    }

    @Test func `The blur falls as more arrives, or with each preview if the length is unknown`() throws {
        let file = try TestPictures.noise(.jpeg, progressive: true, width: 640)
        for (expected, radii) in [(file.count, [7.24, 3.85, 1.70]), (nil, [32, 16, 10.67])] {
            var pace = PreviewPace(PreviewOptions(mode: .blur, interval: 0.1))
            for (index, radius) in radii.enumerated() {
                let due = try #require(due(&pace, file, file.count * (10 + 4 * index) / 20, of: expected, at: Double(index)))
                #expect(abs(due.blur - radius) < 0.02, "\(due)")
                #expect((due.fraction == nil) == (expected == nil))
            }
        }
    }

    @Test(arguments: [
        (ImageFormat.jpeg, false, PreviewOptions.Mode.plain, true), (.jpeg, false, .blur, false), (.jpeg, true, .blur, true),
        (.png, true, .plain, true), (.png, true, .blur, true), (.png, false, .plain, false),
        (.gif, false, .plain, false), (.webp, false, .plain, false), (.avif, false, .plain, false),
    ])
    func `Only formats that can be shown in part have previews`(format: ImageFormat, progressive: Bool, mode: PreviewOptions.Mode, isShown: Bool) throws {
        let file = try TestPictures.noise(format, progressive: progressive)
        var pace = PreviewPace(PreviewOptions(mode: mode, interval: 0.1))
        let any = (1..<20).contains { due(&pace, file, file.count * $0 / 20, of: file.count, at: Double($0)) != nil }
        #expect(any == isShown)
    }
}
