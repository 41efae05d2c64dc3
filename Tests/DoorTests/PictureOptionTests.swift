import TestSupport
import Testing
import TintypeCore
import TintypeImages

@testable import ImgproxyURLs

/// From the options of a URL to the request, or to a refusal with the option's name.
@Suite(.tags(.optimized)) struct PictureOptionTests {
    private static let presets = "sharp=sharpen:0.7\nbig=w:2000/pr:sharp\nbare=\n"

    static let policy: DoorPolicy = {
        var policy = DoorPolicy()
        policy.presets = (try? PicturePresets(text: presets)) ?? .none
        policy.watermark = "http://w/w.png"
        return policy
    }()

    static func plan(_ options: String, _ policy: DoorPolicy = policy, accept: String? = nil, now: Int = 1000) throws(DoorRefusal) -> DoorPlan {
        let pieces = options.split(separator: " ", omittingEmptySubsequences: false)
        let behind = pieces.count > 1 ? pieces[1] : ""
        let target = "/_" + (pieces[0].isEmpty ? "" : "/" + pieces[0]) + "/plain/http://h/a.jpg" + behind
        return try PictureDoor(URLSignature(pairs: [], unsigned: .named), policy).plan(Array(target.utf8), accept: accept, now: now)
    }

    /// Plans a row. Options that only presets may have come from a preset.
    static func plan(of row: Row) throws(DoorRefusal) -> DoorPlan {
        let options = row.options.replacing("<none>", with: "")
        let names = options.split(separator: "/").map { String($0.prefix { $0 != ":" }) }
        guard names.contains(where: { (try? PictureOptionTable.option(named: $0))?.isOperators ?? false }) else { return try plan(options) }
        var policy = policy
        policy.presets = try PicturePresets(text: presets + "row=" + options)
        return try plan("pr:row", policy)
    }

    /// The request in few words: `resize(width=3) output(format=webp)`. The source and the usual metadata are left out.
    static func show(_ request: JSONObject) -> String {
        func text(_ value: JSON) -> String {
            if let items = value.array { return items.map(text).joined(separator: "+") }
            if let object = value.object { return object.members.map { "\($0.0):\(text($0.1))" }.joined(separator: ";") }
            return value.string ?? value.text
        }
        func call(_ name: String, _ members: [(String, JSON)]) -> String {
            "\(name)(\(members.map { "\($0.0)=\(text($0.1))" }.joined(separator: ",")))"
        }
        var words: [String] = []
        for (name, value) in request.members.map({ ($0.0, $0.1) }) where name != "url" {
            if name == "transform" {
                for step in value.array ?? [] {
                    words.append(call(step["op"]?.string ?? "", (step.object?.members ?? []).map { ($0.0, $0.1) }.filter { $0.0 != "op" }))
                }
            } else if let object = value.object {
                let members = object.members.map { ($0.0, $0.1) }.filter { name != "output" || $0.0 != "metadata" || $0.1 != "copyright" }
                if !members.isEmpty { words.append(call(name, members)) }
            } else {
                words.append("\(name)=\(text(value))")
            }
        }
        return words.joined(separator: " ")
    }

    /// `OPTIONS = REQUEST`, or `OPTIONS ! REASON OPTION`. Behind a space stands what follows the source.
    struct Row: Sendable, CustomTestStringConvertible {
        let options: String
        let expected: String
        let isRefused: Bool
        var testDescription: String { options }

        init(_ line: Substring) {
            let mark = line.contains(" ! ") ? " ! " : " = "
            let halves = line.split(separator: mark, maxSplits: 1)
            (options, expected, isRefused) = (String(halves[0]), halves.count > 1 ? String(halves[1]) : "", mark == " ! ")
        }
    }

    static let rows = table.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { Row($0.hasSuffix(" =") ? $0 + " " : $0) }

    @Test(arguments: rows) func `options become a request or a refusal`(row: Row) throws {
        do {
            let plan = try Self.plan(of: row)
            #expect(!row.isRefused && Self.show(plan.request) == row.expected, "\(Self.show(plan.request))")
            _ = try plan.imageRequest()
        } catch let refusal as DoorRefusal {
            #expect(
                row.isRefused && [refusal.reason.rawValue, refusal.option ?? ""].filter { !$0.isEmpty }.joined(separator: " ") == row.expected, "\(refusal)")
            #expect(refusal.message.count > 10)
        }
    }

    @Test func `there are at least 200 rows, and every option that is read is in one`() {
        #expect(Self.rows.count >= 200)
        let names = Set(Self.rows.flatMap { $0.options.split(separator: "/") }.map { String($0.prefix { $0 != ":" }) })
        for option in PictureOptionTable.all where option.change != nil {
            for name in [option.name] + option.aliases { #expect(names.contains(name), "\(name) has no row") }
        }
    }

    @Test func `the table has the 45 free options of imgproxy 4, and each name once`() {
        #expect(PictureOptionTable.all.count { !$0.isPro } == 45)
        let names = PictureOptionTable.all.flatMap { [$0.name] + $0.aliases }
        #expect(Set(names).count == names.count)
    }

    @Test func `every gap belongs to an option, and a row or a test asks for each use`() throws {
        let refused = Set(
            Self.rows.filter(\.isRefused).compactMap { row -> String? in
                do throws(DoorRefusal) {
                    _ = try Self.plan(of: row)
                    return nil
                } catch {
                    return error.reason == .notSupported ? error.message : nil
                }
            })
        for gap in DoorGap.all {
            #expect(PictureOptionTable.all.contains { $0.name == gap.option }, "\(gap.option)")
            #expect(refused.contains(gap.refusal.message), "no row: \(gap.refusal.message)")
        }
    }

    static let filenames: [(options: String, name: String?)] = [
        ("fn:cat.jpg", "cat.jpg"), ("filename:cat%20x.jpg", "cat x.jpg"), ("fn:Y2F0:1", "cat"), ("fn:Y2F0:t", "cat"), ("fn:", nil), ("fn:%C3%BC", "ü"),
        ("w:1", nil),
    ]

    @Test(arguments: filenames) func `the filename is percent-encoded or in Base64`(options: String, name: String?) throws {
        #expect(try Self.plan(options).filename == name)
    }

    @Test func `an attachment and an expiry are terms of the answer`() throws {
        #expect(try Self.plan("att:1").isAttachment && !Self.plan("att:0").isAttachment && !Self.plan("w:1").isAttachment)
        #expect(try Self.plan("exp:1001").expires == 1001 && Self.plan("exp:").expires == nil && Self.plan("exp:0").expires == nil)
        for now in [1001, 1002, .max] {
            #expect(try #require(throws: DoorRefusal.self) { try Self.plan("exp:1001", now: now) }.reason == .expired)
        }
    }

    @Test func `a cache buster changes nothing of an unsigned request`() throws {
        #expect(try Self.plan("w:1/cb:a").request == Self.plan("w:1/cachebuster:b").request)
    }

    @Test(arguments: ["msr:1", "msfs:1", "maf:1", "mafr:1", "mrd:1", "bc:1"]) func `limits are lifted by presets alone`(options: String) throws {
        let refusal = try #require(throws: DoorRefusal.self) { try Self.plan(options) }
        #expect(refusal.reason == .notAllowed && refusal.error.name == .forbidden)
        var policy = DoorPolicy()
        policy.presets = try PicturePresets(text: "lifted=\(options)")
        #expect(try Self.plan("pr:lifted", policy).request != Self.plan("").request)
    }

    @Test func `tags of a URL need a signature, and stand beside those of presets`() throws {
        let pair = try #require(URLSignature.Pair(key: "736563726574", salt: "68656C6C6F"))
        var policy = DoorPolicy()
        policy.presets = try PicturePresets(text: "shop=tag:shop:a\nnews=ct:news")
        func tags(_ options: String, unsigned: Bool = false) throws -> [String] {
            let signature = URLSignature(pairs: [pair], unsigned: unsigned ? .named : .refused)
            let path = "/\(options)/plain/http://h/a.jpg"
            let plan = try PictureDoor(signature, policy).plan(Array((unsigned ? "/_" + path : signature.signing(path)).utf8), now: 0)
            #expect(plan.request["cache"]?["tags"]?.array?.compactMap { $0.string } ?? [] == plan.tags)
            return plan.tags
        }
        #expect(try tags("ct:a:b:a") == ["a", "b"] && tags("ct:a/ct:b") == ["b"] && tags("ct:a/ct:") == [])
        #expect(try tags("pr:shop/ct:b:a/cb:v2") == ["shop", "a", "b", "v2"])
        #expect(try tags("pr:news", unsigned: true) == ["news"])
        #expect(try #require(throws: DoorRefusal.self) { try tags("ct:a", unsigned: true) }.reason == .notAllowed)
        #expect(try #require(throws: DoorRefusal.self) { try tags("ct:%20") }.option == "cache_tags")
        #expect(try #require(throws: DoorRefusal.self) { try tags("ct:1:2:3:4:5:6:7:8") }.option == "cache_tags")
        #expect(try #require(throws: DoorRefusal.self) { try tags("pr:shop/ct:1:2:3:4:5:6") }.option == "cache_tags")
    }

    @Test func `a watermark needs a picture of the operator or of the URL`() throws {
        #expect(try #require(throws: DoorRefusal.self) { try Self.plan("wm:1", DoorPolicy()) }.option == "watermark")
        #expect(try Self.show(Self.plan("wm:1/wmu:aHR0cDovL3gveQ", DoorPolicy()).request) == "composite(url=http://x/y,opacity=1,gravity=center)")
    }

    @Test func `a misspelt option names its neighbor, and a long one is cut`() throws {
        let refusal = try #require(throws: DoorRefusal.self) { try Self.plan("w:1/heigth:4") }
        #expect(refusal.message.contains("height") && refusal.position == 7)
        let long = try #require(throws: DoorRefusal.self) { try Self.plan(String(repeating: "x", count: 5000) + ":1") }
        #expect(long.message.count < 100 && long.option?.count == 40)
    }
}
