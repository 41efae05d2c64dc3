import Foundation

/// A page of `docs` for tests: its headings, links, tables and names in code font. A pure value.
struct MarkdownPage {
    /// The lines without fenced blocks.
    let lines: [String]

    init(_ text: String) {
        var isFenced = false
        var lines: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") { isFenced.toggle() } else if !isFenced { lines.append(String(line)) }
        }
        self.lines = lines
    }

    init(contentsOf path: String) throws { self.init(try String(contentsOfFile: path, encoding: .utf8)) }

    /// The targets of links in the page, as GitHub names them by headings.
    var anchors: Set<String> {
        var counts: [String: Int] = [:]
        var anchors: Set<String> = []
        for line in lines {
            guard let heading = line.firstMatch(of: /^#{1,6} (.+)$/) else { continue }
            let name = heading.1.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.replacing(" ", with: "-")
            let count = counts[name, default: 0]
            counts[name] = count + 1
            anchors.insert(count == 0 ? name : "\(name)-\(count)")
        }
        return anchors
    }

    /// The links of the page into its own site: to a file, relative to the page, and to a place in it.
    var links: [(path: String, anchor: String?)] {
        lines.filter { $0.contains("](") }.flatMap { line in
            line.matches(of: /\]\(([^)#]*)(?:#([^)]*))?\)/).map { (path: String($0.1), anchor: $0.2.map { String($0) }) }
        }.filter { !$0.path.hasPrefix("http") }
    }

    /// The cells of its tables, row by row, without the header rows.
    var rows: [[String]] {
        zip(lines, lines.dropFirst() + [""]).filter { $0.hasPrefix("| ") && !$1.hasPrefix("|--") }.map { line, _ in
            line.dropFirst().dropLast().components(separatedBy: " | ").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The texts in code font.
    var code: [String] { lines.flatMap { Self.code(in: $0) } }

    static func code(in text: String) -> [String] {
        text.contains("`") ? text.matches(of: /`([^`]+)`/).map { String($0.1) } : []
    }
}
