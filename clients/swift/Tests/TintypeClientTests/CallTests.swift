import Foundation
import Testing
import TintypeClient

/// Requests, as callers write them.
@Suite struct CallTests {
    private let url = "https://example.org/a.jpg"

    @Test func pure_aTransformIsAChainAListOrAClosure() throws {
        let chain: ImageTransform = .resize(320, 320, fit: .cover).blur(preset: .light).grayscale()
        let list: ImageTransform = [.resize(320, 320, fit: .cover), .blur(preset: .light).grayscale()]
        let isGray = true
        let closure = ImageTransform {
            .resize(320, 320, fit: .cover)
                .blur(preset: .light)
            if isGray { .grayscale() } else { .sepia() }
        }
        #expect(chain == list)
        #expect(chain == closure)
        #expect(chain.json == [["op": "resize", "width": 320, "height": 320, "fit": "cover"], ["op": "blur", "preset": "light"], ["op": "grayscale"]])
    }

    @Test func pure_aClosureMayRepeatAndLeaveOut() {
        let hasMark = false
        let request = ImageRequest(url, as: .png) {
            if hasMark { .text("draft") }
            for angle in [1.0, 2.0] { .rotate(angle) }
            .sharpen()
        }
        #expect(request.transform == .rotate(1).rotate(2).sharpen())
        #expect(request.output == .png)
        #expect(ImageTransform { if hasMark { .invert() } } == [])
    }

    @Test func pure_aRequestIsBuiltByDots() throws {
        let request = ImageRequest(url, .resize(1600, fit: .inside), .blur(preset: .light), as: .webp(quality: 80))
            .deadline(10).priority(.high).cache(.init(policy: .reload, tags: ["shop"])).kind(.image)
            .fetch(.init(headers: ["A": "b"], auth: .basic(user: "u", password: "p")))
        #expect(
            request.json == [
                "url": .string(url), "priority": "high", "deadline": 10.0, "fetch": ["headers": ["A": "b"], "auth": ["basic": ["u", "p"]]],
                "cache": ["policy": "reload", "tags": ["shop"]],
                "transform": [["op": "resize", "width": 1600, "fit": "inside"], ["op": "blur", "preset": "light"]],
                "output": ["format": "webp", "quality": 80], "as": "image",
            ])
        #expect(
            request
                == ImageRequest(url, transform: [.resize(1600, fit: .inside), .blur(preset: .light)], output: .webp(quality: 80)).with {
                    $0.deadline = 10
                    $0.priority = .high
                    $0.cache = .init(policy: .reload, tags: ["shop"])
                    $0.kind = .image
                    $0.fetch = .init(headers: ["A": "b"], auth: .basic(["u", "p"]))
                })
    }

    @Test func pure_renditionsFollowEachOther() throws {
        let address = try #require(URL(string: url))
        let request = ImageRequest(address).rendition("thumb", .resize(200, 200, fit: .cover), as: .jpeg).rendition("large", .resize(1600))
        #expect(
            request.json == [
                "url": .string(url),
                "renditions": [
                    ["name": "thumb", "transform": [["op": "resize", "width": 200, "height": 200, "fit": "cover"]], "output": ["format": "jpeg"]],
                    ["name": "large", "transform": [["op": "resize", "width": 1600]]],
                ],
            ])
    }

    @Test func pure_renditionsAreGivenAsAList() {
        let request = ImageRequest(url, renditions: [Rendition("thumb", .resize(200), .sharpen(), as: .png), Rendition("whole")])
        #expect(request == ImageRequest(url).rendition("thumb", .resize(200).sharpen(), as: .png).rendition("whole"))
    }

    @Test func pure_alternativesAreWrittenAsTheyAreMeant() {
        let request = ImageRequest(
            url,
            transform: [
                .resize(100, scale: 0.5, gravity: .attention), .resize(100, scale: .factors(width: 2, height: 1), gravity: .point(x: 0.5, y: 0)),
                .pad(aspect: 1.5, gravity: .offsets(.top, offsetX: 3)), .text("©", tile: true), .composite(url, tile: .gaps(gapX: 4)),
                .animate(urls: [url], delay: [40, 80]), .animate(columns: 2, delay: 40), .tint("red", blend: .sourceIn), .roundCorners(8, corners: [.topLeft]),
            ], output: .init(accept: "image/webp", quality: .auto), priority: 3, progress: true, fallback: .color("red", width: 4, height: 3),
            saveTo: .init(place: "photos", replace: .keep), progressive: .pace(mode: .blur, width: 64))
        #expect(
            request.json == [
                "url": .string(url), "priority": 3, "progress": true, "fallback": ["color": "red", "width": 4, "height": 3],
                "saveTo": ["place": "photos", "replace": "keep"], "progressive": ["mode": "blur", "width": 64],
                "output": ["accept": "image/webp", "quality": "auto"],
                "transform": [
                    ["op": "resize", "width": 100, "scale": 0.5, "gravity": "attention"],
                    ["op": "resize", "width": 100, "scale": ["width": 2.0, "height": 1.0], "gravity": ["x": 0.5, "y": 0.0]],
                    ["op": "pad", "aspect": 1.5, "gravity": ["place": "top", "offsetX": 3.0]],
                    ["op": "text", "text": "©", "tile": true], ["op": "composite", "url": .string(url), "tile": ["gapX": 4.0]],
                    ["op": "animate", "urls": [.string(url)], "delay": [40, 80]], ["op": "animate", "columns": 2, "delay": 40],
                    ["op": "tint", "color": "red", "blend": "sourceIn"], ["op": "roundCorners", "radius": 8.0, "corners": ["topLeft"]],
                ],
            ])
    }
}
