import Foundation

/// A page of the documents in Markdown.
struct Page {
    /// A fenced block, and the output that the page shows below it.
    struct Block {
        let language: String
        /// The lines, each with its end.
        let text: String
        /// The line of the page on which the text begins.
        let line: Int
        var output = ""
    }

    /// The blocks. One of `text` is the output of the block before it.
    private(set) var blocks: [Block] = []
    let lines: [String]

    /// - Parameter path: Below the folder of the client.
    init(_ path: String) throws {
        lines = try String(contentsOfFile: "\(PagePackage.client)/\(path)", encoding: .utf8).components(separatedBy: "\n")
        var open: (language: String, first: Int)?
        for (index, line) in lines.enumerated() where line.hasPrefix("```") {
            guard let block = open else {
                open = (String(line.dropFirst(3)), index + 1)
                continue
            }
            let text = lines[block.first..<index].map { "\($0)\n" }.joined()
            if block.language == "text", !blocks.isEmpty {
                blocks[blocks.count - 1].output = text
            } else {
                blocks.append(Block(language: block.language, text: text, line: block.first + 1))
            }
            open = nil
        }
    }

    /// Returns whether an output is the one that the page shows, in which `…` stands for any text.
    static func matches(_ output: String, _ shown: String) -> Bool {
        var rest = output[...]
        let parts = shown.components(separatedBy: "…")
        guard rest.hasPrefix(parts[0]) else { return false }
        rest.removeFirst(parts[0].count)
        for part in parts.dropFirst() {
            guard let found = rest.range(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.isEmpty
    }
}
