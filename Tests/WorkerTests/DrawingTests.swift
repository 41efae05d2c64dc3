import Foundation
@testable import ImageHeads
import TestSupport
import Testing
import TintypeCore
import TintypeImages
import TintypeTransport

@testable import Engine
@testable import Worker

/// SVG and PDF are opened if the operator names them, and include nothing from elsewhere.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)), .serialized, .scoped) struct DrawingTests {
    /// Black on the left, white on the right.
    static func svg(_ width: String = "40", _ height: String = "20", _ more: String = "", before: String = "") -> [UInt8] {
        Array(
            """
            \(before)<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="\(width)" height="\(height)" viewBox="0 0 40 20">
            <rect width="40" height="20" fill="#fff"/><rect width="20" height="20"/>\(more)</svg>
            """.utf8)
    }

    /// Two pages: the first is orange, the second blue.
    static let pdf: [UInt8] = {
        let colors = ["1 .5 0", "0 0 1"]
        var text = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R 5 0 R]/Count 2>>endobj\n"
        for (page, color) in colors.enumerated() {
            let content = "\(color) rg 0 0 72 36 re f"
            text += "\(3 + 2 * page) 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 36]/Contents \(4 + 2 * page) 0 R>>endobj\n"
            text += "\(4 + 2 * page) 0 obj<</Length \(content.utf8.count)>>stream\n\(content)\nendstream endobj\n"
        }
        return Array((text + "trailer<</Size 7/Root 1 0 R>>\n%%EOF\n").utf8)
    }()

    private static func guarding(_ limits: ImageLimits = ImageLimits()) -> HeaderGuard {
        var guarding = HeaderGuard(limits: limits)
        guarding.enabled = Set(ImageFormat.openable)
        return guarding
    }

    /// Renders in this process, which has files and a network.
    private static func made(_ source: [UInt8], _ transform: String = "", limits: ImageLimits = ImageLimits()) throws -> VipsImage {
        try VipsRuntime.start()
        VipsRuntime.unblock([ImageFormat.svg, .pdf].compactMap(\.codec.blocked))
        let rendition = try PictureTests.rendition(transform, #"{"format":"png"}"#)
        let bytes = try source.withUnsafeBytes { raw in
            let format = try guarding(limits).check(raw)
            let run = try PictureRun(raw, format: format, limits: limits, clock: PictureClock(deadline: .now + .seconds(20)))
            return try run.render(rendition).bytes.copied()
        }
        return try TestPictures.decoded(bytes)
    }

    @Test(arguments: [(svg(), "svg cannot be opened"), (pdf, "pdf cannot be opened"), ([0x1f, 0x8b, 8, 0], "with Content-Encoding: gzip")])
    func `Drawings are refused by their names by default`(source: [UInt8], words: String) {
        let error = #expect(throws: PictureFailure.self) { try HeaderGuard().check(source) }
        #expect(error?.reason == .unsupportedFormat && error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test func `A drawing is rendered at the wanted size, and stays sharp when enlarged`() throws {
        let own = try Self.made(Self.svg())
        #expect((own.width, own.height) == (40, 20))
        for (transform, width, height) in [
            (#"{"op":"resize","width":640,"enlarge":true}"#, 640, 320), (#"{"op":"resize","width":10}"#, 10, 5),
            (#"{"op":"resize","width":333,"height":100,"fit":"cover","enlarge":true}"#, 333, 100),
        ] {
            let image = try Self.made(Self.svg(), transform)
            #expect((image.width, image.height) == (width, height), "\(transform)")
            let (middle, aside) = (width / 2, min(4, width / 3))
            #expect(
                try near(Array(image.pixel(middle - aside, 1).prefix(3)), [0, 0, 0], within: 8)
                    && near(Array(image.pixel(middle + aside, 1).prefix(3)), [255, 255, 255], within: 8))
        }
        let page = try Self.made(Self.pdf, #"{"op":"resize","width":500,"enlarge":true}"#)
        #expect((page.width, page.height) == (500, 250))
        #expect(try near(Array(page.pixel(499, 249).prefix(3)), [255, 128, 0]), "the first page")
        #expect(throws: PictureFailure.self) {
            try Self.pdf.withUnsafeBytes { raw in
                let run = try PictureRun(raw, format: .pdf, limits: ImageLimits(), clock: PictureClock(deadline: .now + .seconds(20)))
                #expect(run.facts.frames == 1)
                return try run.render(Rendition(canonical: ["decode": ["page": 1]])).bytes.copied()
            }
        }
    }

    /// The first element of a drawing, and its size in Chromium 156. With a `viewBox` alone the size is that of the box, as in librsvg. Browsers fit such a
    /// box into 300 × 150 or into the page.
    static let sizes: [(attributes: String, width: Int, height: Int)] = [
        (#"width="38" height="76""#, 38, 76), (#"width="10mm" height="20mm""#, 38, 76), (#"width="1in" height="2in""#, 96, 192),
        (#"width='1IN' height="5.08CM""#, 96, 192), (#"width="30pt" height="15pt""#, 40, 20), (#"width="2em" height="1em""#, 32, 16),
        (#"width="2pc" height="40q""#, 32, 38), (#"width="1e2" height="+5.5px""#, 100, 6), (#"width = "1e2pt" height="1ex""#, 133, 8),
        (#"width="30" viewBox="0 0 10 20""#, 30, 60), (#"height="30px" viewBox="0,0,10,20""#, 15, 30), (#"width="15mm" viewBox="0 0 10 20""#, 57, 113),
        (#"viewBox="0 0 10 20""#, 10, 20), (#"viewBox="0 0 100 100""#, 100, 100), (#"viewBox="0 0 10 20" preserveAspectRatio="none""#, 10, 20),
        (#"width="50%" height="auto" viewBox="0 0 400 200""#, 400, 200), (#"width="100%" height="100%" viewBox="0 0 400 200""#, 400, 200),
        ("", 300, 150), (#"width="100%" height="100%""#, 300, 150), (#"width="auto" height="auto""#, 300, 150), (#"width="100""#, 100, 150),
        (#"height="100""#, 300, 100), (#"width="100" height="50%""#, 100, 150), (#"width="1in""#, 96, 150), (#"width="abc" height="10""#, 300, 10),
        (#"id='>' data-a="/> width='7'" "#, 300, 150),
    ]

    @Test(arguments: sizes) func `A drawing has the size that it has in a browser`(attributes: String, width: Int, height: Int) throws {
        let text = #"<svg xmlns="http://www.w3.org/2000/svg" \#(attributes)><rect width="100%" height="100%" fill="red"/></svg>"#
        let declared = Array("<!DOCTYPE svg [<!ENTITY a '<svg width=\"9mm\">'> ]>\(text)".utf8)
        for source in [Array(text.utf8), declared] + [false, true].map({ Self.utf16(text, isBig: $0) }) {
            let image = try Self.made(source)
            #expect((image.width, image.height) == (width, height), "\(attributes)")
            #expect(try near(Array(image.pixel(width / 2, height / 2).prefix(3)), [255, 0, 0]))
            guard width > 20, attributes.contains("viewBox") == false else { continue }
            let larger = try Self.made(source, #"{"op":"resize","width":\#(2 * width),"enlarge":true}"#)
            #expect(larger.width == 2 * width && abs(larger.height - 2 * height) <= 1, "\(attributes)")
        }
    }

    private static func utf16(_ text: String, isBig: Bool) -> [UInt8] {
        "\u{feff}\(text)".utf16.flatMap { unit in isBig ? [UInt8(unit >> 8), UInt8(unit & 255)] : [UInt8(unit & 255), UInt8(unit >> 8)] }
    }

    @Test func `A drawing without a size shows its content where it is drawn`() throws {
        let text = #"<svg:svg xmlns:svg="http://www.w3.org/2000/svg"><svg:rect x="79" y="15" width="170" height="25" fill="red"/></svg:svg>"#
        for (transform, scale) in [("", 1), (#"{"op":"resize","width":600,"enlarge":true}"#, 2)] {
            let image = try Self.made(Array(text.utf8), transform)
            #expect((image.width, image.height) == (300 * scale, 150 * scale))
            for (x, y) in [(80, 16), (248, 39), (160, 27)] {
                #expect(try near(image.pixel(scale * x, scale * y), [255, 0, 0, 255], within: 8))
            }
            for (x, y) in [(77, 27), (251, 27), (160, 13), (160, 42)] { #expect(try image.pixel(scale * x, scale * y).last == 0, "\(x), \(y)") }
        }
    }

    /// A drawing of 300 × 150, and the width of its red area in Chromium 156.
    @Test(arguments: [
        (#"<rect width="20mm" height="9" fill="red"/>"#, 75), (#"<rect width="1in" height=".25IN" fill="red"/>"#, 96),
        (#"<rect style="width:30pt;height:1e1px;fill:red"/>"#, 40),
        (#"<style>/* 9mm */ .a1mm,#b-2mm{width:30pt;height:9px;fill:red}</style><rect class="a1mm"/>"#, 40),
        (#"<style><![CDATA[rect{width:2pc;height:9px;fill:red}]]></style><rect/>"#, 32),
        (#"<g font-size="12pt"><rect width="2em" height="9" fill="red"/></g>"#, 32), (#"<rect width="2em" height="9" fill="red"/>"#, 32),
        (#"<line y1="4" y2="4" x2="40q" stroke="red" stroke-width="2mm"/>"#, 37), (#"<rect id="9mm" width="20" height="9" fill="red"/>"#, 20),
        (#"<!-- <rect width="1in"> --><rect x="-10mm" width="20mm" height="9" fill="red"/>"#, 37),
    ]) func `Physical units inside a drawing have 96 pixels to an inch`(content: String, width: Int) throws {
        for source in [false, true].map({ Self.utf16(#"<svg xmlns="http://www.w3.org/2000/svg">\#(content)</svg>"#, isBig: $0) }) {
            let image = try Self.made(source)
            let reds = try (0..<300).filter { try near(image.pixel($0, 4), [255, 0, 0, 255], within: 8) }
            #expect(abs(reds.count - width) <= 1, "\(reds.count)")
        }
    }

    @Test func `A size that only a parser of XML knows is left to it`() throws {
        for attributes in [#"width="&w;" height="20""#, #"style="width: 40px; height: 20px""#] {
            let text = #"<!DOCTYPE svg [<!ENTITY w "40">]><svg xmlns="http://www.w3.org/2000/svg" \#(attributes)><rect width="9" height="9"/></svg>"#
            let image = try Self.made(Array(text.utf8))
            #expect((image.width, image.height) == (40, 20), "\(attributes)")
        }
        for text in ["<svg", "<svg width", "<svg width=", "<svg width='1in", "<svg width='1in'", "<svg a b='1in'>", "<svg ='1'>", "<html width='1in'>", "svg"] {
            #expect(Array(text.utf8).withUnsafeBytes { SVGSize.changes(of: $0).isEmpty }, "\(text)")
        }
    }

    /// The numbers are those of PDFium. On white, Screen would be white, and Difference cyan.
    @Test(arguments: ["Normal", "Multiply", "Screen", "Difference"]) func `A page of a PDF is blended before it lies on paper`(mode: String) throws {
        let content = "/M gs 1 0 0 rg 0 0 36 36 re f"
        let text = """
            %PDF-1.4
            1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
            2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
            3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 36]/Contents 4 0 R/Resources<</ExtGState<</M<</BM/\(mode)>>>>>>>>endobj
            4 0 obj<</Length \(content.utf8.count)>>stream
            \(content)
            endstream endobj
            trailer<</Size 5/Root 1 0 R>>
            %%EOF

            """
        for (transform, scale) in [("", 1), (#"{"op":"resize","width":144,"enlarge":true}"#, 2)] {
            let page = try Self.made(Array(text.utf8), transform)
            #expect(try page.pixel(10 * scale, 10 * scale) == [255, 0, 0], "\(mode), \(scale)")
            #expect(try page.pixel(60 * scale, 10 * scale) == [255, 255, 255], "\(mode), \(scale)")
        }
    }

    @Test(
        arguments: [
            (40, 20, nil), (1000, 1000, nil), (2000, 1000, 0.7), (1001, 500, 0.998), (100_000_000, 1, 0.00000999), (5_000_000, 5_000_000, 0.0002),
        ] as [(Int, Int, Double?)]) func `A scale brings excessive sizes within the limits`(width: Int, height: Int, about: Double?)
    {
        let limits = ImageLimits(bytes: 1 << 20, pixels: 1_000_000, side: 1000, frames: 1)
        let scale = PictureLoader.scale(of: PictureSize(width, height), within: limits)
        #expect((scale == nil) == (about == nil))
        guard let scale else { return }
        let (wide, high) = ((Double(width) * scale).rounded(), (Double(height) * scale).rounded())
        #expect(max(wide, high) <= 1000 && wide * high <= 1_000_000 && max(wide, high) >= 990)
    }

    @Test func `A drawing with an enormous size is scaled down to the limits`() throws {
        let limits = ImageLimits(bytes: 1 << 20, pixels: 1_000_000, side: 1000, frames: 1)
        let image = try Self.made(Self.svg("20000", "10000"), limits: limits)
        #expect((990...1000).contains(image.width) && (495...500).contains(image.height))
        #expect(try Self.made(Self.svg("20000", "10000"), #"{"op":"resize","width":200}"#, limits: limits).width == 200)
    }

    @Test func `A drawing includes nothing from elsewhere`() throws {
        let folder = try TemporaryFolder("drawing")
        let red = try TestPictures.encoded(VipsRuntime.solid(width: 40, height: 20, [255, 0, 0]), .png)
        try Data(red).write(to: URL(fileURLWithPath: folder.path + "/red.png"))
        try Data(#"rect { fill: red }"#.utf8).write(to: URL(fileURLWithPath: folder.path + "/red.css"))
        let (file, plain) = ("file://\(folder.path)", try Self.made(Self.svg()).samples())
        let image = #"width="40" height="20""#
        for (name, bytes) in [
            ("picture of a file", Self.svg("40", "20", #"<image \#(image) xlink:href="\#(file)/red.png"/>"#)),
            ("picture of a path", Self.svg("40", "20", #"<image \#(image) href="\#(folder.path)/red.png"/><image \#(image) href="red.png"/>"#)),
            ("picture of a server", Self.svg("40", "20", #"<image \#(image) href="http://127.0.0.1:1/red.png"/>"#)),
            ("drawing of a file", Self.svg("40", "20", #"<use xlink:href="\#(file)/red.svg#a"/>"#)),
            ("style of a file", Self.svg("40", "20", #"<style>@import url("\#(file)/red.css");</style>"#)),
            ("style before it", Self.svg(before: #"<?xml version="1.0"?><?xml-stylesheet type="text/css" href="\#(file)/red.css"?>"#)),
            ("inclusion", Self.svg("40", "20", #"<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="\#(file)/red.css" parse="text"/>"#)),
            ("entity", Self.svg("40", "20", "<text y=\"15\">&x;</text>", before: #"<!DOCTYPE svg [<!ENTITY x SYSTEM "\#(file)/red.css">]>"#)),
            ("entities of a file", Self.svg(before: #"<!DOCTYPE svg SYSTEM "\#(file)/red.css" [<!ENTITY % y SYSTEM "\#(file)/red.css"> %y;]>"#)),
        ] {
            guard case .image(.svg)? = ImageSniff.of(bytes) else { throw TestFailure(name) }
            // A drawing that is invalid without the include is refused.
            guard let made = try? Self.made(bytes) else { continue }
            #expect(try made.samples() == plain, "\(name)")
        }
        // An include would change the picture.
        #expect(try Self.made(Self.svg("40", "20", #"<rect \#(image) fill="red"/>"#)).samples() != plain)
    }

    // MARK: In a pixel process

    @Test @Loop func `A pixel process renders drawings with text, and hostile drawings end`() async throws {
        let pool = PixelPoolTests().pool { $0.formats = Set(ImageFormat.openable) }
        func end(_ source: [UInt8], within time: Duration = .seconds(20)) async throws -> Result<PixelResult, TintypeError> {
            let job = PixelJob(source: try PixelPoolTests.source(source), rendition: PixelPoolTests.small, deadline: time)
            do throws(TintypeError) { return .success(try await pool.run(job)) } catch { return .failure(error) }
        }
        for (source, format) in [
            (Self.svg(), ImageFormat.svg), (Self.pdf, .pdf),
            (Self.svg("40", "20", #"<text x="2" y="12" font-family="serif" font-size="9">Word 字 \u{1F600}</text>"#), .svg),
        ] {
            let result = try await end(source).get()
            #expect(result.source.format == format && result.output?.format == .png)
        }
        #expect(pool.codecs?["decode"]?.array?.contains("svg") == true && pool.codecs?["decode"]?.array?.contains("pdf") == true)
        let laughs = (1...20).map { #"<!ENTITY e\#($0) "\#(String(repeating: "&e\($0 - 1);", count: 20))">"# }.joined()
        let hostile: [[UInt8]] = [
            Self.svg("40", "20", "<text>&e20;</text>", before: #"<!DOCTYPE svg [<!ENTITY e0 "ha">\#(laughs)]>"#), Self.svg("1e9", "1e9"), Self.svg("0", "0"),
            Self.svg("40", "20", ##"<g id="a"><use xlink:href="#a"/></g>"##), Array("<svg".utf8), Array("%PDF-1.7".utf8), Array(Self.pdf.prefix(200)),
            Self.svg("40", "20", String(repeating: "<g>", count: 100_000)),
            Self.svg("40", "20", #"<filter id="f"><feGaussianBlur stdDeviation="1e9"/></filter><rect width="40" height="20" filter="url(#f)"/>"#),
            Array(String(decoding: Self.pdf, as: UTF8.self).replacing("[0 0 72 36]", with: "[0 0 99999999 99999999]").utf8),
        ]
        for source in hostile {
            guard case .failure(let error) = try await end(source, within: .seconds(5)) else { continue }
            #expect([.badImageData, .limitExceeded, .timeout].contains(error.name), "\(error)")
        }
        #expect(try await end(Self.svg()).get().output?.width == 40, "the next one is drawn")
    }
}
