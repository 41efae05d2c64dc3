import Testing
import TintypeImages

@testable import ImgproxyURLs

/// Few classes stand for all headers.
@Suite struct AcceptClassTests {
    static let headers: [(header: String?, expected: AcceptClass)] = [
        (nil, .none), ("", .none), ("*/*", .none), ("image/*", .none), ("image/png,image/jpeg", .none), ("text/html", .none), ("image/webp", .webp),
        ("image/avif", .avif), ("image/avif,image/webp", .avifAndWebP), ("image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8", .avifAndWebP),
        ("IMAGE/WEBP , */*", .webp), ("image/avif;q=0,image/webp", .webp), ("image/webp;q=0", .none), ("image/webp;q=0.1", .webp), ("image/jxl", .jxl),
        ("image/jxl,image/webp", .webp), ("image/jxl,image/avif,image/webp", .avifAndWebP), ("image/webpx", .none), (",,;;q=", .none), ("\0\u{301}", .none),
    ]

    @Test(arguments: headers) func `a header falls into one class`(header: String?, expected: AcceptClass) { #expect(AcceptClass(header) == expected) }

    @Test func `only formats that the operator detects count`() {
        let header = "image/avif,image/webp,image/jxl"
        #expect(
            AcceptClass(header, detecting: []) == .none && AcceptClass(header, detecting: [.webp]) == .webp && AcceptClass(header, detecting: [.avif]) == .avif)
    }

    @Test func `the class chooses the format only where the URL names none`() throws {
        var policy = DoorPolicy()
        policy.detected = [.avif, .webp]
        let header = "image/avif,image/webp,*/*"
        #expect(
            try PictureOptionTests.show(PictureOptionTests.plan("w:3", policy, accept: header).request)
                == "resize(width=3) output(format=auto,accept=avif+webp+png+jpeg+gif)")
        #expect(try PictureOptionTests.show(PictureOptionTests.plan("f:png", policy, accept: header).request) == "output(format=png)")
        #expect(try PictureOptionTests.show(PictureOptionTests.plan("w:3", DoorPolicy(), accept: header).request) == "resize(width=3)")
        #expect(try PictureOptionTests.plan("", policy, accept: header).imageRequest().renditions[0].output.accepted?.formats.prefix(2) == [.avif, .webp])
    }
}
