import Foundation
import TestSupport
import Testing
import TintypeCore

/// A page as a gallery has it, in Chromium, through varnish, with pictures of the picture door.
@Suite(.timeLimit(.minutes(3)), .serialized, .scoped) struct PicturePageTests {
    /// The widths of ten pictures of a photo. Each is shown in its own size, with three quarters of its width as height.
    private static let widths = Array(stride(from: 36, through: 144, by: 12))
    private static let photos = 20
    private static let outcomes = ["hit", "kept", "made", "unchanged", "fallback", "refused", "failed", "gone"]

    /// Photos of the corpus beside the project, from cameras and in six formats.
    private static let real =
        ["2569067123_aca715a2ee_o.jpg", "4.webp", "Kleiber_by_Lukas_Baubkus.jpg", "Wine_by_Jakkub_Mede.jpg", "alpha-premultiply-2048x1536-paper.png"]
        .map { "/bench/" + $0 }
        + [
            "imgproxy-avif-avif.avif", "imgproxy-jpg-jpg.jpg", "imgproxy-webp-webp.webp", "imgproxy-heif-heif.heif", "sharp-320x240.jpg", "sharp-5_webp_a.webp",
            "sharp-Channel_digital_image_CMYK_color_no_profile.jpg", "sharp-Landscape_1.jpg", "sharp-Landscape_6.jpg", "sharp-Portrait_6.jpg",
            "sharp-Portrait_7.jpg", "sharp-concert.jpg", "imgproxy-gif-gif.gif", "vips-avif-orientation-6.avif", "vips-sample.jpg",
        ].map { "/formats/" + $0 }

    /// Returns the page. Its script writes down how many pictures have the sizes that were asked for.
    private static func page(_ pictures: [(url: String, width: Int)]) -> String {
        let images = pictures.map { picture in
            #"<img src="\#(picture.url)" data-width="\#(picture.width)" data-height="\#(picture.width * 3 / 4)">"#
        }
        return """
            <!doctype html><title>Pictures</title><style>body { margin: 0; font-size: 0; width: 940px } img { margin: 2px; vertical-align: bottom }</style>
            <body>\(images.joined(separator: "\n"))
            <script>
            addEventListener("load", () => {
                const all = [...document.images];
                const wrong = all.filter((image) => image.naturalWidth != image.dataset.width || image.naturalHeight != image.dataset.height);
                document.body.dataset.right = all.length - wrong.length;
                document.body.dataset.wrong = wrong.slice(0, 5).map((image) => `${image.src} ${image.naturalWidth} ${image.naturalHeight}`).join("; ");
            });
            </script>
            """
    }

    @Test func `a page of 200 pictures in ten sizes is whole in Chromium, and varnish has all of them for the next reader`() async throws {
        let corpus = ProcessInfo.processInfo.environment["TINTYPE_CORPUS"] ?? ""
        let sources = corpus.isEmpty ? (0..<Self.photos).map { "/picture.png?size=\(400 + 20 * $0)x300" } : Self.real
        let door = try await PictureDoorDeployment(["--images-formats", "webp"], root: corpus.isEmpty ? nil : corpus)
        let varnish = try await VarnishServer(before: door.port)
        let pictures = sources.flatMap { source in
            Self.widths.map { width in
                (url: "http://127.0.0.1:\(varnish.port)" + door.path(source, "rs:fill:\(width):\(width * 3 / 4):1"), width: width)
            }
        }
        #expect(pictures.count == 200)
        let site = try await NginxServer("listen PORT; types { text/html html; }", files: ["page.html": Data(Self.page(pictures).utf8)])
        let folder = try TemporaryFolder("page")
        let screenshot = ProcessInfo.processInfo.environment["TINTYPE_SCREENSHOT"] ?? folder.path + "/page.png"
        func counts() async throws -> [Int] {
            var counts: [Int] = []
            for outcome in Self.outcomes { counts.append(try await door.count(outcome)) }
            return counts
        }
        func read() async throws {
            let elements = try await HeadlessBrowser.show(
                "http://127.0.0.1:\(site.port)/page.html", width: 940, height: 2240, screenshot: screenshot)
            #expect(elements.contains(#"<body data-right="200""#), "\(elements.split(separator: "\n").first { $0.hasPrefix("<body") } ?? "")")
        }

        let before = try await counts()
        try await read()
        let first = try await counts()
        // Each picture was made once, and each photo downloaded once.
        #expect(zip(first, before).map(-) == [0, 0, 200, 0, 0, 0, 0, 0], "\(Self.outcomes): \(before), then \(first)")
        #expect(try await door.deployment.counts()["total"]?.int == Self.photos)
        let drawn = try #require(PictureBytes(try Data(contentsOf: URL(fileURLWithPath: screenshot))))
        #expect(drawn.format == "png" && drawn.width == 940 && drawn.height == 2240)

        try await read()
        let second = try await counts()
        #expect(zip(second, first).map(-) == [0, 0, 0, 0, 0, 0, 0, 0], "\(Self.outcomes): \(first), then \(second)")
    }
}
