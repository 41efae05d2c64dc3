import TestSupport
import TintypeCore
import Testing

@testable import Console

/// The input and the output of `tintype batch`.
@Suite(.tags(.optimized)) struct BatchTextTests {
    static let files: [(text: String, items: [JSON])] = [
        ("", []), ("\u{feff}http://a/\r\n", [["url": "http://a/"]]), ("\u{feff}[\"http://a/\"]", [["url": "http://a/"]]), ("\n# nothing\n  \n", []), ("[]", []),
        ("http://a/\r\n  http://b/?x={1}  \n", [["url": "http://a/"], ["url": "http://b/?x={1}"]]),
        (#"{"url":"http://a/","priority":1}"# + "\nhttp://b/", [["url": "http://a/", "priority": 1], ["url": "http://b/"]]),
        ("  \n[\"http://a/\",\n {\"url\": \"http://b/\"}]\n", [["url": "http://a/"], ["url": "http://b/"]]),
    ]

    @Test(arguments: files)
    func `a batch is read from an array or from one request on each line`(text: String, items: [JSON]) throws {
        #expect(try BatchText.items(text) == items)
    }

    @Test(arguments: [
        ("http://a/\n{geheim", "line 2"), ("[1]", "item 0"), ("[\"a\", geheim", "not a JSON array"), ("{\"geheim\":1}]", "line 1"),
    ])
    func `a mistake names its line and quotes nothing that may be secret`(text: String, place: String) throws {
        let error = try #require(throws: UsageError.self) { try BatchText.items(text) }
        #expect(error.mistakes.first?.contains(place) == true && error.mistakes.first?.contains("geheim") == false)
    }

    @Test func `the end of a batch prints a line for each item and a count`() {
        let group: JSON = [
            "group": "g-1",
            "results": [
                ["index": 0, "state": "succeeded", "result": ["renditions": [["url": "/images/k"]]]],
                ["index": 1, "state": "failed", "error": ["message": "the origin answered 404"]],
            ],
        ]
        let lines = GroupText.text(group, items: [["url": "http://a/?token=geheim"], ["url": "http://b/"]]).split(separator: "\n")
        #expect(lines.count == 4 && lines[1].hasSuffix("/images/k") && lines[2].contains("404"))
        #expect(lines[3] == "g-1: 1 failed, 1 succeeded" && !lines[1].contains("geheim"))
        #expect(GroupText.text(["group": "g-2", "results": []], items: []) == "g-2: nothing to do")
    }

    @Test func `the bar counts the items of a group`() {
        var bar = ProgressBar()
        let isNews = bar.take(["type": "progress", "finished": 3, "total": 4])
        #expect(isNews && bar.plain == "loading: 3 of 4" && bar.line(width: 80).contains("75%"))
    }
}
