import Foundation

/// Output as a page of the documentation shows it, in which `…` stands for any text.
package enum ShownText {
    /// Returns whether `output` is the text that the page shows.
    package static func matches(_ output: String, _ shown: String) -> Bool {
        var rest = Substring(output.trimmingCharacters(in: .whitespacesAndNewlines))
        let parts = shown.trimmingCharacters(in: .whitespacesAndNewlines).components(separatedBy: "…")
        guard let first = parts.first, rest.hasPrefix(first) else { return false }
        rest.removeFirst(first.count)
        for part in parts.dropFirst() {
            guard let found = part.isEmpty ? rest.endIndex..<rest.endIndex : rest.range(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.isEmpty
    }
}
