import TintypeCore
import TintypeImages

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
