import CPages
import Coordinator
import TintypeCore
import TintypeImages

/// A file of the dashboard, as browsers get it. Pure.
struct PageFile: Sendable {
    let name: String
    let type: String
    let body: [UInt8]
    /// The entity tag.
    let tag: String

    init(_ name: String, _ body: [UInt8]) {
        self.name = name
        self.body = body
        type =
            switch name.split(separator: ".").last {
            case "html": "text/html; charset=utf-8"
            case "css": "text/css; charset=utf-8"
            case _: "text/javascript; charset=utf-8"
            }
        tag = EntityTag.text(sha256: Digest.sha256Hex(body, digits: 32))
    }

    /// The files of Dashboard/Files. CPages embeds them in this order.
    static let names = [
        "index.html", "page.css", "api.js", "blur.js", "chart.js", "dom.js", "failures.js", "live.js", "main.js", "overview.js", "playground.js",
        "queues.js", "receipt.js", "request.js", "room.js", "search.js", "series.js", "sheet.js", "table.js", "text.js", "workers.js",
    ]

    /// All files by their names.
    static let all = Dictionary(
        uniqueKeysWithValues: names.enumerated().map { ($1, PageFile($1, Array(String(cString: tintype_page_file($0)).utf8))) })
}
