import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import ImgproxyURLs

/// For all bytes, a picture URL becomes a request or a typed refusal. `scripts/fuzz parsers` runs longer, with the address sanitizer.
@Suite(.tags(.timed), .timeLimit(.minutes(60)), .serialized) struct DoorParserFuzzTests {
    private static let seeds =
        PictureOptionTests.rows.map { "/_/\($0.options.replacing(" ", with: "/plain/http://h/a.jpg"))/plain/http://h/a.jpg" } + [
            "/_/plain/http://h/a%20b%3Fc@png", "/_/aHR0/cDovL2gv/YQ.webp", "/_/enc/abcd", "/_/pr:sharp:big/exp:5/aHR0cDovL2gvYQ==",
        ]

    /// The word for an outcome. Throws if a refusal says too little.
    private static func word(_ target: [UInt8], onlyPresets: Bool) throws -> String {
        var policy = PictureOptionTests.policy
        policy.allowsOnlyPresets = onlyPresets
        do {
            let plan = try PictureDoor(URLSignature(pairs: [], unsigned: .named), policy).plan(target, accept: "image/webp", now: 1000)
            do {
                return "request \(try plan.imageRequest().renditions.first?.operations.count ?? 0)"
            } catch {
                // The rules for addresses are those of every request.
                guard [.invalidURL, .denied].contains(error.name) else { throw BrokenRule("the plan is no request: \(error)") }
                return "\(error.name)"
            }
        } catch let refusal as DoorRefusal {
            guard !refusal.message.isEmpty, refusal.message.utf8.count < 500, refusal.position.map({ (0...target.count).contains($0) }) ?? true else {
                throw BrokenRule("a poor refusal: \(refusal)")
            }
            return "\(refusal.reason) \(refusal.option.map { $0.count } ?? 0)"
        }
    }

    private static let targets = [
        FuzzTarget("picture url", seeds) { try word($0, onlyPresets: false) },
        FuzzTarget("picture url with presets only", ["/_/sharp:big/exp:2000/cb:a/plain/http://h/a@png", "/_/sharp/aHR0cDovL2gvYQ"]) {
            try word($0, onlyPresets: true)
        },
        FuzzTarget("presets", ["default=w:3/el:1\n# no\na=pr:b:b/q:5\nb=bl:2\n", "a=pr:a"]) { bytes in
            do {
                return "\(min(try PicturePresets(text: String(decoding: bytes, as: UTF8.self)).names.count, 4))"
            } catch let refusal as DoorRefusal {
                guard refusal.message.hasPrefix("line ") else { throw BrokenRule("no line: \(refusal)") }
                return "\(refusal.reason)"
            }
        },
    ]

    @Test(arguments: targets) func `a picture URL of any bytes becomes a request or a refusal`(target: FuzzTarget) { target.run() }

    /// 10,000 URLs in every run: options are put together, cut, repeated and changed by chance.
    @Test func `ten thousand mutated URLs become requests or refusals`() throws {
        var dice = Dice(7)
        let pieces = PictureOptionTests.rows.map(\.options)
        var requests = 0
        for number in 0..<10_000 {
            let options = (0..<Int.random(in: 0...4, using: &dice)).map { _ in dice.of(pieces).split(separator: " ").first.map(String.init) ?? "w:1" }
            var bytes = Array(("/_/" + options.joined(separator: "/") + (options.isEmpty ? "" : "/") + "plain/http://h/a%20b.jpg@webp").utf8)
            // Half of them stay whole, so that requests are seen, too.
            for _ in 0..<(number % 2 == 0 ? 0 : Int.random(in: 1...6, using: &dice)) {
                let place = Int.random(in: 0..<bytes.count, using: &dice)
                switch Int.random(in: 0..<4, using: &dice) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &dice)
                case 1: bytes.insert(dice.of(Array("/:@%.,-0195".utf8)), at: place)
                case 2: if bytes.count > 1 { bytes.remove(at: place) }
                default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 9)], at: place)
                }
            }
            if try Self.word(bytes, onlyPresets: number % 16 == 3).hasPrefix("request") { requests += 1 }
        }
        #expect(requests > 1000, "\(requests)")
    }
}
