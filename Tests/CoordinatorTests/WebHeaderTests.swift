import TintypeCore
import TintypeImages
import TintypeQueue
import Testing

@testable import Coordinator
@testable import TintypeTransport

/// Ranges, tags and answers of `/images`, without a server.
@Suite(.timeLimit(.minutes(1))) struct WebHeaderTests {
    static let ranges: [(header: String?, length: Int, expected: ByteRange)] = [
        (nil, 10, .whole), ("bytes=0-0", 10, .part(0...0)), ("bytes=0-9", 10, .part(0...9)), ("bytes=2-5", 10, .part(2...5)),
        ("bytes=5-", 10, .part(5...9)), ("bytes=0-999", 10, .part(0...9)), ("bytes=-3", 10, .part(7...9)), ("bytes=-99", 10, .part(0...9)),
        ("bytes=10-", 10, .unsatisfiable), ("bytes=10-20", 10, .unsatisfiable), ("bytes=-0", 10, .unsatisfiable), ("bytes=0-", 0, .unsatisfiable),
        ("bytes=5-2", 10, .whole), ("bytes=-", 10, .whole), ("bytes=a-b", 10, .whole), ("bytes=1-2,4-5", 10, .whole), ("items=0-1", 10, .whole),
        ("bytes=+1-2", 10, .whole), ("bytes=99999999999999999999-", 10, .unsatisfiable), ("bytes=0-99999999999999999999", 10, .part(0...9)),
        ("bytes=-99999999999999999999", 10, .part(0...9)), ("", 10, .whole), ("bytes=", 10, .whole), ("Bytes=0-1", 10, .part(0...1)),
    ]

    @Test(arguments: ranges)
    func `a range selects a part or nothing, or is ignored`(header: String?, length: Int, expected: ByteRange) {
        #expect(ByteRange(header, length: length) == expected)
    }

    static let tags: [(header: String?, matches: Bool)] = [
        (nil, false), ("\"abc\"", true), ("W/\"abc\"", true), ("\"x\", \"abc\"", true), (" * ", true), ("*", true), ("abc", false), ("\"abd\"", false),
        ("", false),
    ]

    @Test(arguments: tags)
    func `a tag matches itself, its weak form and the star`(header: String?, matches: Bool) {
        #expect(EntityTag.matches(header, EntityTag.text(sha256: "abc")) == matches)
    }

    static let writes: [(ifMatch: String?, ifNoneMatch: String?, there: String?, allowed: Bool)] = [
        (nil, nil, nil, true), (nil, nil, "\"a\"", true), (nil, "*", nil, true), (nil, "*", "\"a\"", false), (nil, "\"b\"", "\"a\"", true),
        ("\"a\"", nil, "\"a\"", true), ("W/\"a\"", nil, "\"a\"", false), ("\"b\"", nil, "\"a\"", false), ("*", nil, "\"a\"", true), ("*", nil, nil, false),
    ]

    @Test(arguments: writes)
    func `a conditional write replaces only the image that it names`(ifMatch: String?, ifNoneMatch: String?, there: String?, allowed: Bool) {
        #expect(EntityTag.allowsWrite(ifMatch: ifMatch, ifNoneMatch: ifNoneMatch, there: there) == allowed)
    }

    private func image(_ bytes: [UInt8]) -> StoredImage {
        StoredImage(
            key: "k", contentType: "image/png", info: ["sha256": "abc"], source: [:], bytes: bytes, storedAt: 0,
            expiresAt: WallClock.now + 100)
    }

    /// Returns an answer with its header lines as names and values.
    private func answer(_ image: StoredImage, _ asked: ImageConditions = ImageConditions()) -> WebAnswer {
        let served = ServedImage(image)
        let choice = ImageChoice(asked, served)
        let lines = served.lines(hasType: choice != .unchanged, mayBeKept: choice.mayBeKept, isGuarded: false, at: WallClock.now)
        var answer = ImageSender.answer(served, choice, choice.hasImageHeaders ? lines : HeaderLines())
        answer.headers = String(decoding: answer.allLines.bytes, as: UTF8.self).split(separator: "\r\n").map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            return (String(line[..<colon]), String(line[colon...].dropFirst(2)))
        }
        return answer
    }

    @Test func `an image is served whole, in part, or as not modified or unsatisfiable`() {
        let image = image(Array(0..<10))
        let whole = answer(image)
        #expect(whole.status == 200 && Array(whole.body) == Array(0..<10))
        #expect(whole.headers.contains { $0 == ("Content-Type", "image/png") } && whole.headers.contains { $0 == ("ETag", "\"abc\"") })
        #expect(whole.headers.contains { $0 == ("X-Content-Type-Options", "nosniff") })
        let part = answer(image, ImageConditions(range: "bytes=2-4"))
        #expect(part.status == 206 && part.body == [2, 3, 4] && part.headers.contains { $0 == ("Content-Range", "bytes 2-4/10") })
        let outside = answer(image, ImageConditions(range: "bytes=10-"))
        #expect(outside.status == 416 && outside.headers.contains { $0 == ("Content-Range", "bytes */10") })
        #expect(outside.headers.filter { $0.0 == "Cache-Control" }.map { $0.1 } == ["no-store"] && outside.headers.contains { $0 == ("ETag", "\"abc\"") })
        let known = answer(image, ImageConditions(match: "\"abc\"", range: "bytes=2-4"))
        #expect(known.status == 304 && known.body.isEmpty)
        #expect(answer(image, ImageConditions(required: "\"old\"")).status == 412)
        #expect(answer(image, ImageConditions(required: "\"old\", \"abc\"")).status == 200)
        #expect(answer(image, ImageConditions(range: "bytes=2-4", condition: "\"abc\"")).status == 206)
        #expect(answer(image, ImageConditions(range: "bytes=2-4", condition: "\"old\"")).status == 200)
    }

    @Test func `an image is cacheable while it is fresh, not while it is kept`() {
        func control(fresh: Double?, isPrivate: Bool = false) -> String? {
            var image = image([1])
            var info: JSONObject = ["sha256": "abc"]
            info["expiresAt"] = fresh.map { JSON(WallClock.now + $0) }
            if isPrivate { info["private"] = true }
            image.info = .object(info)
            (image.expiresAt, image.storedAt) = (WallClock.now + 100_000, WallClock.now)
            return answer(image).headers.first { $0.0 == "Cache-Control" }?.1
        }
        #expect(control(fresh: nil) == "public, max-age=86400")
        let named = control(fresh: 1000)?.split(separator: "=").last.flatMap { Int($0) } ?? 0
        #expect((1...1000).contains(named), "\(named)")
        for seconds in [0, -5] { #expect(control(fresh: Double(seconds)) == "public, no-cache") }
        #expect(control(fresh: 0, isPrivate: true) == "private, no-cache")
    }
}
