import TestSupport
import Testing
import TintypeCore

@testable import TintypeImages

/// The operations of a rendition, as operators may see them.
@Suite(.tags(.optimized)) struct ShownOperationsTests {
    private static let rows: [(transform: String, shown: String)] = [
        ("", "[]"), (#"{"op":"resize","width":20}"#, #"[{"op":"resize","width":20}]"#),
        (#"{"op":"pixelate","size":1}"#, "[]"), (#"{"op":"autorotate","enabled":false}"#, #"[{"op":"autorotate","enabled":false}]"#),
        (
            #"{"op":"composite","url":"https://me:secret@h/a?key=secret"}"#,
            #"[{"op":"composite","url":"https://h/a?key=***"}]"#
        ),
        (#"{"op":"blur","sigma":2,"mask":"https://h/a?key=secret"}"#, #"[{"op":"blur","sigma":2,"mask":"https://h/a?key=***"}]"#),
        (#"{"op":"animate","urls":["https://h/a?key=secret","data:,secret"]}"#, #"[{"op":"animate","urls":["https://h/a?key=***","data:,***"]}]"#),
    ]

    private static func shown(_ transform: String, rules: Rules = .none) throws -> JSON {
        try ImageRequest(JSON(parsing: Array(#"{"url":"http://h/p","transform":[\#(transform)]}"#.utf8)), rules: rules).renditions[0].shownOperations
    }

    @Test(arguments: rows) func `operations have their canonical form, and no secret`(row: (transform: String, shown: String)) throws {
        let shown = try Self.shown(row.transform).text
        #expect(shown == row.shown && !shown.contains("secret"))
    }

    @Test func `of operations that are very long only the names stay`() throws {
        let long = String(repeating: "x", count: 1000)
        let steps = (0..<3).map { _ in #"{"op":"text","text":"\#(long)"}"# }.joined(separator: ",")
        #expect(try Self.shown(steps).text == #"[{"op":"text"},{"op":"text"},{"op":"text"}]"#)
        let most = (0..<32).map { _ in #"{"op":"text","text":"\#(long)"}"# }.joined(separator: ",")
        #expect(try Self.shown(most).text.utf8.count <= Rendition.mostShownBytes)
    }
}
