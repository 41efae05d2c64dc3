import Bitmaps
@testable import ImageHeads
import PNG
import TintypeCore
import TintypeTransport
import TintypeImages
import TestSupport
import Testing

@testable import Engine
@testable import Worker

/// Our own parsers of pictures and messages survive any bytes. `scripts/fuzz parsers` runs these for longer, under the
/// address sanitizer.
@Suite(.tags(.timed, .optimized), .timeLimit(.minutes(60)), .serialized) struct ParserFuzzTests {
    /// Files of `TINTYPE_CORPUS` that are not too long, if there is one, and one of our own.
    private static let pictures: [[UInt8]] =
        [PlainPicture.png(Color(red: 1, green: 2, blue: 3, alpha: 4), width: 9, height: 5), TestFrames.plain(3).bytes, gif, bitmap, icon]
        + [ICNSTests.samples[0].file, ICNSTests.samples[8].file, Array(XBMTests.samples[4].0.utf8)]
        + TestRAWs.files(jpegs[0], jpegs[1], orientation: 6).map(\.bytes) + [CodecSamples.bytes(.jp2) ?? [], [0xff, 0x0a, 0x4f, 0x06]]
        + ["formats", "hostile"].flatMap { TestPictures.files($0) }.compactMap { try? TestPictures.bytes($0) }.filter { $0.count < 64 << 10 }

    private static let gif = TestGIFs(
        frames: [
            TestGIFs.Frame(disposal: 2), TestGIFs.Frame(number: 1, x: 1, disposal: 3, transparent: 2, isInterlaced: true), TestGIFs.Frame(end: .clearAndCode),
        ]
    ).bytes
    private static let bitmap = TestBitmaps.file(
        TestBitmaps.header(5, 2, bits: 8, kind: 1, colors: 2), behind: TestBitmaps.palette([[1, 2, 3], [4, 5, 6]]), [0, 3, 0, 1, 0, 0, 0, 0, 5, 1, 0, 1])
    private static let icon = TestBitmaps.icon([(4, TestBitmaps.entry(4, [1, 2, 3, 4], hidden: [1])), (9, PlainPicture.png(.white, width: 9, height: 9))])

    /// AVIFs whose transparency is multiplied into the colors, or not turned like them.
    private static let heifs = (try? HEIFTransparencyTests.samples()) ?? []

    /// A palette of one color with transparency for none.
    private static let clearPalette: [UInt8] = {
        let picture = PlainPicture.png(.white, width: 9, height: 5), end = PNGChunk.afterHeader + 15
        return picture[..<end] + PNGChunk.whole("tRNS", []) + picture[end...]
    }()

    /// The beginnings of two JPEGs.
    private static let jpegs = [[0, 12, 0, 16], [0, 80, 0, 120]].map { size in
        [0xff, 0xd8, 0xff, 0xc0, 0, 11, 8] + size + [1, 1, 0x11, 0, 0xff, 0xd9] as [UInt8]
    }

    /// A progressive JPEG of six scans.
    private static let scans = JPEGDetailTests.file(JPEGDetailTests.scans)

    /// A JPEG with a gain map, and the numbers of one in both forms.
    private static let gainMaps: [[UInt8]] = {
        let packet = TestGainMaps.packet(
            TestGainMaps.plain, "<hdrgm:Gamma><rdf:Seq><rdf:li>1</rdf:li><rdf:li>2</rdf:li><rdf:li>3</rdf:li></rdf:Seq></hdrgm:Gamma>")
        let numbers = Array(packet.utf8).withUnsafeBytes { GainMapNumbers(xmp: $0) }
        return [TestGainMaps.file(jpegs[1], [TestGainMaps.said(packet, in: jpegs[0])]), Array(packet.utf8), numbers?.iso ?? []]
    }()

    /// Reads pixels into memory of that size, unless it is very large.
    private static func read(_ count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Bool) -> Bool? {
        guard count < 1 << 22 else { return nil }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        defer { room.deallocate() }
        return body(room)
    }

    private static func word(_ header: ImageHeader?) -> String { header.map { "\($0.width.signum()) \($0.height.signum()) \(min($0.frames, 2))" } ?? "none" }

    private static let targets: [FuzzTarget] =
        [
            FuzzTarget("guard", pictures) { bytes in
                do throws(PictureFailure) { return "\(try HeaderGuard().check(bytes))" } catch { return "\(error.reason)".filter { !$0.isNumber } }
            },
            FuzzTarget("exif", pictures + [Array("Exif\0\0II*\0\u{8}\0\0\0\u{1}\0".utf8)]) { bytes in
                bytes.withUnsafeBytes { bytes in
                    let reader = ByteReader(bytes: bytes)
                    let direct = EXIFBlock(reader, at: 0).map { EXIFSummary($0).json }
                    let places = [ImageFormat.jpeg, .png, .webp, .avif, .heif].map { EXIFLocator(bytes, $0).map { $0.summary(in: bytes).count } ?? -1 }
                    _ = EXIFBlock(reader, at: 0)?.orientation
                    let tags = TIFFTags(reader, page: 1)
                    return "\(direct?.count ?? -1) \(places) \(tags == nil)"
                }
            },
            FuzzTarget("heif and av1", pictures + heifs) { bytes in
                try bytes.withUnsafeBytes { bytes in
                    let reader = ByteReader(bytes: bytes)
                    let meta = HEIFMeta(reader)
                    if let changes = meta?.settled(), !changes.isEmpty, let made = VipsBytes(copying: bytes, changes) {
                        let again = made.withBytes { made in HEIFMeta(ByteReader(bytes: made)).map { ($0.pictures, $0.settled().isEmpty) } }
                        guard let again, again == (meta?.pictures ?? -1, true) else {
                            throw BrokenRule("a changed file has the same pictures, and nothing to change")
                        }
                    }
                    _ = meta?.picture(page: 0).map { (meta?.isPremultiplied($0), meta?.isTransformedAlone($0), meta?.isGray($0)) }
                    let colors = meta.flatMap { CodedColors($0, reader) }
                    let coded = AV1Sequence.colors(reader, in: 0..<bytes.count)
                    _ = AVIFCoding(reader)
                    _ = CodedColors.alone(reader)
                    return "\(meta?.pictures.signum() ?? -1) \(meta?.hasAlpha ?? false) \(colors == nil) \(coded == nil)"
                }
            },
            FuzzTarget("jpeg detail", pictures + [scans]) { bytes in
                try bytes.withUnsafeBytes { bytes in
                    guard let parts = JPEGDetail.parts(bytes, averaged: [0, 2]) else { return "none" }
                    guard parts.count > 1, parts[0].lowerBound == 0, parts.last?.upperBound == bytes.count, parts.allSatisfy({ !$0.isEmpty }),
                        zip(parts, parts.dropFirst()).allSatisfy({ $0.upperBound < $1.lowerBound })
                    else { throw BrokenRule("parts lie in the file, in order and apart") }
                    return "\(min(parts.count, 4))"
                }
            },
            FuzzTarget("png", pictures + [clearPalette]) { bytes in
                try bytes.withUnsafeBytes { bytes in
                    let reader = ByteReader(bytes: bytes)
                    let front = PNGFront(reader)
                    _ = (
                        front.hasDensity, front.colors, front.gamma.flatMap { WideProfile.of(gamma: $0, chromaticities: front.chromaticities, isGray: false) }
                    )
                    if let mended = MendedPNG.of(bytes) {
                        guard mended.count < bytes.count, mended.withBytes({ MendedPNG.of($0) }) == nil else {
                            throw BrokenRule("a mended file is shorter, and sound")
                        }
                    }
                    var (isSound, isRead) = (true, false)
                    do { try PNGChunkWalk.check(bytes) } catch { isSound = false }
                    if let pixels = PNGPixels(bytes), pixels.width * pixels.height < 1 << 20 {
                        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: pixels.width * pixels.height * pixels.channels, alignment: 16)
                        isRead = pixels.read(into: room) { _ in true }
                        room.deallocate()
                    }
                    return "\(isSound) \(isRead)"
                }
            },
            FuzzTarget("animated avif", [TestAVIFs.opaque, TestAVIFs.clear]) { bytes in
                guard let sequence = TestAVIFs.sequence(bytes) else { return "none" }
                let (frames, masks) = (sequence.frames.count, sequence.masks?.count)
                guard frames == sequence.count || sequence.count > PNGAnimation.mostFrames, masks ?? frames == frames else {
                    throw BrokenRule("each frame has a place, and its transparency too")
                }
                return "\(min(sequence.count, 3)) \(sequence.isCut) \(sequence.masks == nil) \(sequence.plays.signum()) \(sequence.profile == nil)"
            },
            FuzzTarget("animated png", pictures) { bytes in
                try bytes.withUnsafeBytes { bytes in
                    let reader = ByteReader(bytes: bytes)
                    guard let animation = PNGAnimation(reader) else { return "none" }
                    guard animation.count == animation.frames.count, PNGAnimation(reader, keepsFrames: false)?.count == animation.count else {
                        throw BrokenRule("frames that are counted are those that are kept")
                    }
                    for frame in animation.frames where !bytes.indices.contains(frame.data.lowerBound) || frame.data.upperBound > bytes.count {
                        throw BrokenRule("a frame lies in the file")
                    }
                    return "\(min(animation.count, 3)) \(animation.isCut) \(animation.beginsWithPicture) \(animation.showsThrough)"
                }
            },
            FuzzTarget("gif", pictures) { bytes in
                try bytes.withUnsafeBytes { bytes in
                    let reader = ByteReader(bytes: bytes)
                    guard let animation = GIFAnimation(reader) else { return "none" }
                    guard animation.count == animation.frames.count, GIFAnimation(reader, keepsFrames: false)?.count == animation.count else {
                        throw BrokenRule("frames that are counted are those that are kept")
                    }
                    var ends: [GIFPixels.End] = []
                    let (width, height) = (animation.width, animation.height)
                    for frame in animation.frames.prefix(2) where width < 512 && height < 512 {
                        var left = 64
                        _ = read(width * height * 4) { room in
                            let end = GIFPixels(reader, frame).draw(on: room, width: width, height: height, channels: 4) { _ in
                                left -= 1
                                return left > 0
                            }
                            ends.append(end)
                            return true
                        }
                    }
                    return "\(min(animation.count, 3)) \(animation.isCut) \(animation.hasAlpha) \(ends)"
                }
            },
            FuzzTarget("first frame", pictures) { bytes in
                try bytes.withUnsafeBytes { bytes in
                    let files = [ImageFormat.gif, .png, .webp].map { FirstFrame.file(of: bytes, $0) }
                    guard files.allSatisfy({ $0.map { $0.count <= bytes.count + 12 } ?? true }) else { throw BrokenRule("a frame is no longer than its file") }
                    return "\(files.map { $0 == nil })"
                }
            },
            FuzzTarget("bitmap", pictures) { bytes in
                bytes.withUnsafeBytes { bytes in
                    let reader = ByteReader(bytes: bytes)
                    guard let header = BMPHeader(reader), header.foreignKind == nil, header.width < 4096, header.height < 4096 else { return "none" }
                    let pixels = BMPPixels(reader, header)
                    return "\(header.bits) \(header.packing) \(pixels.channels) \(read(pixels.byteCount) { pixels.read(into: $0) == header.height } ?? false)"
                }
            },
            FuzzTarget("icon", pictures) { bytes in
                bytes.withUnsafeBytes { bytes in
                    guard let icon = IconHeader(ByteReader(bytes: bytes), .ico) else { return "none" }
                    let words = icon.entries.prefix(4).map { entry in
                        guard entry.format == .bmp, entry.width < 4096, entry.height < 4096,
                            let pixels = ICOPixels(ByteReader(bytes: UnsafeRawBufferPointer(rebasing: bytes[entry.place])))
                        else { return "\(entry.format)" }
                        return "\(read(pixels.byteCount) { pixels.read(into: $0) } ?? false)"
                    }
                    return "\(icon.primary.signum()) \(words)"
                }
            },
            FuzzTarget("icon of Apple", pictures) { bytes in
                try bytes.withUnsafeBytes { bytes in
                    let reader = ByteReader(bytes: bytes)
                    guard let icon = IconHeader(reader, .icns) else { return "none" }
                    let words = try icon.entries.prefix(4).map { entry in
                        guard entry.place.upperBound <= bytes.count else { throw BrokenRule("a picture lies in the file") }
                        let pixels = ICNSPixels(reader, entry)
                        return "\(entry.format) \(entry.format == .icns && read(pixels.byteCount) { pixels.read(into: $0) } ?? false)"
                    }
                    return "\(icon.primary.signum()) \(words)"
                }
            },
            FuzzTarget("bitmap of X", pictures) { bytes in
                bytes.withUnsafeBytes { bytes in
                    guard let text = XBMText(bytes), text.width < 4096, text.height < 4096 else { return "none" }
                    let pixels = XBMPixels(text)
                    return "\(text.bits) \(read(pixels.byteCount) { pixels.read(into: $0) } ?? false)"
                }
            },
            FuzzTarget("raw", pictures) { bytes in
                try bytes.withUnsafeBytes { bytes in
                    guard let raw = RAWFile(ByteReader(bytes: bytes)) else { return "none" }
                    if let place = raw.preview, !(0..<bytes.count).contains(place.lowerBound) || place.upperBound > bytes.count {
                        throw BrokenRule("the JPEG lies in the file")
                    }
                    guard (1...8).contains(raw.orientation) else { throw BrokenRule("there are eight orientations") }
                    return "\(raw.preview == nil) \(raw.header.progressive) \(raw.orientation)"
                }
            },
            FuzzTarget(
                "drawing",
                [
                    #"<!-- c --><!DOCTYPE svg [<!ENTITY a ">">]><svg width="1e1mm" height='2' viewBox="0 0 1 2">"#, "<?xml?><svg width='3q'/>",
                    "<svg><style>a{b:1mm}</style><text style='x:2pt \"3in\"'/></svg>",
                ]
            ) { bytes in
                var counts: [Int] = []
                for changes in [bytes.withUnsafeBytes { SVGSize.changes(of: $0) }, bytes.withUnsafeBytes { SVGUnits.changes(of: $0) }] {
                    guard bytes.withUnsafeBytes({ VipsBytes(copying: $0, changes) }) != nil else { return "no memory" }
                    counts.append(changes.count)
                }
                return "\(counts)"
            },
            FuzzTarget("gain map", pictures + gainMaps) { bytes in
                try bytes.withUnsafeBytes { bytes in
                    let reader = ByteReader(bytes: bytes)
                    let index = MPFIndex(reader)
                    for place in index?.others ?? [] where place.lowerBound <= 0 || place.upperBound > bytes.count {
                        throw BrokenRule("a picture lies in the file, behind the first")
                    }
                    let found = GainMapPlace(reader)
                    _ = MarkupText(bytes, length: bytes.count).plain
                    if let upright = XMPNumbers(bytes, namespace: GainMapNumbers.namespace)?.replacing("Version", with: 0x31), upright.count != bytes.count {
                        throw BrokenRule("another digit changes no length")
                    }
                    let read = [GainMapNumbers(xmp: bytes), GainMapNumbers(iso: reader), found?.numbers].compactMap { $0 }
                    for numbers in read where !HDRComposition.factor(0.5, numbers, 2).isFinite { throw BrokenRule("each gain is a number") }
                    return "\(index?.others.count ?? -1) \(found == nil) \(read.map(\.isUniform))"
                }
            },
            FuzzTarget("interlaced png and jpeg scans", pictures) { bytes in
                bytes.withUnsafeBytes { bytes in
                    var scans = JPEGScans()
                    scans.read(bytes)
                    _ = scans.readable(of: bytes.count)
                    return "\(InterlacedPNG.shown(bytes, width: 8) == nil)"
                }
            },
            FuzzTarget("color profile", pictures) { bytes in
                let curves = ICCProfile.shape(bytes)?.curves ?? []
                for curve in curves where ![0, 0.5, 1].allSatisfy({ (0...1).contains(curve.light(of: $0)) }) { throw BrokenRule("light lies between 0 and 1") }
                return "\(String(describing: ICCProfile(bytes)).count % 7) \(curves.map(\.isBent))"
            },
            FuzzTarget("data url", ["data:image/png;base64,iVBORw0KGgo=", "data:,a%20b", "data:text/plain;charset=utf-8,x"]) { bytes in
                "\((try? DataURL(String(decoding: bytes, as: UTF8.self))) == nil)"
            },
            FuzzTarget(
                "messages of a pixel process",
                [
                    #"{"picture":{"format":"png","width":1,"height":2,"frames":1},"rss":5,"timings":{"decode":1}}"#,
                    #"{"source":{"format":"jpeg","width":1,"height":2}}"#,
                ]
            ) { bytes in
                guard let json = try? JSON(parsing: bytes) else { return "none" }
                let (source, picture) = (PixelWire.source(json["source"] ?? json), PixelWire.picture([], json["picture"] ?? json))
                _ = (PixelWire.timings(json), PixelWire.limits(json), PixelWire.description(json["description"] ?? json))
                return "\(source == nil) \(picture == nil)"
            },
        ]
        + ImageFormat.allCases.map { format in
            FuzzTarget("header of \(format)", pictures) { bytes in word(bytes.withUnsafeBytes { ImageHeader.read($0, as: format) }) }
        }

    @Test(arguments: targets) func `a parser survives whatever it is given`(target: FuzzTarget) { target.run() }
}
