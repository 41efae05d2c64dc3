import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeImages
@testable import TintypeQueue

/// The format that `auto` chooses by the Accept header and the picture.
@Suite(.tags(.optimized)) struct AcceptedFormatsTests {
    @Test(
        arguments: [
            ("image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", [.avif, .webp, .jpeg, .png, .gif]),
            ("image/webp,image/avif,image/jxl,image/heic,video/*;q=0.8,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5", [.avif, .webp, .jpeg, .png, .gif]),
            ("*/*", [.jpeg, .png, .gif]), ("", [.jpeg, .png, .gif]), ("text/html", [.jpeg, .png, .gif]), ("image/webp", [.webp]),
            ("IMAGE/WebP ; q=0.3 , image/jpg", [.webp, .jpeg]), ("image/avif;q=0, image/webp;q=0.000, image/*", [.jpeg, .png, .gif]),
            ("image/*, image/png;q=0", [.jpeg, .gif]), ("webp,jpeg", [.webp, .jpeg]), ("image/jxl", [.jxl]), ("image/jxl,*/*", [.jxl, .jpeg, .png, .gif]),
            ("image/jxl, image/avif;q=0", [.jxl]), ("image/jxl,image/webp", [.webp]), ("image/webp;q=0", [.jpeg, .png, .gif]),
        ] as [(String, [ImageFormat])])
    func `A header comes to the formats that it names`(header: String, formats: [ImageFormat]) {
        #expect(AcceptedFormats([header]).formats == formats)
    }

    struct Choice: Sendable, CustomTestStringConvertible {
        var accept: String
        var animated = false
        var alpha = false
        var source = ImageFormat.jpeg
        var written = Set(ImageFormat.encodable)
        var best: ImageFormat
        var testDescription: String { "\(accept) of \(source) animated \(animated) alpha \(alpha)" }
    }
    static let chrome = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"
    @Test(arguments: [
        Choice(accept: chrome, best: .avif), Choice(accept: chrome, alpha: true, best: .avif), Choice(accept: chrome, animated: true, best: .webp),
        Choice(accept: chrome, written: [.jpeg, .png, .webp], best: .webp), Choice(accept: "image/webp,*/*", best: .webp),
        Choice(accept: "*/*", best: .jpeg), Choice(accept: "*/*", alpha: true, best: .png), Choice(accept: "*/*", animated: true, source: .gif, best: .gif),
        Choice(accept: "*/*", source: .png, best: .png), Choice(accept: "*/*", source: .webp, best: .jpeg),
        Choice(accept: "*/*", alpha: true, source: .webp, best: .png), Choice(accept: "image/jpeg", alpha: true, source: .png, best: .jpeg),
        Choice(accept: "image/avif", animated: true, source: .gif, best: .avif), Choice(accept: "image/avif", written: [.jpeg, .png], best: .jpeg),
        Choice(accept: "image/avif", alpha: true, written: [.jpeg, .png], best: .png), Choice(accept: "image/gif", best: .gif),
        Choice(accept: "image/jxl,*/*", best: .jxl), Choice(accept: "image/jxl,*/*", alpha: true, source: .png, best: .jxl),
        Choice(accept: "image/jxl,*/*", written: [.jpeg, .png], best: .jpeg), Choice(accept: "image/jxl,*/*", animated: true, source: .gif, best: .gif),
        Choice(accept: "image/jxl,image/avif", written: [.jxl, .jpeg, .png], best: .jpeg),
    ]) func `The content decides among the accepted formats`(_ one: Choice) {
        let accepted = AcceptedFormats([one.accept])
        #expect(accepted.best(isAnimated: one.animated, hasAlpha: one.alpha, source: one.source, written: one.written) == one.best)
    }

    @Test(arguments: [
        (ImageFormat.png, "*/*", true, ImageFormat.png), (.png, "*/*", false, .gif), (.gif, "*/*", true, .gif), (.webp, "*/*", true, .gif),
        (.png, chrome, true, .webp), (.gif, "image/png", true, .png), (.gif, "image/png", false, .png),
    ]) func `An animated PNG stays a PNG, and other animations become a PNG only without another format`(
        source: ImageFormat, accept: String, movesAsPNG: Bool, best: ImageFormat
    ) {
        let written = Set(ImageFormat.encodable)
        #expect(AcceptedFormats([accept]).best(isAnimated: true, movesAsPNG: movesAsPNG, hasAlpha: true, source: source, written: written) == best)
    }

    private func key(_ output: String) throws -> String {
        let request = try ImageRequest(JSON(parsing: #"{"url":"http://h/a","output":\#(output)}"#))
        return request.renditions[0].digest(source: request.source.digest)
    }

    @Test func `Headers with the same formats share a key, and others do not`() throws {
        let chrome = try key(#"{"format":"auto","accept":"\#(Self.chrome)"}"#)
        #expect(try key(#"{"accept":["image/png","image/webp","image/avif","*/*"]}"#) == chrome)
        #expect(try key(#"{"accept":["gif","jpeg","png","webp","avif"]}"#) == chrome)
        #expect(try key(#"{"format":"auto","accept":"image/webp,*/*"}"#) != chrome)
        #expect(try key(#"{"format":"auto"}"#) == key(#"{"format":"auto","accept":"*/*"}"#))
        #expect(try key(#"{"format":"auto"}"#) != key(#"{"format":"original"}"#))
        #expect(try key(#"{"format":"jpeg","accept":"image/webp"}"#) == key(#"{"format":"jpeg"}"#), "a named format needs no accept")
    }

    @Test(arguments: ImageFormat.encodable) func `The summary of icc names the formats without it`(format: ImageFormat) throws {
        let isIgnored = try key(#"{"format":"\#(format.rawValue)","icc":"keep"}"#) == key(#"{"format":"\#(format.rawValue)"}"#)
        let said = try #require(OutputOptions.parameters.first { $0.name == "icc" }?.summary.split(separator: "Not for").last)
        #expect(isIgnored == said.contains(format.rawValue))
    }

    @Test func `Options count if their format uses them`() throws {
        #expect(try key(#"{"format":"jpeg","palette":true,"lossless":true}"#) == key(#"{"format":"jpeg"}"#))
        #expect(try key(#"{"format":"webp","animated":true}"#) == key(#"{"format":"webp"}"#), "it is animated in any case")
        #expect(try key(#"{"format":"png","animated":false}"#) == key(#"{"format":"png"}"#))
        #expect(try key(#"{"format":"png","quality":50}"#) == key(#"{"format":"png"}"#))
        #expect(try key(#"{"format":"png","palette":true,"quality":50}"#) != key(#"{"format":"png","palette":true}"#))
        #expect(try key(#"{"format":"png","palette":true,"quality":100}"#) == key(#"{"format":"png","palette":true}"#))
        #expect(try key(#"{"format":"gif","icc":"keep","metadata":"all","subsampling":"4:4:4"}"#) == key(#"{"format":"gif"}"#))
        for option in [#""icc":"keep""#, #""metadata":"all""#, #""metadata":"copyright""#, #""subsampling":"4:4:4""#, #""maxBytes":1000"#] {
            #expect(try key(#"{"format":"jpeg",\#(option)}"#) != key(#"{"format":"jpeg"}"#), "\(option)")
        }
        #expect(try key(#"{"format":"jpeg","icc":"srgb","metadata":"none","subsampling":"4:2:0","accept":[]}"#) == key(#"{"format":"jpeg"}"#))
    }

    @Test func `A rendition that travels to the worker means the same there`() throws {
        let options = [
            #"{"format":"auto","accept":"image/webp","quality":7}"#, #"{"format":"png","palette":true,"quality":3}"#,
            #"{"format":"png","animated":true}"#,
            #"{"format":"jpeg","maxBytes":9,"icc":"keep","metadata":"copyright","subsampling":"4:4:4"}"#, #"{"format":"jxl"}"#,
        ]
        for option in options {
            let request = try ImageRequest(JSON(parsing: #"{"url":"http://h/a","output":\#(option)}"#))
            #expect(try Rendition(canonical: request.renditions[0].canonical).output == request.renditions[0].output, "\(option)")
        }
    }
}
