@testable import ImageHeads
import TintypeCore
import TintypeImages
import TestSupport
import Testing

@testable import Engine

/// Each option of an output, checked in the file itself.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)))
struct OutputTests {
    static func made(_ source: [UInt8], _ output: String, _ transform: String = "") throws -> [UInt8] {
        try TestPictures.made(source, PictureTests.rendition(transform, output))
    }

    /// Returns a soft picture with noise: its size follows the quality.
    private static func photo(_ width: Int = 320, _ height: Int = 240) throws -> VipsImage {
        try VipsRuntime.start()
        let bands = try (0..<3).map { band throws in
            try VipsOperation("gaussnoise").set("width", width).set("height", height).set("mean", 90.0 + 40 * Double(band)).set("sigma", 40.0).set("seed", band)
                .image()
        }
        let noise = try VipsOperation("gaussblur").set("in", VipsOperation("bandjoin").set("in", bands).image()).set("sigma", 1.0).image()
        let bytes = try VipsOperation("cast").set("in", noise).set("format", 0).image()
        return try VipsOperation("copy").set("in", bytes).set("interpretation", Int(VipsColors.sRGB.rawValue)).image().computed()
    }

    /// Returns the frame header of a JPEG: its marker, and the sampling of each component.
    private static func frame(_ jpeg: [UInt8]) throws -> (marker: UInt8, sampling: [UInt8]) {
        var at = 2
        while true {
            let marker = jpeg[at + 1]
            if (0xc0...0xc2).contains(marker) { return (marker, (0..<Int(jpeg[at + 9])).map { jpeg[at + 11 + 3 * $0] }) }
            at += 2 + Int(jpeg[at + 2]) << 8 + Int(jpeg[at + 3])
        }
    }

    @Test(arguments: [
        ("{}", [0x22, 0x11, 0x11] as [UInt8], 0xc0 as UInt8), (#"{"subsampling":"4:4:4"}"#, [0x11, 0x11, 0x11], 0xc0),
        (#"{"progressive":true}"#, [0x22, 0x11, 0x11], 0xc2), (#"{"quality":100,"subsampling":"4:2:0"}"#, [0x22, 0x11, 0x11], 0xc0),
    ]) func `A JPEG has the requested sampling and scans`(options: String, sampling: [UInt8], marker: UInt8) throws {
        var output = try #require(JSON(parsing: options).object)
        output["format"] = "jpeg"
        let jpeg = try Self.made(TestPictures.encoded(Self.photo(), .png), JSON.object(output).text)
        let frame = try Self.frame(jpeg)
        #expect(frame.sampling == sampling && frame.marker == marker)
    }

    @Test func `An AVIF keeps the color of every pixel if requested`() throws {
        // Red and blue lines: half the color resolution mixes them.
        let lines = try (0..<8).map { try VipsRuntime.solid(width: 1, height: 16, $0 % 2 == 0 ? [255, 0, 0] : [0, 0, 255]) }
        let source = try TestPictures.encoded(VipsOperation("arrayjoin").set("in", lines).image(), .png)
        for format in ["avif", "heif"] {
            let whole = try TestPictures.decoded(Self.made(source, #"{"format":"\#(format)","quality":90,"subsampling":"4:4:4"}"#))
            let half = try TestPictures.decoded(Self.made(source, #"{"format":"\#(format)","quality":90}"#))
            #expect(try near(whole.pixel(2, 8), [255, 0, 0], within: 40), "\(format)")
            #expect(try !near(half.pixel(2, 8), [255, 0, 0], within: 40), "\(format)")
        }
    }

    @Test func `A PNG has a palette, interlacing and sixteen bits as requested`() throws {
        let deep = try VipsOperation("cast").set("in", Self.photo()).set("format", 2).set("shift", true).image()
        let source = try TestPictures.encoded(VipsOperation("copy").set("in", deep).set("interpretation", Int(VipsColors.rgb16.rawValue)).image(), .png)
        // Bits, color type and interlace of the header.
        func header(_ options: String) throws -> [UInt8] {
            let png = try Self.made(source, options)
            return [png[24], png[25], png[28]]
        }
        #expect(try header(#"{"format":"png"}"#) == [16, 2, 0])
        #expect(try header(#"{"format":"png","progressive":true}"#) == [16, 2, 1])
        #expect(try header(#"{"format":"png","palette":true}"#) == [8, 3, 0])
        let full = try Self.made(source, #"{"format":"png","palette":true}"#)
        let image = try TestPictures.decoded(full)
        #expect(try near(image.pixel(100, 100), Self.photo().pixel(100, 100), within: 40))
        #expect(try Self.made(source, #"{"format":"png","palette":true,"quality":10}"#).count < full.count)
        let alpha = try TestPictures.encoded(TestPictures.quarters(40, 40, alpha: true), .png)
        let shown = try TestPictures.decoded(Self.made(alpha, #"{"format":"png","palette":true}"#, #"{"op":"mask","shape":"circle"}"#))
        #expect(try shown.pixel(0, 0)[3] == 0 && shown.pixel(20, 10)[3] == 255)
    }

    @Test(arguments: [ImageFormat.webp, .avif, .heif, .png, .tiff]) func `Lossless output keeps every pixel, or is refused by name`(
        format: ImageFormat
    ) throws {
        let photo = try Self.photo()
        let source = try TestPictures.encoded(photo, .png)
        let codecs = CodecWarmUp.run(PlanarGraphs())
        func has(_ member: String) -> Bool { codecs[member]?.array?.contains(.string(format.rawValue)) == true }
        guard has("encode") else { return }
        let output = #"{"format":"\#(format.rawValue)","lossless":true}"#
        guard has("lossless") || !OutputOptions.losslessFormats.contains(format) else {
            let error = #expect(throws: PictureFailure.self) { try Self.made(source, output) }
            #expect(error?.reason == .unsupportedFormat && error?.phase == .encode && error?.message.contains("without loss") == true)
            // Without a named format, another format is chosen or the same refusal is given.
            let auto = try Self.made(source, #"{"accept":["avif","webp"],"lossless":true}"#)
            #expect(ImageSniff.of(auto) == .image(.webp))
            let own = try TestPictures.encoded(photo, format)
            #expect(#expect(throws: PictureFailure.self) { try Self.made(own, #"{"lossless":true}"#) }?.reason == .unsupportedFormat)
            return
        }
        let image = try TestPictures.decoded(Self.made(source, output))
        #expect(try image.samples() == photo.samples())
    }

    @Test func `A TIFF keeps sixteen bits and transparency`() throws {
        let deep = try VipsOperation("cast").set("in", VipsRuntime.solid(width: 40, height: 20, [255, 128, 0, 128])).set("format", 2).set("shift", true).image()
        let source = try TestPictures.encoded(VipsOperation("copy").set("in", deep).set("interpretation", Int(VipsColors.rgb16.rawValue)).image(), .png)
        let bytes = try Self.made(source, #"{"format":"tiff"}"#)
        #expect(ImageSniff.of(bytes) == .image(.tiff))
        let image = try TestPictures.decoded(bytes)
        #expect(image.format == .uint16 && image.bands == 4)
        #expect(try near(image.pixel(3, 3).map { $0 / 257 }, [255, 128, 0, 128], within: 2))
        #expect(try ImageSniff.of(Self.made(bytes, #"{"format":"original"}"#)) == .image(.tiff))
    }

    @Test(arguments: [ImageFormat.heif, .jxl]) func `Formats that not every build writes are written here, or refused by name`(format: ImageFormat) throws {
        try VipsRuntime.start()
        let source = try TestPictures.encoded(Self.photo(), .png)
        if CodecWarmUp.run(PlanarGraphs())["encode"]?.array?.contains(.string(format.rawValue)) ?? false {
            let small = try Self.made(source, #"{"format":"\#(format.rawValue)","quality":30}"#)
            #expect(ImageSniff.of(small) == .image(format))
            #expect(try small.count < Self.made(source, #"{"format":"\#(format.rawValue)","quality":95}"#).count)
        }
        let rendition = try PictureTests.rendition("", #"{"format":"\#(format.rawValue)"}"#)
        source.withUnsafeBytes { raw in
            let error = #expect(throws: PictureFailure.self) {
                let clock = PictureClock(deadline: .now + .seconds(60))
                _ = try PictureRun(raw, format: .png, limits: ImageLimits(), clock: clock, encoders: [.jpeg, .png]).render(rendition)
            }
            #expect(error?.reason == .unsupportedFormat && error?.phase == .encode)
            #expect(error?.message == "\(format.rawValue) cannot be written here; jpeg, png can")
        }
    }

    /// libjxl refuses the distances that libvips 8.14 makes from the lowest qualities. libvips then writes a good picture.
    @Test(arguments: [ImageFormat.jpeg, .webp, .avif, .heif, .jxl]) func `The lower the quality, the smaller the file, down to the lowest`(format: ImageFormat)
        throws
    {
        try VipsRuntime.start()
        guard CodecWarmUp.run(PlanarGraphs())["encode"]?.array?.contains(.string(format.rawValue)) ?? false else {
            return print("skipped: \(format.rawValue) cannot be written here")
        }
        let source = try TestPictures.encoded(Self.photo(), .png)
        let sizes = try [1, 4, 5, 30, 95].map { try Self.made(source, #"{"format":"\#(format.rawValue)","quality":\#($0)}"#).count }
        // Equal except for a byte of header, if an encoder cannot do worse.
        #expect(zip(sizes, sizes.dropFirst()).allSatisfy { $0 <= $1 + 8 }, "\(sizes)")
    }

    @Test(arguments: ImageFormat.encodable, [0, 1, 9]) func `Every encoder supports the least and the most effort`(
        format: ImageFormat, effort: Int
    ) throws {
        try VipsRuntime.start()
        let written = CodecWarmUp.run(PlanarGraphs())["encode"]?.array ?? []
        guard written.contains(.string(format.rawValue)) else { return }
        let source = try TestPictures.encoded(TestPictures.quarters(40, 20), .png)
        for graphs in [nil, PlanarGraphs()] {
            for source in [source, try TestPictures.encoded(TestPictures.quarters(40, 20), .jpeg)] {
                let made = try TestPictures.made(source, PictureTests.rendition("", #"{"format":"\#(format.rawValue)","effort":\#(effort)}"#), graphs: graphs)
                #expect(ImageSniff.of(made) == .image(format))
            }
        }
    }

    @Test func `A build lists the formats it reads, even if it cannot write them`() throws {
        try VipsRuntime.start()
        let all = CodecWarmUp.run(PlanarGraphs())
        let none = CodecWarmUp.run(PlanarGraphs(), isWritten: { ![.avif, .heif, .gif].contains($0) })
        #expect(none["decode"] == all["decode"] && all["decode"]?.array?.contains("heif") == true)
        let others = (all["encode"]?.array ?? []).filter { !["avif", "heif", "gif"].contains($0) }
        #expect(none["encode"] == .array(others) && others.contains("jpeg"))
        for format in [ImageFormat.avif, .heif] {
            let image = try TestPictures.decoded(#require(CodecSamples.bytes(format)))
            #expect(try image.width == 64 && nearOpaque(image.pixel(30, 30), [200, 100, 50], within: 4), "\(format)")
        }
    }

    // MARK: auto

    @Test(arguments: [
        ("image/avif,image/webp,*/*", false, false, ImageFormat.avif), ("image/webp,*/*", false, false, .webp), ("image/webp,*/*", false, true, .webp),
        ("*/*", false, true, .png), ("*/*", true, false, .gif), ("image/avif,image/webp,*/*", true, false, .webp), ("*/*", false, false, .jpeg),
        ("image/jpeg", true, true, .jpeg),
    ]) func `auto is the best accepted format for the picture`(accept: String, animated: Bool, masked: Bool, format: ImageFormat) throws {
        let source =
            animated
            ? try TestPictures.animation(40, 20, [PictureTests.red, PictureTests.blue], delays: [100, 100], loop: 0, .gif)
            : try TestPictures.encoded(TestPictures.quarters(40, 20), .jpeg)
        let made = try Self.made(source, #"{"format":"auto","accept":"\#(accept)"}"#, masked ? #"{"op":"mask","shape":"circle"}"# : "")
        #expect(ImageSniff.of(made) == .image(format))
        if animated, format != .jpeg { #expect(try TestPictures.decoded(made, frames: 2).pages == 2) }
    }

    @Test(arguments: [
        (#"{"op":"resize","width":20,"height":10,"fit":"contain"}"#, ImageFormat.jpeg), (#"{"op":"resize","width":20,"height":20,"fit":"contain"}"#, .png),
        (#"{"op":"resize","width":20,"height":20,"fit":"contain","background":"red"}"#, .jpeg), (#"{"op":"pad","width":30,"height":5}"#, .jpeg),
        (#"{"op":"pad","width":50}"#, .png), (#"{"op":"resize","width":30,"fit":"none"}"#, .jpeg), (#"{"op":"rotate","angle":90}"#, .jpeg),
        (#"{"op":"rotate","angle":90,"expand":false}"#, .png), (#"{"op":"rotate","angle":9}"#, .png), (#"{"op":"extend","left":-3}"#, .jpeg),
        (#"{"op":"extend","left":3}"#, .png), (##"{"op":"pad","width":50},{"op":"background","color":"#123"}"##, .jpeg),
    ]) func `auto is a PNG only for transparent pictures`(transform: String, format: ImageFormat) throws {
        let source = try TestPictures.encoded(TestPictures.quarters(40, 20), .jpeg)
        #expect(try ImageSniff.of(Self.made(source, #"{"format":"auto"}"#, transform)) == .image(format))
    }

    @Test func `Lossless output without a named format is never a lossy format`() throws {
        let source = try TestPictures.encoded(TestPictures.quarters(40, 20), .jpeg)
        for (output, format) in [
            (#"{"lossless":true}"#, ImageFormat.png), (#"{"format":"auto","lossless":true}"#, .png),
            (#"{"format":"auto","accept":"image/webp,*/*","lossless":true}"#, .webp),
            (#"{"format":"auto","accept":"image/gif","lossless":true}"#, .png),
            (#"{"format":"auto","accept":"image/jpeg,image/png","lossless":true}"#, .png),
        ] {
            #expect(try ImageSniff.of(Self.made(source, output)) == .image(format), "\(output)")
        }
        let error = #expect(throws: PictureFailure.self) { try Self.made(source, #"{"format":"auto","accept":"image/jpeg","lossless":true}"#) }
        #expect(
            error?.reason == .unsupportedFormat && error?.message.hasPrefix("jpeg cannot be written here without loss; png, webp") == true,
            "\(String(describing: error))")
        let moving = try TestPictures.animation(40, 20, [PictureTests.red, PictureTests.blue], delays: [100, 100], loop: 0, .gif)
        #expect(try ImageSniff.of(Self.made(moving, #"{"lossless":true}"#)) == .image(.gif))
    }

    // MARK: maxBytes

    static func picture(_ source: [UInt8], _ output: String) throws -> (bytes: Int, quality: Int?) {
        try source.withUnsafeBytes { raw in
            let run = try PictureRun(raw, format: .png, limits: ImageLimits(), clock: PictureClock(deadline: .now + .seconds(60)))
            let picture = try run.render(PictureTests.rendition("", output))
            return (picture.bytes.count, picture.quality)
        }
    }

    @Test(arguments: ["jpeg", "webp", "avif"]) func `The best quality that fits is found and reported`(format: String) throws {
        let source = try TestPictures.encoded(Self.photo(), .png)
        func picture(_ options: String) throws -> (bytes: Int, quality: Int?) { try Self.picture(source, #"{"format":"\#(format)",\#(options)}"#) }
        let (low, high) = try (picture(#""quality":20"#), picture(#""quality":85"#))
        #expect(high.quality == 85 && low.bytes < high.bytes)
        let most = (low.bytes + high.bytes) / 2
        let found = try picture(#""quality":85,"maxBytes":\#(most)"#)
        let quality = try #require(found.quality)
        #expect(found.bytes <= most && (20..<85).contains(quality))
        #expect(try picture(#""quality":\#(quality)"#).bytes == found.bytes)
        #expect(try picture(#""quality":\#(quality + 1)"#).bytes > most, "the next one is too large")
        let asked = try picture(#""quality":30,"maxBytes":100000000"#)
        #expect(asked.quality == 30, "never above the requested quality")
        let error = #expect(throws: PictureFailure.self) { try picture(#""maxBytes":100"#) }
        guard case .limitExceeded("output.maxBytes", let value?, 100)? = error?.reason else { Issue.record("\(String(describing: error))"); return }
        #expect(value > 100 && error?.phase == .encode)
    }

    @Test(arguments: [#"{"format":"png""#, #"{"format":"webp","lossless":true"#, #"{"format":"tiff""#]) func `A lossless result fits or fails`(start: String)
        throws
    {
        let source = try TestPictures.encoded(Self.photo(), .png)
        let whole = try Self.picture(source, start + "}")
        #expect(whole.quality == nil)
        #expect(try Self.picture(source, start + #","maxBytes":\#(whole.bytes)}"#).bytes == whole.bytes)
        let error = #expect(throws: PictureFailure.self) { try Self.picture(source, start + #","maxBytes":\#(whole.bytes - 1)}"#) }
        #expect(error?.reason == .limitExceeded(which: "output.maxBytes", value: whole.bytes, limit: whole.bytes - 1))
    }

    @Test func `A search takes few attempts, and none once the time is up`() throws {
        var tried: [Int] = []
        let search = QualitySearch<Int>(mostBytes: 333, asked: 90)
        let result = try search.find { quality throws(PictureFailure) in
            tried.append(quality)
            return (quality, quality * 10)
        }
        guard case .found(33, quality: 33) = result else { Issue.record("\(result)"); return }
        #expect(tried.count <= 8 && tried.first == 90)
        guard case .tooLarge(smallest: 10) = try QualitySearch<Int>(mostBytes: 9, asked: 80).find({ quality throws(PictureFailure) in (quality, quality * 10) })
        else { Issue.record("nothing fits"); return }
        let error = #expect(throws: PictureFailure.self) {
            try QualitySearch<Int>(mostBytes: 9, asked: 80).find { _ throws(PictureFailure) in throw PictureFailure(.timeout, .encode, "") }
        }
        #expect(error?.reason == .timeout)
    }
}
