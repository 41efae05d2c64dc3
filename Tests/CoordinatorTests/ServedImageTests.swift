import TintypeCore
import TintypeImages
import Testing

@testable import Coordinator
@testable import TintypeTransport

/// The header lines that an image in memory keeps.
@Suite struct ServedImageTests {
    private func image(expiresIn seconds: Double? = 100, type: String = "image/png") -> StoredImage {
        StoredImage(
            key: "k", contentType: type, info: ["sha256": "abc", "metadata": ["who": "Zoë"]], source: [:], bytes: Array(0..<10), storedAt: 0,
            expiresAt: seconds.map { 1_000_000 + $0 })
    }

    static let asked: [ImageConditions] = [
        ImageConditions(), ImageConditions(match: "\"abc\""), ImageConditions(range: "bytes=2-4"), ImageConditions(range: "bytes=10-"),
        ImageConditions(required: "\"old\""), ImageConditions(range: "bytes=2-4", condition: "\"old\""),
    ]

    @Test(arguments: asked) func `an answer with kept lines says the same as the first one`(asked: ImageConditions) {
        for isGuarded in [true, false] {
            let (kept, fresh) = (ServedImage(image()), ServedImage(image()))
            func answer(_ served: ServedImage, _ asked: ImageConditions, at now: Double) -> WebAnswer {
                let choice = ImageChoice(asked, served)
                let lines = served.lines(hasType: choice != .unchanged, mayBeKept: choice.mayBeKept, isGuarded: isGuarded, at: now)
                return ImageSender.answer(served, choice, choice.hasImageHeaders ? lines : HeaderLines())
            }
            // Another answer, with and without a type, within the same second.
            for other in Self.asked { _ = answer(kept, other, at: 1_000_000) }
            let (again, first) = (answer(kept, asked, at: 1_000_000), answer(fresh, asked, at: 1_000_000))
            #expect(again.status == first.status && again.body == first.body && again.allLines.bytes == first.allLines.bytes)
        }
    }

    /// RFC 9110 §13.1.3: the date counts if it is one, and without `If-None-Match`.
    @Test(
        arguments: [
            (nil, nil, false), ("Mon, 02 Nov 2026 10:00:00 GMT", nil, true), ("Monday, 02-Nov-26 10:00:00 GMT", nil, true),
            ("Mon Nov  2 10:00:00 2026", nil, true),
            ("Mon, 02 Nov 2026 09:59:59 GMT", nil, false), ("Tue, 03 Nov 2026 10:00:00 GMT", nil, true), ("yesterday", nil, false), ("0", nil, false),
            ("Mon, 02 Nov 2026 10:00:00 GMT", "\"old\"", false), ("Mon, 02 Nov 2026 09:00:00 GMT", "\"abc\"", true),
        ] as [(String?, String?, Bool)]) func `a picture that has not changed since a date is not sent again`(since: String?, match: String?, isKnown: Bool)
    {
        var image = image()
        image.source = ["lastModified": "Mon, 02 Nov 2026 10:00:00 GMT"]
        let asked = ImageConditions(match: match, since: since.flatMap { HTTPDate.seconds($0) })
        #expect((ImageChoice(asked, ServedImage(image)) == .unchanged) == isKnown)
        // Without a date of its own, only its tag tells.
        #expect((ImageChoice(asked, ServedImage(self.image())) == .unchanged) == (match == "\"abc\""))
    }

    @Test func `no cache keeps what the origin wants nowhere`() {
        var image = image()
        image.info = ["sha256": "abc", "noStore": true, "private": true]
        let lines = String(decoding: ServedImage(image).lines(hasType: true, isGuarded: false, at: 1_000_000).bytes, as: UTF8.self)
        #expect(lines.contains("Cache-Control: no-store\r\n"))
    }

    @Test func `kept lines follow the clock, the token and the type`() {
        let served = ServedImage(image())
        func lines(guarded: Bool = false, at now: Double) -> String {
            String(decoding: served.lines(hasType: true, isGuarded: guarded, at: now).bytes, as: UTF8.self)
        }
        #expect(lines(at: 1_000_000).contains("public, max-age=100\r\n") && lines(at: 1_000_000.5).contains("public, max-age=100\r\n"))
        #expect(lines(at: 1_000_001).contains("public, max-age=99\r\n") && lines(guarded: true, at: 1_000_001).contains("private, max-age=99\r\n"))
        #expect(lines(at: 1_000_200).contains("public, no-cache\r\n") && lines(at: 1_000_200).contains("Content-Type: image/png\r\n"))
        #expect(!String(decoding: served.lines(hasType: false, isGuarded: false, at: 1_000_200).bytes, as: UTF8.self).contains("\r\nContent-Type:"))
    }

    @Test @Loop func `an entry that gets another image shows that one`() {
        let entry = CachedRendition(key: "k", info: image().rendition, source: .null, fresh: 10, kept: 10, at: 0)
        #expect(entry.served == nil)
        entry.image = image()
        #expect(entry.served?.image.contentType == "image/png")
        entry.image = image(type: "image/webp")
        #expect(entry.served.map { String(decoding: $0.lines(hasType: true, isGuarded: false, at: 5).bytes, as: UTF8.self).contains("image/webp") } == true)
    }
}
