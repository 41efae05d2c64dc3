package import Foundation
import Testing

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

/// A program of a page, and its output: the block of text below the program.
package struct PageProgram: Sendable, CustomTestStringConvertible {
    package let language: String
    package let text: String
    package let output: String
    package let heading: String
    package var testDescription: String { "\(heading): \(language)" }

    /// Returns the programs of a page, in their order.
    package static func all(in page: URL) -> [PageProgram] {
        let blocks = (try? CodeBlock.all(in: page)) ?? []
        return zip(blocks, blocks.dropFirst()).compactMap { block, next in
            guard block.language != "text", next.language == "text" else { return nil }
            return PageProgram(language: block.language, text: block.text, output: next.text, heading: block.heading)
        }
    }
}
