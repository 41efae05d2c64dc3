import Testing

@testable import TintypeCore
@testable import TintypeImages

/// The work on members that no description knows. A message may have hundreds of thousands of them.
@Suite(.timeLimit(.minutes(1))) struct UnknownMembersTests {
    private static let shape = ParameterType.object([
        ParameterDescription("color", .string(), ""), ParameterDescription("width", .string(), ""), ParameterDescription("height", .string(), ""),
    ])

    private func object(_ strange: Int, known: [String] = []) -> JSON {
        let unknown: [(String, JSON)] = (0..<strange).map { ("colour\($0)", 1) }
        return .object(JSONObject(unknown + known.map { ($0, 1) }))
    }

    @Test(arguments: [(0, 0), (1, 1), (32, 32), (33, 0), (300_000, 0)])
    func `no more than 32 unknown members are compared with the known names`(strange: Int, compared: Int) {
        let members = UnknownMembers(in: object(strange, known: ["width", "height"]), to: Self.shape)
        #expect(members.count == strange && members.compared == compared)
    }

    @Test func `the shape with fewer unknown members is meant, then that with more slips`() {
        func members(_ json: JSON) -> UnknownMembers { UnknownMembers(in: json, to: Self.shape) }
        #expect(members(["color": 1]) < members(["colour": 1]) && members(["colour": 1]) < members(["bogus": 1]))
        #expect(members(["bogus": 1]) < members(["colour": 1, "widht": 1]) && members(object(40)) < members(object(41)))
        #expect(UnknownMembers(in: object(9), to: .string()).count == 0 && UnknownMembers(in: "text", to: Self.shape).count == 0)
    }

    /// Names that count how often they are asked for.
    private struct CountedNames: Sequence {
        final class Count { var value = 0 }
        let count = Count()
        func makeIterator() -> AnyIterator<String> {
            AnyIterator { [count] in
                count.value += 1
                return count.value > 3 ? nil : "n\(count.value)"
            }
        }
    }

    @Test(arguments: [("n2x", true), (String(repeating: "x", count: 128), true), (String(repeating: "x", count: 129), false)])
    func `a long word is compared with no name`(word: String, isCompared: Bool) {
        let names = CountedNames()
        _ = NearestName.of(word, among: names)
        #expect((names.count.value > 0) == isCompared)
    }

    @Test(arguments: [
        ("wepb", "webp"), ("WEBP", "webp"), ("webpx", "webp"), ("ewbp", "webp"), ("jpg", "jpeg"), ("pgn", "png"), ("", nil), ("x", nil), ("jxlxlx", nil),
        ("heigth", "height"), ("hieght", "height"), ("hegth", "height"), ("idth", "width"), ("wdith", "width"), ("wxyth", "width"), ("wxyzh", nil),
    ]) func `one or two slips are found`(word: String, name: String?) {
        #expect(NearestName.of(word, among: ["webp", "png", "jpeg", "width", "height"]) == name)
    }

    @Test(arguments: ["fallback", "progress", "fetch.auth", "cache", "transform[0]"])
    func `an object of many unknown members is refused by its first ones`(place: String) throws {
        let many = object(100_000)
        var request: JSONObject = ["url": "http://h.test/"]
        switch place {
        case "fetch.auth": request["fetch"] = ["auth": many]
        case "transform[0]": request["transform"] = .array([.object(JSONObject([("op", "resize")]).merging(many.object ?? [:]))])
        default: request[place] = many
        }
        let error = try #require(throws: TintypeError.self) { try ImageRequest(.object(request)) }
        #expect(error.name == .invalidParams && error.details["path"]?.string?.hasPrefix(place) == true && error.json.text.utf8.count < 2000, "\(error)")
    }

    @Test func `a long name is not shown`() throws {
        let name = String(repeating: "n", count: 1 << 20)
        for json in [.object([name: 1]), ["userInfo": [:], "fetch": .object([name: 1])], ["fetch": ["headers": .object([name: 7])]]] as [JSON] {
            let error = try #require(throws: TintypeError.self) { try ImageRequest(.object(JSONObject([("url", "http://h/")]).merging(json.object ?? [:]))) }
            #expect(error.name == .invalidParams && error.json.text.utf8.count < 4000 && error.message.contains("(a name of 1048576 bytes)"))
        }
    }
}
