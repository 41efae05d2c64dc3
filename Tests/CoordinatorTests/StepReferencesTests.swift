import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Coordinator
@testable import TintypeGroups

/// The values of references to results of earlier steps.
@Suite(.tags(.optimized), .timeLimit(.minutes(1))) struct StepReferencesTests {
    private static let results: [Int: JSON] = [
        0: [
            "source": ["finalURL": "http://a/x", "width": 40, "ratio": 1.5, "hasAlpha": true, "etag": .null, "odd.name": 1],
            "renditions": [["name": "one", "key": "k1"], ["name": "two", "key": "k2"]],
        ],
        2: ["source": ["finalURL": "http://c/"]],
    ]

    static let resolved: [(request: JSON, becomes: JSON)] = [
        (["url": "${steps[0].source.finalURL}"], ["url": "http://a/x"]),
        (["url": "http://b/?u=${steps[0].source.finalURL}&w=${steps[0].source.width}"], ["url": "http://b/?u=http://a/x&w=40"]),
        // A text that is only a reference takes the value unchanged.
        (["w": "${steps[0].source.width}", "r": "${steps[0].source.ratio}"], ["w": 40, "r": 1.5]),
        (["all": "${steps[2].source}"], ["all": ["finalURL": "http://c/"]]),
        (["deep": [["key": "${steps[0].renditions[1].key}"]]], ["deep": [["key": "k2"]]]),
        (["text": "${steps[0].source.hasAlpha}!"], ["text": "true!"]),
        // These are not references.
        (["text": "$steps[0] ${other} ${ steps[0]} }{$"], ["text": "$steps[0] ${other} ${ steps[0]} }{$"]),
        (["n": 7, "list": [true, .null]], ["n": 7, "list": [true, .null]]),
    ]

    @Test func `the steps that a request refers to are known before it runs`() {
        #expect(StepReferences.steps(in: ["url": "${steps[3].a}${steps[12].b}", "list": ["${steps[3]}", "${steps[x].c}", 7], "text": "${steps["]) == [3, 12])
        #expect(StepReferences.steps(in: ["url": "$steps[0]"]).isEmpty)
        // Each opening is read only as far as a number goes. Otherwise this would take hours.
        #expect(StepReferences.steps(in: .string(String(repeating: "${steps[", count: 500_000))).isEmpty)
    }

    @Test(arguments: resolved)
    func `references are replaced by their values`(request: JSON, becomes: JSON) throws {
        #expect(try StepReferences.resolve(request, of: 3, Self.results) == becomes)
    }

    static let broken: [(text: String, reference: String)] = [
        ("${steps[1].source.finalURL}", "${steps[1].source.finalURL}"), ("${steps[9].source}", "${steps[9].source}"),
        ("${steps[0].source.nothing}", "${steps[0].source.nothing}"), ("${steps[0].source.etag}", "${steps[0].source.etag}"),
        ("${steps[0].renditions[2].key}", "${steps[0].renditions[2].key}"), ("${steps[-1].source}", "${steps[-1].source}"),
        ("${steps[x].source}", "${steps[x].source}"), ("${steps[0]source}", "${steps[0]source}"), ("${steps[0].}", "${steps[0].}"),
        ("${steps[0].source.width.more}", "${steps[0].source.width.more}"), ("a ${steps[0].source} b", "${steps[0].source}"),
        ("${steps[0", "${steps[0"), ("${steps[0].a hush", "${steps[0].a"), ("${steps[0].\u{e9} hush}", "${steps[0]."),
        ("ok ${steps[0].source.width} ${steps[7]}", "${steps[7]}"), ("${steps[]}", "${steps[]}"),
    ]

    @Test(arguments: broken)
    func `an unresolved reference is reported with its place`(text: String, reference: String) throws {
        let error = try #require(throws: TintypeError.self) {
            try StepReferences.resolve(["fetch": ["headers": ["x": .string(text)]]], of: 3, Self.results)
        }
        #expect(error.name == .invalidParams && error.details["path"] == "steps[3].fetch.headers.x")
        #expect(error.details["value"] == .string(reference))
    }

    @Test func `numbers of a body keep their digits in a longer text`() throws {
        let body = JSONText(checked: Array(#"{"id": 18446744073709551615, "price": 1.50, "n": [7]}"#.utf8))
        let results = [0: StepReferences.opened(["json": .raw(body)])]
        let request: JSON = ["url": "http://b/${steps[0].json.id}/${steps[0].json.price}/${steps[0].json.n[0]}", "tag": "${steps[0].json}"]
        let resolved = try StepReferences.resolve(request, of: 1, results)
        #expect(resolved == ["url": "http://b/18446744073709551615/1.50/7", "tag": ["id": .double(18446744073709551616), "price": 1.5, "n": [7]]])
    }

    @Test func `the client's own members are read the same from memory and from Redis`() throws {
        let text = #"{"userInfo":{"json":{"id":7},"list":[{"json":"abc"}]}}"#
        for kept in [JSON.Kept.nothing, .bodies] {
            let results = [0: StepReferences.opened(try JSON(parsing: text, keeping: kept))]
            let request: JSON = ["url": "http://b/${steps[0].userInfo.json.id}/${steps[0].userInfo.list[0].json}"]
            #expect(try StepReferences.resolve(request, of: 1, results) == ["url": "http://b/7/abc"])
        }
    }

    @Test func `references inside a result are not resolved again`() throws {
        let results: [Int: JSON] = [0: ["tag": "${steps[0].secret}", "secret": "s"]]
        #expect(try StepReferences.resolve(["url": "${steps[0].tag}x"], of: 1, results) == ["url": "${steps[0].secret}x"])
    }

    @Test func `steps that double earlier values fail before they are too large`() throws {
        var results: [Int: JSON] = [0: ["userInfo": ["x": .string(String(repeating: "x", count: 100_000))]]]
        let error = try #require(throws: TintypeError.self) {
            for step in 1...40 {
                let earlier = JSON.string("${steps[\(step - 1)].userInfo}")
                results[step] = try StepReferences.resolve(["url": "http://a/", "userInfo": ["a": earlier, "b": earlier]], of: step, results)
            }
        }
        #expect(error.name == .invalidParams && error.message.contains("4 MiB"), "\(error)")
        #expect(error.details["path"] == "steps[6].userInfo.b", "\(error)")
    }

    static let large: [JSON] = [
        // All references are in one text.
        ["url": .string(String(repeating: "${steps[0].text}", count: 5))],
        // Each text is short, but there are many.
        ["userInfo": ["all": .array(Array(repeating: "${steps[0].text}", count: 5))]],
        // Control characters take six bytes each.
        ["userInfo": ["all": "${steps[0].control}"]],
        ["userInfo": ["all": "${steps[0].list}"]],
    ]

    @Test(arguments: large)
    func `a resolved request has at most 4 MiB`(request: JSON) throws {
        let results: [Int: JSON] = [
            0: [
                "text": .string(String(repeating: "x", count: 1 << 20)), "control": .string(String(repeating: "\u{1}", count: 1 << 20)),
                "list": .array(Array(repeating: 12345, count: 1 << 20)),
            ]
        ]
        let error = try #require(throws: TintypeError.self) { try StepReferences.resolve(request, of: 1, results) }
        #expect(error.name == .invalidParams && error.message.contains("4 MiB") && error.message.utf8.count < 1000)
        #expect(try StepReferences.resolve(["url": "${steps[0].text}${steps[0].text}"], of: 1, results)["url"]?.string?.utf8.count == 2 << 20)
    }

    private func nested(_ depth: Int, _ inner: JSON) -> JSON { (0..<depth).reduce(inner) { json, _ in ["a": json] } }

    @Test func `a resolved request has at most 64 levels, like any message`() throws {
        let results: [Int: JSON] = [0: ["deep": nested(40, "x")]]
        #expect(try StepReferences.resolve(nested(21, "${steps[0].deep}"), of: 1, results) == nested(61, "x"))
        let error = try #require(throws: TintypeError.self) { try StepReferences.resolve(nested(22, "${steps[0].deep}"), of: 1, results) }
        #expect(error.name == .invalidParams && error.message.contains("64 levels"), "\(error)")
    }

    static let items: [(item: JSON, mayRefer: Bool, path: String?)] = [
        (["url": "http://a/"], false, nil), (["url": 7], false, "items[2].url"), (["url": "http://a/", "priorty": 1], false, "items[2].priorty"),
        ("http://a/", false, "items[2]"), (["url": "http://a/", "output": ["format": "bmp2"]], false, "items[2].output.format"),
        // Such a URL cannot be loaded, which is the item's own failure and not the group's.
        (["url": "not a url"], false, nil), (["url": "gopher://a/"], false, nil),
        (["url": "${steps[0].source.finalURL}", "transform": [["op": "resize", "width": "${steps[0].source.width}"]]], true, nil),
        (["url": "http://a/", "transform": [["op": "resize", "width": "${steps[0].source.width}"]]], false, "items[2].transform[0].width"),
    ]

    @Test(arguments: items)
    func `a mistake in an item is reported with its place`(item: JSON, mayRefer: Bool, path: String?) {
        do throws(TintypeError) {
            let read = try GroupItems.item(item, at: "items[2]", priority: "low", mayRefer: mayRefer)
            #expect(path == nil)
            #expect(read["detached"] == true && read["priority"] == "low" && read["url"] == item["url"])
        } catch {
            #expect(error.details["path"]?.string == path && error.name == .invalidParams)
        }
    }
}
