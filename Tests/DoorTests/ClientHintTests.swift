import Testing
import TintypeCore

@testable import ImgproxyURLs

/// The hints of clients: few values, only where the URL says nothing, and never a refusal.
@Suite struct ClientHintTests {
    static let values: [(width: String?, dpr: String?, save: String?, read: ClientHints)] = [
        ("1", nil, nil, ClientHints(width: "100")), ("100", nil, nil, ClientHints(width: "100")), ("101", nil, nil, ClientHints(width: "200")),
        ("601", nil, nil, ClientHints(width: "800")), ("99999", nil, nil, ClientHints(width: "5000")), ("0", nil, nil, .none), ("-1", nil, nil, .none),
        ("+5", nil, nil, .none), ("1e3", nil, nil, .none),
        ("100000", nil, nil, .none), ("", "", "", .none), (nil, "1.1", nil, ClientHints(dpr: "1.5")), (nil, "0.2", nil, ClientHints(dpr: "1")),
        (nil, "9", nil, ClientHints(dpr: "4")), (nil, "nan", nil, .none), (nil, "inf", nil, .none), (nil, "1.2.3", nil, .none), (nil, "2", "on", .none),
        (nil, "2", "ON", .none), (nil, "2", "off", ClientHints(dpr: "2")),
    ]

    @Test(arguments: values) func `a hint is rounded up to a step, and anything else is none`(width: String?, dpr: String?, save: String?, read: ClientHints) {
        #expect(ClientHints(width: width, dpr: dpr, savesData: save) == read)
    }

    @Test func `a stranger chooses among 16 widths and 7 densities`() {
        let widths = Set((1...99_999).map { ClientHints(width: "\($0)").width })
        let densities = Set((0...1000).map { ClientHints(dpr: "\(Double($0) / 100)").dpr })
        #expect(widths.count == 16 && widths.compactMap { $0 }.max() == 5000 && densities.count == 7)
    }

    static let rows: [(options: String, shown: String, varies: [String])] = [
        ("", "resize(width=300)", ["Sec-CH-Width"]), ("w:10/", "resize(width=20)", ["Sec-CH-DPR", "Save-Data"]),
        ("h:10/", "resize(height=20)", ["Sec-CH-DPR", "Save-Data"]), ("w:10/dpr:3/", "resize(width=30)", []),
        ("w:10/dpr:1/", "resize(width=10)", []), ("dpr:1/", "", []),
        ("w:10000/", "resize(width=10000)", ["Sec-CH-DPR", "Save-Data"]),
    ]

    @Test(arguments: rows) func `hints complete only what the URL leaves out`(options: String, shown: String, varies: [String]) throws {
        var policy = DoorPolicy()
        let target = Array("/_/\(options)plain/http://h/a".utf8)
        func plan() throws -> DoorPlan {
            try PictureDoor(URLSignature(pairs: [], unsigned: .named), policy).plan(target, hints: ClientHints(width: "250", dpr: "2"), now: 0)
        }
        #expect(try plan().varies == [])
        policy.heedsHints = true
        #expect(try PictureOptionTests.show(plan().request) == shown && plan().varies == varies)
    }

    static let refused: [(options: String, shown: String, varies: [String])] = [
        ("rs:force/", "", ["Sec-CH-Width"]), ("z:4/", "resize(scale=4)", ["Sec-CH-Width"]), ("", "resize(width=5000)", ["Sec-CH-Width"]),
        ("w:9000/", "resize(width=9000)", ["Sec-CH-DPR", "Save-Data"]),
        ("w:10/pd:9000/", "resize(width=10) extend(top=9000,right=9000,bottom=9000,left=9000)", ["Sec-CH-DPR", "Save-Data"]),
    ]

    @Test(arguments: refused) func `a hint that makes a refused use of a good URL is dropped`(options: String, shown: String, varies: [String]) throws {
        var policy = DoorPolicy()
        policy.heedsHints = true
        let plan = try PictureDoor(URLSignature(pairs: [], unsigned: .named), policy).plan(
            Array("/_/\(options)plain/http://h/a".utf8), hints: ClientHints(width: "9000", dpr: "2"), now: 0)
        #expect(PictureOptionTests.show(plan.request) == shown && plan.varies == varies)
    }

    @Test func `a use that is refused without hints is refused with them`() throws {
        var policy = DoorPolicy()
        policy.heedsHints = true
        let refusal = try #require(throws: DoorRefusal.self) {
            try PictureDoor(URLSignature(pairs: [], unsigned: .named), policy).plan(
                Array("/_/rs:force/bl:300/plain/http://h/a".utf8), hints: ClientHints(width: "9000"), now: 0)
        }
        #expect(refusal.option == "blur", "\(refusal)")
    }
}
