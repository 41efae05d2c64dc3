import TintypeCore
import TintypeImages

/// An ImageResult as text for people.
enum ResultText {
    /// Returns a line about the source, a line for each rendition with its place, and a line about the load.
    static func text(_ result: ImageResult, saved: [String?] = []) -> String {
        var lines: [String] = []
        if let source = result.source { lines.append(self.source(ImageResult.Source(json: source))) }
        var table = Table("rendition", "size", "format", "bytes", "where")
        for (index, rendition) in result.renditions.enumerated() {
            let place = index < saved.count ? saved[index] : nil
            table.add(
                rendition.name ?? "", size(rendition.width, rendition.height), rendition.format ?? "", Figure.bytes(rendition.bytes ?? 0),
                place ?? rendition.url ?? rendition.key ?? "")
        }
        lines.append(table.text)
        var facts = "from \(result.from?.plain ?? "remote"), receipt \(result.receipt?.plain ?? "")"
        if let total = result.total, result.from == "remote" { facts += ", \(Figure.seconds(total))" }
        if let attempts = result.attempts, attempts > 1 { facts += ", \(attempts) attempts" }
        lines.append(facts)
        return lines.joined(separator: "\n")
    }

    /// Returns a line such as `https://…: 2725x2225 jpeg, 829 kB`.
    static func source(_ source: ImageResult.Source) -> String {
        var facts: [String] = []
        if source.width != nil { facts.append("\(size(source.width, source.height)) \(source.format?.plain ?? "")") }
        if let bytes = source.bytes { facts.append(Figure.bytes(bytes)) }
        if let frames = source.frames, frames > 1 { facts.append("\(frames) frames") }
        if source.hasAlpha == true { facts.append("alpha") }
        return "\(source.url.map { RedactedURL($0).description.plain } ?? "source"): \(facts.joined(separator: ", "))"
    }

    private static func size(_ width: Int?, _ height: Int?) -> String {
        guard let width, let height else { return "-" }
        return "\(width)x\(height)"
    }
}
