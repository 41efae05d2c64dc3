package import Foundation

/// A fenced block of a Markdown page, with the heading above it.
package struct CodeBlock: Sendable {
    package let language: String
    /// The lines, each with its end.
    package let text: String
    package let heading: String

    /// Returns the blocks of a page, in their order.
    package static func all(in page: URL) throws -> [CodeBlock] {
        var (blocks, heading, open): ([CodeBlock], String, (language: String, lines: [String])?) = ([], "", nil)
        for line in try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n") {
            if let block = open {
                guard line == "```" else {
                    open?.lines.append(line)
                    continue
                }
                blocks.append(CodeBlock(language: block.language, text: block.lines.joined(separator: "\n") + "\n", heading: heading))
                open = nil
            } else if line.hasPrefix("```") {
                open = (String(line.dropFirst(3)), [])
            } else if line.hasPrefix("#") {
                heading = line.drop { $0 == "#" || $0 == " " }.description
            }
        }
        return blocks
    }
}
