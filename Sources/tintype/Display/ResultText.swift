import TintypeCore

/// An ImageResult as people read it.
enum ResultText {
    /// A line about the source, a line a rendition with where it is, a line about the way.
    static func text(_ result: JSON, saved: [String?] = []) -> String {
        var lines: [String] = []
        if let source = result["source"] { lines.append(self.source(source)) }
        var table = Table("rendition", "size", "format", "bytes", "where")
        for (index, rendition) in (result["renditions"]?.array ?? []).enumerated() {
            let place = index < saved.count ? saved[index] : nil
            table.add(
                rendition["name"]?.string ?? "", size(rendition), rendition["format"]?.string ?? "",
                Figure.bytes(rendition["bytes"]?.int ?? 0), place ?? rendition["url"]?.string ?? rendition["key"]?.string ?? "")
        }
        lines.append(table.text)
        var facts = "from \(result["from"]?.string?.plain ?? "remote"), receipt \(result["receipt"]?.string?.plain ?? "")"
        if let total = result["metrics"]?["total"]?.double, result["from"]?.string == "remote" { facts += ", \(Figure.seconds(total))" }
        if let attempts = result["attempts"]?.int, attempts > 1 { facts += ", \(attempts) attempts" }
        lines.append(facts)
        return lines.joined(separator: "\n")
    }

    /// `https://…: 2725x2225 jpeg, 829 kB`
    static func source(_ source: JSON) -> String {
        var facts: [String] = []
        if source["width"]?.int != nil { facts.append("\(size(source)) \(source["format"]?.string?.plain ?? "")") }
        if let bytes = source["bytes"]?.int { facts.append(Figure.bytes(bytes)) }
        if let frames = source["frames"]?.int, frames > 1 { facts.append("\(frames) frames") }
        if source["hasAlpha"]?.bool == true { facts.append("alpha") }
        return "\(source["url"]?.string.map { RedactedURL($0).description.plain } ?? "source"): \(facts.joined(separator: ", "))"
    }

    private static func size(_ object: JSON) -> String {
        guard let width = object["width"]?.int, let height = object["height"]?.int else { return "-" }
        return "\(width)x\(height)"
    }
}
