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
                rendition.name ?? "", size(rendition.width, rendition.height), rendition.format ?? "", HumanNumber.bytes(rendition.bytes ?? 0),
                place ?? rendition.url ?? rendition.key ?? "")
        }
        lines.append(table.text)
        var facts = "from \(result.from?.plain ?? "remote"), receipt \(result.receipt?.plain ?? "")"
        if let total = result.total, result.from == "remote" { facts += ", \(HumanNumber.seconds(total))" }
        if let attempts = result.attempts, attempts > 1 { facts += ", \(attempts) attempts" }
        lines.append(facts)
        return lines.joined(separator: "\n")
    }

    /// Returns a line such as `https://…: 2725x2225 jpeg, 829 kB`.
    static func source(_ source: ImageResult.Source) -> String {
        var facts: [String] = []
        if source.width != nil { facts.append("\(size(source.width, source.height)) \(source.format?.plain ?? "")") }
        if let bytes = source.bytes { facts.append(HumanNumber.bytes(bytes)) }
        if let frames = source.frames, frames > 1 { facts.append("\(frames) frames") }
        if source.hasAlpha == true { facts.append("alpha") }
        return "\(source.url.map { RedactedURL($0).description.plain } ?? "source"): \(facts.joined(separator: ", "))"
    }

    private static func size(_ width: Int?, _ height: Int?) -> String {
        guard let width, let height else { return "-" }
        return "\(width)x\(height)"
    }
}

/// The parts of a transfer that follow each other. The service counts the first byte and the download from the beginning of the transfer. Pure.
package struct TransferParts: Sendable, Hashable {
    /// Seconds from the end of the handshakes to the first byte.
    package let firstByte: Double
    /// Seconds from the first byte to the end.
    package let download: Double

    /// - Parameter metric: Returns the seconds of a phase, by its name in `metrics` of a result.
    package init(_ metric: (String) -> Double) {
        let before = metric("dns") + metric("connect") + metric("tls")
        firstByte = max(0, metric("firstByte") - before)
        download = max(0, metric("download") - max(before, metric("firstByte")))
    }
}

/// The end of a batch as text for people. Pure.
enum GroupText {
    /// Returns one line for each item, then the counts.
    static func text(_ group: JSON, items: [JSON]) -> String {
        var table = Table("item", "state", "source", "result")
        var counts: [String: Int] = [:]
        for (index, item) in (group["results"]?.array ?? []).enumerated() {
            let state = item["state"]?.string ?? ""
            counts[state, default: 0] += 1
            let url = index < items.count ? items[index]["url"]?.string : nil
            table.add("\(index)", state, url.map { RedactedURL($0).description } ?? "", outcome(item))
        }
        let summary = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key.plain)" }.joined(separator: ", ")
        let last = "\(group["group"]?.string?.plain ?? ""): \(summary.isEmpty ? "nothing to do" : summary)"
        return counts.isEmpty ? last : "\(table.text)\n\(last)"
    }

    private static func outcome(_ item: JSON) -> String {
        if let error = item["error"] { return error["message"]?.string ?? "" }
        let renditions = ImageResult(json: item["result"] ?? .null).renditions
        return renditions.compactMap { $0.url ?? $0.key }.joined(separator: " ")
    }
}
