import TintypeCore
import TintypeImages

/// A file of the dashboard, as browsers get it. Pure.
///
/// A browser has no use for comments on lines of their own and for indentation. In a style sheet, spaces beside punctuation mean nothing.
/// The tests of the files hold that such lines and spaces are nothing else.
struct PageFile: Sendable {
    let name: String
    let type: String
    let body: [UInt8]
    /// The entity tag.
    let tag: String

    init(_ name: String, _ source: [UInt8]) {
        self.name = name
        type =
            switch name.split(separator: ".").last {
            case "html": "text/html; charset=utf-8"
            case "css": "text/css; charset=utf-8"
            default: "text/javascript; charset=utf-8"
            }
        body = Self.served(source, isStyle: name.hasSuffix(".css"))
        tag = EntityTag.text(sha256: Digest.sha256Hex(body, digits: 32))
    }

    /// Returns the file without comments on lines of their own, without indentation and without empty lines.
    /// - Parameter isStyle: Whether the file is a style sheet, which loses the spaces behind `:`, `;`, `,` and `{`, and those before `{` and `}`.
    static func served(_ source: [UInt8], isStyle: Bool = false) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(source.count)
        var isInComment = false
        for line in source.split(separator: UInt8(ascii: "\n")) {
            let text = line.drop { $0 == UInt8(ascii: " ") }
            if text.starts(with: "/*".utf8) { isInComment = true }
            if !isInComment, !text.isEmpty, !text.starts(with: "//".utf8) {
                body += isStyle ? withoutSpaces(text) : text
                body.append(UInt8(ascii: "\n"))
            }
            if isInComment, text.firstRange(of: Array("*/".utf8)) != nil { isInComment = false }
        }
        return body
    }

    private static func withoutSpaces(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let space = UInt8(ascii: " ")
        let (before, behind) = (Array("{}".utf8), Array(":;,{".utf8))
        var text: ArraySlice<UInt8> = []
        for (at, byte) in zip(line.indices, line) {
            let next = line.index(after: at) < line.endIndex ? line[at + 1] : space
            if byte == space, before.contains(next) || text.last.map(behind.contains) == true { continue }
            text.append(byte)
        }
        return text
    }

    /// All files by their names.
    static let all = Dictionary(
        uniqueKeysWithValues: [
            PageFile("index.html", PackageResources.index_html), PageFile("page.css", PackageResources.page_css),
            PageFile("api.js", PackageResources.api_js), PageFile("blur.js", PackageResources.blur_js), PageFile("chart.js", PackageResources.chart_js),
            PageFile("dom.js", PackageResources.dom_js), PageFile("failures.js", PackageResources.failures_js),
            PageFile("live.js", PackageResources.live_js), PageFile("main.js", PackageResources.main_js),
            PageFile("overview.js", PackageResources.overview_js), PageFile("playground.js", PackageResources.playground_js),
            PageFile("queues.js", PackageResources.queues_js), PageFile("receipt.js", PackageResources.receipt_js),
            PageFile("request.js", PackageResources.request_js), PageFile("room.js", PackageResources.room_js),
            PageFile("search.js", PackageResources.search_js), PageFile("series.js", PackageResources.series_js),
            PageFile("sheet.js", PackageResources.sheet_js), PageFile("table.js", PackageResources.table_js),
            PageFile("text.js", PackageResources.text_js), PageFile("workers.js", PackageResources.workers_js),
        ].map { ($0.name, $0) })
}
