import TintypeCore

/// How generated text is broken into lines.
enum TextLayout {
    /// The most columns of a line. A nested type moves lines to the right.
    static let columns = 156

    /// Text on one line if it fits. Else the first sentence has a line, and of the others as many share one as fit.
    ///
    /// A sentence that tells the meaning of a word has a line of its own, as in "`fill`: stretched to the box."
    static func sentences(_ text: String, columns: Int) -> [String] {
        let sentences = text.sentences().split(separator: "\n").map(String.init)
        let explains = sentences.map { $0.prefixMatch(of: /`[^`]+`[^.`]*:/) != nil }
        if !explains.contains(true), text.count <= columns { return text.isEmpty ? [] : [text] }
        var lines: [String] = []
        for (index, sentence) in sentences.enumerated() {
            let isAlone = index < 2 || explains[index] || explains[index - 1]
            if isAlone || lines[lines.count - 1].count + 1 + sentence.count > columns {
                lines.append(sentence)
            } else {
                lines[lines.count - 1] += " " + sentence
            }
        }
        return lines
    }

    /// Items after a word, as many on a line as fit. Lines after the first begin further to the right.
    static func filled(_ head: String, _ items: [String], separator: String = ",", indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines = [margin + head]
        for (index, item) in items.enumerated() {
            let item = index + 1 < items.count ? item + separator : item
            let isFirst = index == 0 && head.isEmpty
            if index > 0, lines[lines.count - 1].count + 1 + item.count > columns {
                lines.append(margin + (head.isEmpty ? "" : "    ") + item)
            } else {
                lines[lines.count - 1] += isFirst ? item : " " + item
            }
        }
        return lines
    }

    /// Items between brackets: on one line if they fit, else on lines between them.
    static func list(_ head: String, _ items: [String], _ tail: String, indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        let line = margin + head + items.joined(separator: ", ") + tail
        guard line.count > columns else { return [line] }
        return [margin + (head.hasSuffix(" ") ? head.dropLast() : head[...])] + filled("", items, indent: indent + 4) + [margin + tail.drop { $0 == " " }]
    }
}
