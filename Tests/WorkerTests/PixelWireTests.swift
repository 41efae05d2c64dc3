import TintypeCore
import Testing

@testable import Worker

/// The messages of a pixel process, perhaps a compromised one, which a worker passes on.
@Suite struct PixelWireTests {
    /// One character of 60,001 bytes.
    private static let endless = "a" + String(repeating: "\u{301}", count: 30_000)

    private static func failure(_ message: String, _ details: JSONObject = [:]) -> TintypeError {
        var data: JSONObject = ["name": "limitExceeded", "phase": "decode"]
        for (name, value) in details.members { data[name] = value }
        return PixelWire.failure(["message": .string(message), "data": .object(data)])
    }

    private static let texts: [(String, Int)] = [
        ("short", 5), (String(repeating: "x", count: 1024), 1024), (String(repeating: "x", count: 1025), 1024),
        (String(repeating: "\u{e9}", count: 1024), 1024), ("a" + String(repeating: "\u{e9}", count: 1024), 1023),
        (String(repeating: "\u{1f600}", count: 257), 1024),
        ("ab" + String(repeating: "\u{1f600}", count: 257), 1022), (endless, 1023),
    ]

    @Test(arguments: texts)
    func `a message is cut at bytes, but never within a scalar`(text: String, count: Int) {
        let message = Self.failure(text).message
        #expect(message.utf8.count == count && text.utf8.starts(with: message.utf8))
    }

    @Test func `texts are cut at bytes in every place`() throws {
        #expect(try #require(Self.failure("x", ["which": .string(Self.endless)]).details["which"]?.string).utf8.count == 63)
        #expect(PixelWire.missingLimits(["missingLimits": [.string(Self.endless)]]).map(\.utf8.count) == [63])
        let codecs = PixelWire.codecs(["vips": .string(Self.endless), "fonts": [.string(Self.endless)]])
        #expect(codecs["vips"]?.string?.utf8.count == 63 && codecs["fonts"]?[0]?.string?.utf8.count == 63)
    }

    @Test(arguments: [(Int.max, 1 << 53), (Int.min, 0), (-1, 0), (100_000_000, 100_000_000)])
    func `the numbers of a limit are clamped`(said: Int, told: Int) {
        let error = Self.failure("too large", ["limit": "maxPixels", "value": JSON(said), "allowed": JSON(said)])
        #expect(error.details["value"]?.int == told && error.details["allowed"]?.int == told && error.details["limit"] == "maxPixels")
    }

    @Test func `the description of a picture has known members, and is short and flat`() throws {
        let honest = try JSON(
            parsing: ##"{"exif":{"make":"Acme","iso":100},"blurhash":"LbM|","palette":[{"color":"#ffffff","share":0.5}],"averageColor":null}"##)
        #expect(PixelWire.description(honest).map { JSON.object($0) } == honest)
        let long = String(repeating: "x", count: 10_000)
        let hostile: JSON = [
            "secret": "x", "exif": .object(["make": .string(long)]), "palette": [[[["deep"]]]], "phash": "0123456789abcdef",
        ]
        #expect(PixelWire.description(hostile).map { JSON.object($0) } == ["phash": "0123456789abcdef"])
        // Together they are not long either.
        let each = JSON.string(String(repeating: "x", count: 5000))
        let kept = try #require(PixelWire.description(["blurhash": each, "thumbhash": each, "phash": each]))
        #expect(kept.count == 1)
        let colors: JSON = ["colors": ["rects": .array(Array(repeating: .array(Array(repeating: "#ffffff80", count: 16)), count: 16))]]
        #expect(PixelWire.description(colors).map { JSON.object($0) } == colors)
        #expect(PixelWire.description(["colors": each])?.count == 1 && PixelWire.description(["colors": .string(long)])?.count == 0)
        #expect(PixelWire.description("x") == nil && PixelWire.description(nil) == nil)
    }
}
