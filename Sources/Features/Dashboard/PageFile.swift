import Coordinator
import TintypeCore
import TintypeImages

/// A file of the dashboard, as browsers get it. Pure.
///
/// A browser has no use for comments on lines of their own and for indentation. In scripts and style sheets, spaces and ends of lines beside punctuation
/// mean nothing, except in texts. The tests of the files hold that nothing else goes.
struct PageFile: Sendable {
    let name: String
    let type: String
    let body: [UInt8]
    /// The entity tag.
    let tag: String

    /// The kind of a file, by the end of its name.
    enum Kind: String { case html, css, js }

    init(_ name: String, _ source: [UInt8]) {
        let kind = Kind(rawValue: name.split(separator: ".").last.map(String.init) ?? "") ?? .js
        self.name = name
        type =
            switch kind {
            case .html: "text/html; charset=utf-8"
            case .css: "text/css; charset=utf-8"
            case .js: "text/javascript; charset=utf-8"
            }
        body = Self.served(source, as: kind)
        tag = EntityTag.text(sha256: Digest.sha256Hex(body, digits: 32))
    }

    /// Returns the file without comments on lines of their own, without indentation, without empty lines, and without spaces and ends of lines that mean
    /// nothing.
    static func served(_ source: [UInt8], as kind: Kind) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(source.count)
        var isInComment = false
        for line in source.split(separator: UInt8(ascii: "\n")) {
            let text = line.drop { $0 == UInt8(ascii: " ") }
            if text.starts(with: "/*".utf8) { isInComment = true }
            if !isInComment, !text.isEmpty, !text.starts(with: "//".utf8) {
                switch kind {
                case .html: body += text
                case .css: append(style(text), to: &body)
                case .js: append(script(text), to: &body)
                }
                body.append(newline)
            }
            if isInComment, text.firstRange(of: Array("*/".utf8)) != nil { isInComment = false }
        }
        return body
    }

    private static let (space, newline) = (UInt8(ascii: " "), UInt8(ascii: "\n"))
    /// The ends of lines that mean nothing are behind the first, and before the second.
    private static let (openers, closers) = (Array("{([,;".utf8), Array("})]".utf8))

    /// Appends a line to a script or a style sheet, without the end of the line before if it means nothing there.
    private static func append(_ line: [UInt8], to body: inout [UInt8]) {
        if let last = body.dropLast().last, openers.contains(last) || line.first.map(closers.contains) == true {
            body.removeLast()
            if last == UInt8(ascii: ";"), line.first == UInt8(ascii: "}") { body.removeLast() }
        }
        body += line
    }

    /// Returns a line of a style sheet without the last semicolon of a rule. The spaces behind `:`, `;`, `,` and `{` go too, and those before braces.
    private static func style(_ line: ArraySlice<UInt8>) -> [UInt8] {
        let (before, behind) = (Array("{}".utf8), Array(":;,{".utf8))
        var text: [UInt8] = []
        for (at, byte) in zip(line.indices, line) {
            let next = line.index(after: at) < line.endIndex ? line[at + 1] : space
            if byte == space, before.contains(next) || text.last.map(behind.contains) == true { continue }
            if byte == UInt8(ascii: "}"), text.last == UInt8(ascii: ";") { text.removeLast() }
            text.append(byte)
        }
        return text
    }

    /// Returns a line of a script without the last semicolon of a block and the spaces beside punctuation, outside of texts. A line that ends within a text stays as it is.
    private static func script(_ line: ArraySlice<UInt8>) -> [UInt8] {
        let quotes = Array("\"'`".utf8)
        var text: [UInt8] = []
        var (quote, isEscaped) = (UInt8?.none, false)
        for (at, byte) in zip(line.indices, line) {
            let next = line.index(after: at) < line.endIndex ? line[at + 1] : space
            if let open = quote {
                if !isEscaped, byte == open { quote = nil }
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            } else if quotes.contains(byte) {
                quote = byte
            } else if byte == UInt8(ascii: "}"), text.last == UInt8(ascii: ";") {
                text.removeLast()
            } else if byte == space, let last = text.last, !(isWord(last) && isWord(next)), !(last == next && "+-".utf8.contains(next)) {
                continue
            }
            text.append(byte)
        }
        return quote == nil ? text : Array(line)
    }

    /// Whether a byte is part of a name, as all bytes outside ASCII are here. Two names need a space between them.
    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: byte >= 0x80 || "_$#".utf8.contains(byte)
        }
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
