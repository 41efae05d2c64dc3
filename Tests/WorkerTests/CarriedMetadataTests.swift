import Foundation
@testable import ImageHeads
import TintypeCore
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine

/// The metadata of a file, byte by byte.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)))
struct CarriedMetadataTests {
    private static func made(_ source: [UInt8], _ output: String, _ transform: String = "") throws -> [UInt8] {
        try TestPictures.made(source, PictureTests.rendition(transform, output))
    }

    /// Returns the names of a WebP's chunks.
    private static func chunks(_ file: [UInt8]) -> [String] {
        var (names, at): ([String], Int) = ([], 12)
        while at + 8 <= file.count {
            names.append(String(decoding: file[at..<at + 4], as: UTF8.self))
            let length = file[at + 4..<at + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
            at += 8 + length + length % 2
        }
        #expect(at == file.count && file[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) } == file.count - 8, "its lengths are right")
        return names
    }

    @Test func `A WebP has no chunk that its picture does not need`() throws {
        let opaque = try OperationTests.quarters(40, 20)
        let clear = try TestPictures.encoded(TestPictures.quarters(40, 20, alpha: true), .png)
        let moving = try TestPictures.animation(40, 20, [PictureTests.red, PictureTests.blue], delays: [100, 100], loop: 0, .gif)
        let seethrough = #"{"op":"mask","shape":"circle"}"#
        #expect(try Self.chunks(Self.made(opaque, #"{"format":"webp"}"#)) == ["VP8 "])
        #expect(try Self.chunks(Self.made(opaque, #"{"format":"webp","lossless":true}"#)) == ["VP8L"])
        #expect(try Self.chunks(Self.made(clear, #"{"format":"webp","lossless":true}"#, seethrough)) == ["VP8L"])
        #expect(try Self.chunks(Self.made(clear, #"{"format":"webp"}"#, seethrough)) == ["VP8X", "ALPH", "VP8 "])
        let animation = try Self.made(moving, #"{"format":"webp"}"#)
        #expect(try Self.chunks(animation) == ["VP8X", "ANIM", "ANMF", "ANMF"] && TestPictures.decoded(animation, frames: 2).ints("delay") == [100, 100])
        for file in try [Self.made(opaque, #"{"format":"webp"}"#), Self.made(clear, #"{"format":"webp","lossless":true}"#, seethrough), animation] {
            #expect(try TestPictures.decoded(file).width == 40)
        }
    }

    @Test(arguments: ["jpeg", "webp"]) func `A kept profile brings no EXIF`(format: String) throws {
        let wide = try VipsOperation("icc_transform").set("in", TestPictures.quarters(64, 32)).set("output-profile", "p3").image()
        let source = try VipsOperation("pngsave_buffer").set("in", wide).bytes().copied()
        let made = try TestPictures.decoded(Self.made(source, #"{"format":"\#(format)","icc":"keep"}"#))
        #expect(made.has("icc-profile-data") && !made.has("exif-data") && made.width == 64)
    }

    /// Returns a JPEG with an EXIF block of exactly these texts, including the zeros behind them.
    private static func jpeg(_ texts: [(tag: Int, text: [UInt8])]) throws -> [UInt8] {
        func big(_ value: Int, _ length: Int) -> [UInt8] { (0..<length).map { UInt8(value >> (8 * (length - 1 - $0)) & 0xff) } }
        var (entries, values): ([UInt8], [UInt8]) = (big(texts.count, 2), [])
        for (tag, text) in texts {
            entries += big(tag, 2) + big(2, 2) + big(text.count, 4)
            if text.count <= 4 {
                entries += text + [UInt8](repeating: 0, count: 4 - text.count)
            } else {
                entries += big(8 + 2 + 12 * texts.count + 4 + values.count, 4)
                values += text
            }
        }
        let block = Array("Exif\0\0MM\0*".utf8) + big(8, 4) + entries + big(0, 4) + values
        let bare = try TestPictures.encoded(TestPictures.quarters(64, 32), .jpeg)
        return Array(bare[..<2]) + [0xff, 0xe1] + big(block.count + 2, 2) + block + bare[2...]
    }

    @Test(
        arguments: ["jpeg", "webp", "avif", "heif"], ["Jane Doe", "(c) Jane Doe, 2020 (all rights)", "© Zoë Müller", "A photographer\0An editor", "Me", "abc"])
    func `Copyright keeps the bytes it was written in`(format: String, text: String) throws {
        try VipsRuntime.start()
        let bytes = Array(text.utf8) + [0]
        let source = try Self.jpeg([(0x010f, Array("Bowler Hats\0".utf8)), (0x013b, bytes), (0x8298, bytes)])
        let made = try Self.made(source, #"{"format":"\#(format)","metadata":"copyright"}"#)
        let block = try #require(TestPictures.decoded(made).bytes("exif-data"))
        let (artist, owner, maker) = block.withUnsafeBytes { raw in
            let block = EXIFBlock(ByteReader(bytes: raw), at: 0)
            return (block?.bytes(0x013b, most: 1000), block?.bytes(0x8298, most: 1000), block?.bytes(0x010f, most: 1000))
        }
        #expect(artist == bytes && owner == bytes && maker == nil, "\(String(decoding: owner ?? [], as: UTF8.self))")
    }

    @Test(arguments: ["jpeg", "webp"], ["Me", "(c) Jane Doe, 2020", "© Zoë"]) func `The planar path keeps the author and the owner`(
        format: String, text: String
    ) throws {
        try VipsRuntime.start()
        let bytes = Array(text.utf8) + [0]
        let rendition = try PictureTests.rendition(#"{"op":"resize","width":31}"#, #"{"format":"\#(format)","metadata":"copyright"}"#)
        for texts in [[(0x010f, Array("Bowler Hats\0".utf8)), (0x013b, bytes), (0x8298, bytes)], [(0x8298, bytes)], []] {
            let graphs = PlanarGraphs()
            let made = try TestPictures.made(Self.jpeg(texts), rendition, graphs: graphs)
            #expect(graphs.built > 0)
            let chunks = format == "webp" ? Self.chunks(made) : []
            #expect(chunks == (format == "webp" ? texts.isEmpty ? ["VP8 "] : ["VP8X", "VP8 ", "EXIF"] : []))
            let image = try TestPictures.decoded(made)
            #expect(image.width == 31 && image.height == 16)
            let kept = image.bytes("exif-data").map { raw in
                raw.withUnsafeBytes { raw in [0x010f, 0x013b, 0x8298].map { EXIFBlock(ByteReader(bytes: raw), at: 0)?.bytes($0, most: 1000) } }
            }
            #expect(kept == (texts.isEmpty ? nil : [nil, texts.count == 3 ? bytes : nil, bytes]))
        }
    }

    @Test func `A PNG names both the author and the editor of a picture`() throws {
        try VipsRuntime.start()
        let source = try Self.jpeg([(0x8298, Array("(c) A, B (C)\0D\0".utf8))])
        let image = try TestPictures.decoded(Self.made(source, #"{"format":"png","metadata":"copyright"}"#))
        #expect(image.fields.filter { $0.hasPrefix("png-comment-") }.map { image.text($0) } == ["(c) A, B (C); D"])
    }

    @Test func `A space for an unnamed photographer is no name`() throws {
        try VipsRuntime.start()
        let source = try Self.jpeg([(0x8298, Array(" \0An editor\0".utf8))])
        let image = try TestPictures.decoded(Self.made(source, #"{"format":"png","metadata":"copyright"}"#))
        #expect(image.fields.filter { $0.hasPrefix("png-comment-") }.map { image.text($0) } == ["An editor"])
    }

    @Test func `A copyright that is too long is cut`() throws {
        try VipsRuntime.start()
        let source = try Self.jpeg([(0x8298, [UInt8](repeating: 0x61, count: 20_000) + [0])])
        let block = try #require(TestPictures.decoded(Self.made(source, #"{"format":"jpeg","metadata":"copyright"}"#)).bytes("exif-data"))
        #expect(block.withUnsafeBytes { EXIFBlock(ByteReader(bytes: $0), at: 0)?.bytes(0x8298, most: 30_000)?.count } == 16 << 10 + 1)
    }

    /// A TIFF states its orientation in a tag of its own, and has no EXIF.
    @Test(arguments: ["jpeg", "webp"], [true, false]) func `A turned TIFF keeps its orientation`(format: String, hasMore: Bool) throws {
        let lying = try TestPictures.quarters(64, 32).withHeader { header in
            header.set("orientation", 6)
            if hasMore { header.set("xmp-data", Array("<x:xmpmeta/>".utf8)) }
        }
        let source = try VipsOperation("tiffsave_buffer").set("in", lying).bytes().copied()
        try #require(TestPictures.decoded(source).orientation == 6)
        let made = try Self.made(source, #"{"format":"\#(format)","metadata":"all"}"#, #"{"op":"autorotate","enabled":false}"#)
        #expect(try TestPictures.decoded(made).orientation == 6)
    }

    /// Returns a gray TIFF of 8 × 8 pixels with an artist and an owner, which lies on its side.
    private static func tiff(artist: String, owner: String) -> [UInt8] {
        func little(_ value: Int, _ length: Int) -> [UInt8] { (0..<length).map { UInt8(value >> (8 * $0) & 0xff) } }
        let texts = [artist, owner].map { Array($0.utf8) + [0] }
        let tags: [(Int, Int, Int, Int)] = [
            (256, 3, 1, 8), (257, 3, 1, 8), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8), (274, 3, 1, 6), (277, 3, 1, 1), (278, 3, 1, 8),
            (279, 4, 1, 64),
            (315, 2, texts[0].count, 72), (33432, 2, texts[1].count, 72 + texts[0].count),
        ]
        let directory = little(tags.count, 2) + tags.flatMap { little($0.0, 2) + little($0.1, 2) + little($0.2, 4) + little($0.3, 4) } + little(0, 4)
        let values = [UInt8](repeating: 90, count: 64) + texts[0] + texts[1]
        return Array("II*\0".utf8) + little(8 + values.count, 4) + values + directory
    }

    @Test(arguments: ["copyright", "all"]) func `The author and the owner of a TIFF are kept`(metadata: String) throws {
        try VipsRuntime.start()
        let (artist, owner) = ("Zoë Müller", "(c) 2020, all rights")
        let source = Self.tiff(artist: artist, owner: owner)
        for format in ["jpeg", "webp", "avif"] {
            let made = try Self.made(source, #"{"format":"\#(format)","metadata":"\#(metadata)"}"#)
            let block = try #require(TestPictures.decoded(made).bytes("exif-data"))
            let seen = block.withUnsafeBytes { raw in
                EXIFBlock(ByteReader(bytes: raw), at: 0).map { block in [0x013b, 0x8298].map { block.bytes($0, most: 1000) } }
            }
            #expect(seen == [Array(artist.utf8) + [0], Array(owner.utf8) + [0]], "\(format)")
            let lying = try Self.made(source, #"{"format":"\#(format)","metadata":"all"}"#, #"{"op":"autorotate","enabled":false}"#)
            #expect(try format == "avif" || TestPictures.decoded(lying).orientation == 6, "\(format)")
        }
        let image = try TestPictures.decoded(Self.made(source, #"{"format":"png","metadata":"copyright"}"#))
        #expect(Set(image.fields.filter { $0.hasPrefix("png-comment-") }.compactMap { image.text($0) }) == [artist, owner])
        #expect(try !TestPictures.decoded(Self.made(source, #"{"format":"jpeg"}"#)).has("exif-data"))
    }

    /// Returns a gray TIFF of 8 × 8 pixels with the tags of a camera: three directories, in either byte order.
    /// - Parameter hasSecond: whether there is a second page, by another maker and artist, and without place and owner.
    private static func photo(isLittle: Bool, notes: Int = 9, hasSecond: Bool = false) -> [UInt8] {
        func number(_ value: Int, _ length: Int) -> [UInt8] { (0..<length).map { UInt8(value >> (8 * (isLittle ? $0 : length - 1 - $0)) & 0xff) } }
        var file = Array((isLittle ? "II" : "MM").utf8) + number(42, 2) + number(0, 4) + [UInt8](repeating: 90, count: 64)
        /// - Returns: the offset of the directory.
        func add(_ tags: [(number: Int, type: Int, count: Int, value: [UInt8])], next: Int = 0) -> Int {
            var entries: [UInt8] = []
            for tag in tags {
                entries += number(tag.number, 2) + number(tag.type, 2) + number(tag.count, 4)
                entries += tag.value.count <= 4 ? tag.value + [UInt8](repeating: 0, count: 4 - tag.value.count) : number(file.count, 4)
                if tag.value.count > 4 { file += tag.value + (tag.value.count % 2 == 0 ? [] : [0]) }
            }
            defer { file += number(tags.count, 2) + entries + number(next, 4) }
            return file.count
        }
        func text(_ tag: Int, _ text: String) -> (number: Int, type: Int, count: Int, value: [UInt8]) { (tag, 2, text.utf8.count + 1, Array(text.utf8) + [0]) }
        func short(_ tag: Int, _ value: Int) -> (number: Int, type: Int, count: Int, value: [UInt8]) { (tag, 3, 1, number(value, 2)) }
        func long(_ tag: Int, _ value: Int) -> (number: Int, type: Int, count: Int, value: [UInt8]) { (tag, 4, 1, number(value, 4)) }
        let camera = add([
            (0x829a, 5, 1, number(1, 4) + number(125, 4)), short(0x8827, 400), text(0x9003, "2024:05:06 07:08:09"),
            (0x927c, 7, notes, [UInt8](repeating: 7, count: notes)),
            text(0xa434, "A lens"),
        ])
        let place = add([text(1, "N"), (2, 5, 3, [48, 1, 12, 1, 30, 1].flatMap { number($0, 4) })])
        let gray = [short(256, 8), short(257, 8), short(258, 8), short(259, 1), short(262, 1)]
        let strip = [long(273, 8), short(277, 1), short(278, 8), long(279, 64)]
        let second =
            hasSecond ? add(gray + [text(0x010f, "Homburg")] + strip + [text(0x013b, "A scanner"), long(0x8769, add([text(0xa434, "Another lens")]))]) : 0
        let first = add(
            gray + [text(0x010e, "A hat"), text(0x010f, "Bowler"), text(0x0110, "X1")] + strip
                + [text(0x0132, "2024:05:06 07:08:09"), text(0x8298, "(c) Me"), long(0x8769, camera), long(0x8825, place)], next: second)
        file.replaceSubrange(4..<8, with: number(first, 4))
        return file
    }

    @Test(arguments: [true, false], ["jpeg", "webp", "png"]) func `The camera data of a TIFF are kept too`(isLittle: Bool, format: String) throws {
        try VipsRuntime.start()
        let source = Self.photo(isLittle: isLittle)
        let made = try TestPictures.decoded(Self.made(source, #"{"format":"\#(format)","metadata":"all"}"#))
        let block = try #require(made.bytes("exif-data"))
        let summary = block.withUnsafeBytes { EXIFBlock(ByteReader(bytes: $0), at: 0).map { EXIFSummary($0).json } }
        #expect(summary?["make"] == "Bowler" && summary?["model"] == "X1" && summary?["lens"] == "A lens" && summary?["iso"] == 400, "\(summary ?? [:])")
        #expect(summary?["takenAt"] == "2024-05-06T07:08:09" && summary?["exposureTime"]?.double == 0.008)
        #expect(made.text("exif-ifd3-GPSLatitude")?.hasPrefix("48/1 12/1 30/1") == true && made.text("exif-ifd0-ImageDescription")?.hasPrefix("A hat") == true)
        #expect(made.text("exif-ifd0-Copyright")?.hasPrefix("(c) Me") == true && !made.has("exif-ifd2-MakerNote"))
        // Only if everything is asked for.
        let rights = try TestPictures.decoded(Self.made(source, #"{"format":"jpeg","metadata":"copyright"}"#))
        #expect(rights.has("exif-ifd0-Copyright") && !rights.has("exif-ifd0-Make") && !rights.has("exif-ifd3-GPSLatitude"))
        #expect(try !TestPictures.decoded(Self.made(source, #"{"format":"jpeg"}"#)).has("exif-data"))
    }

    @Test(arguments: [true, false]) func `Another page of a TIFF has its own camera and place, or none, and the owner of the first`(isLittle: Bool)
        throws
    {
        try VipsRuntime.start()
        let source = Self.photo(isLittle: isLittle, hasSecond: true)
        func seen(_ page: Int, _ metadata: String) throws -> (summary: JSONObject, isPlaced: Bool, isOwned: Bool, isSigned: Bool) {
            let text = #"{"decode":{"page":\#(page)},"output":{"format":"jpeg","metadata":"\#(metadata)"}}"#
            let made = try TestPictures.decoded(TestPictures.made(source, Rendition(canonical: JSON(parsing: text))))
            let block = try #require(made.bytes("exif-data"))
            let summary = block.withUnsafeBytes { EXIFBlock(ByteReader(bytes: $0), at: 0).map { EXIFSummary($0).json } }
            return (
                summary ?? [:], made.has("exif-ifd3-GPSLatitude"), made.text("exif-ifd0-Copyright")?.hasPrefix("(c) Me") == true,
                made.text("exif-ifd0-Artist")?.hasPrefix("A scanner") == true
            )
        }
        let (first, second) = try (seen(0, "all"), seen(1, "all"))
        #expect(first.summary["make"] == "Bowler" && first.summary["lens"] == "A lens" && first.isPlaced && first.isOwned && !first.isSigned)
        #expect(second.summary["make"] == "Homburg" && second.summary["lens"] == "Another lens" && second.summary["model"] == nil, "\(second.summary)")
        #expect(!second.isPlaced && second.isOwned && second.isSigned && second.summary["takenAt"] == nil)
        let told = try source.withUnsafeBytes { raw in
            let run = try PictureRun(raw, format: .tiff, limits: ImageLimits(), clock: PictureClock(deadline: .now + .seconds(60)))
            return try ["", #""decode":{"page":1},"#].map { try run.describe(Rendition(canonical: JSON(parsing: #"{\#($0)"describe":["exif"]}"#)))["exif"] }
        }
        #expect(told.map { $0?["make"] } == ["Bowler", "Homburg"] && told.map { $0?["lens"] } == ["A lens", "Another lens"])
        let rights = try seen(1, "copyright")
        #expect(rights.isOwned && rights.isSigned && rights.summary["make"] == nil)
    }

    /// Returns the fault of a block by TIFF's rules, found without the reader that made it. Each directory and each value must lie in the block, and tags must
    /// ascend.
    private static func problem(_ block: [UInt8]) -> String? {
        guard block.starts(with: Array("Exif\0\0".utf8)) else { return "no EXIF" }
        let body = Array(block.dropFirst(6))
        func word(_ at: Int, _ length: Int) -> Int? {
            guard at >= 0, at + length <= body.count else { return nil }
            let bytes = body[at..<at + length]
            return (body[0] == 0x49 ? bytes.reversed() : Array(bytes)).reduce(0) { $0 << 8 | Int($1) }
        }
        let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]
        var directories = [word(4, 4) ?? 0]
        var read = 0
        while let at = directories.popLast() {
            guard at >= 8, let count = word(at, 2), count > 0 else { return "a directory at \(at)" }
            var last = -1
            for entry in (0..<count).map({ at + 2 + 12 * $0 }) {
                guard let tag = word(entry, 2), let type = word(entry + 2, 2), let values = word(entry + 4, 4), let value = word(entry + 8, 4) else {
                    return "an entry outside"
                }
                guard tag > last else { return "\(tag) behind \(last)" }
                guard type == 129 || (1..<sizes.count).contains(type), values > 0 else { return "\(values) of type \(type)" }
                let length = values * (type == 129 ? 1 : sizes[type])
                if length > 4, value < 8 || value + length > body.count { return "\(tag) lies at \(value), \(length) bytes" }
                if [0x8769, 0x8825].contains(tag), read == 0 { directories.append(value) }
                last = tag
            }
            guard word(at + 2 + 12 * count, 4) == 0 else { return "a page behind it" }
            read += 1
        }
        return nil
    }

    /// A generator with the same numbers each time.
    private struct Dice: RandomNumberGenerator {
        private var state: UInt64 = 20260

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    @Test func `The tags of any TIFF become a block that a JPEG has room for`() throws {
        try VipsRuntime.start()
        var random = Dice()
        let plain = try VipsRuntime.solid(width: 8, height: 8, [90])
        var options = VipsOperationOptions()
        options.keepsMetadata = true
        var (blocks, saved) = (0, 0)
        for isLittle in [true, false] {
            let whole = Self.photo(isLittle: isLittle, notes: 60_000, hasSecond: true)
            for _ in 0..<3000 {
                var bytes = whole
                for _ in 0..<Int.random(in: 0...6, using: &random) {
                    // Among the directories, which lie at both ends.
                    let at = Bool.random(using: &random) ? bytes.count - 1 - Int.random(in: 0..<700, using: &random) : Int.random(in: 0..<200, using: &random)
                    bytes[at] = [0, 1, 4, 255, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
                }
                if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
                let block = bytes.withUnsafeBytes { TIFFTags(ByteReader(bytes: $0), page: Int.random(in: 0...1, using: &random))?.block }
                guard let block else { continue }
                blocks += 1
                let problem = Self.problem(block)
                #expect(block.count < 60_000 && problem == nil, "\(problem ?? "")")
                guard blocks % 20 == 0 else { continue }
                let file = try options.jpeg(plain.withHeader { $0.set("exif-data", block) })
                let again = try TestPictures.decoded(file)
                #expect(again.width == 8 && again.has("exif-data"))
                saved += 1
            }
        }
        #expect(saved >= 100, "\(blocks)")
    }

    @Test func `EXIF without a copyright, or with nonsense, leaves nothing behind`() throws {
        try VipsRuntime.start()
        for texts in [[(0x010f, Array("Bowler Hats\0".utf8))], [(0x8298, Array("   \0".utf8))], [(0x8298, [])]] {
            let made = try TestPictures.decoded(Self.made(Self.jpeg(texts), #"{"format":"jpeg","metadata":"copyright"}"#))
            #expect(!made.has("exif-ifd0-Make") && !made.has("exif-ifd0-Copyright"))
        }
    }

    /// The orientation in XMP, before and after a turn by the header. Names of other namespaces, other properties and other values stay.
    @Test(
        arguments: [
            (#"tiff:Orientation="6" tiff:Make="6""#, #"tiff:Orientation="1" tiff:Make="6""#), ("tiff:Orientation = ' 8 '", "tiff:Orientation = ' 1 '"),
            ("><tiff:Orientation> 3\n</tiff:Orientation", "><tiff:Orientation> 1\n</tiff:Orientation"),
            (#"><tiff:Orientation a:b=">" >3</tiff:Orientation"#, #"><tiff:Orientation a:b=">" >1</tiff:Orientation"#),
            (#"><tiff:Orientation a:b="3"/><a:b>3</a:b"#, #"><tiff:Orientation a:b="3"/><a:b>3</a:b"#),
            (#"tiff:Orientation="6" second:Orientation="8""#, #"tiff:Orientation="1" second:Orientation="1""#),
            (#"tiff:Orientation="6" a:Orientation="6" xtiff:Orientation="6""#, #"tiff:Orientation="1" a:Orientation="6" xtiff:Orientation="6""#),
            (#"tiff:Orientation="66" tiff:Orientation="x" tiff:Orientation="5""#, #"tiff:Orientation="66" tiff:Orientation="x" tiff:Orientation="1""#),
            (#"tiff:Orientation="6"#, #"tiff:Orientation="6"#), (#"tiff:Orientations="6""#, #"tiff:Orientations="6""#),
        ], ["jpeg", "webp", "avif", "png"]) func `XMP of an upright result says so`(words: (before: String, after: String), format: String) throws
    {
        func packet(_ words: String, _ prefix: String) -> String {
            let names = ["second", prefix].map { #"xmlns:\#($0)="http://ns.adobe.com/tiff/1.0/" "# }.joined()
            let start = "<?xpacket begin=\"\u{feff}\"?><x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:Description xmlns:a=\"a:\" "
            return start + names + words.replacing(" tiff:", with: " \(prefix):").replacing("<tiff:", with: "<\(prefix):") + "></rdf:Description></x:xmpmeta>"
        }
        func little(_ text: String) -> [UInt8] { text.utf16.flatMap { BigEndian.bytes(Int($0.byteSwapped), 2) } }
        func big(_ text: String) -> [UInt8] { text.utf16.flatMap { BigEndian.bytes(Int($0), 2) } }
        for (prefix, isUpright, encoded) in [
            ("tiff", true, { Array($0.utf8) }), ("t2", true, { little("\u{feff}" + $0) }), ("tiff", false, big),
        ] as [(String, Bool, (String) -> [UInt8])] {
            let tagged = try TestPictures.quarters(64, 32).withHeader { header in
                header.set("orientation", 6)
                header.set("xmp-data", encoded(packet(" " + words.before, prefix)))
            }
            var options = VipsOperationOptions()
            options.keepsMetadata = true
            let file = try Self.made(
                options.jpeg(tagged), #"{"format":"\#(format)","metadata":"all"}"#, isUpright ? "" : #"{"op":"autorotate","enabled":false}"#)
            let made = try TestPictures.decoded(file), wanted = Array(packet(" " + (isUpright ? words.after : words.before), prefix).utf8)
            // libvips 8.14 does not read a packet with its wrapper from an AVIF.
            let isThere = try format == "avif" ? file.firstRange(of: wanted) != nil : #require(made.bytes("xmp-data")).starts(with: wanted)
            #expect(isThere, "\(format), \(prefix)")
            #expect(made.width == (isUpright ? 32 : 64))
        }
    }

    /// Profiles of scanners and cameras often have tables for the perceptual intent alone. So does the profile of XYB JPEGs.
    @Test(.needsCorpus) func `A profile with only the perceptual intent is used`() throws {
        let bytes = try TestPictures.bytes("formats/vips-sample-xyb.jpg")
        let seen = try TestPictures.decoded(Self.made(bytes, #"{"format":"png"}"#))
        let same = try TestPictures.decoded(Self.made(TestPictures.bytes("formats/vips-sample.jpg"), #"{"format":"png"}"#))
        func means(_ image: VipsImage) throws -> [Double] {
            let (samples, bands) = (try image.samples(), image.bands)
            return (0..<3).map { band in
                Double(stride(from: band, to: samples.count, by: bands).reduce(0) { $0 + Int(samples[$1]) }) / Double(samples.count / bands)
            }
        }
        let (mean, wanted) = try (means(seen), means(same))
        #expect(zip(mean, wanted).allSatisfy { abs($0 - $1) < 6 }, "\(mean) is not \(wanted)")
    }
}
