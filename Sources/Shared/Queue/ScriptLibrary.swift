/// Lua functions, and the texts of scripts that call some of them.
///
/// Lua creates its functions anew at every call of a script. So a script contains only the functions that it calls, at the place where it calls them. A
/// line that opens a block and ends in `-- rare`, perhaps with a reason, marks a block that seldom runs. Functions that only such blocks need are
/// created inside of each of these blocks.
///
/// The library knows nothing of Lua's scopes, so the files keep these rules:
/// - A block ends where its lines are indented no deeper than the line that opens it.
/// - No local has the name of a library function.
/// - Definitions of a paragraph never change, except those of the first one.
struct ScriptLibrary {
    /// The texts between blank lines.
    private let paragraphs: [Block]
    /// The paragraph that defines a name.
    private let names: [String: Int]

    /// - Parameter sources: each uses those before it. Paragraphs are separated by blank lines and have none inside.
    init(_ sources: [String]) {
        var names: [String: Int] = [:]
        var texts: [[Line]] = []
        for lines in sources.flatMap({ $0.split(separator: "\n", omittingEmptySubsequences: false).split(whereSeparator: \.isEmpty) }) {
            let lines = lines.map(Line.init)
            let defined = lines.flatMap(\.defined)
            guard !defined.isEmpty else { continue }
            for name in defined { names[name] = texts.count }
            texts.append(lines)
        }
        paragraphs = texts.map { Block($0, names: names) }
        self.names = names
    }

    /// Returns the text of a script without comments, after the functions that it needs.
    func compose(_ script: String) -> String {
        var lines = script.split(separator: "\n", omittingEmptySubsequences: false)
        // The flags must stay the very first line.
        let flags = lines.first?.hasPrefix("#!") == true ? String(lines.removeFirst()) + "\n" : ""
        var text = flags
        fill(Block(lines.map(Line.init), names: names), below: paragraphs.count, known: [], margin: "", into: &text)
        return text
    }

    /// Writes a block after the paragraphs among the first `limit` that it needs and that are not already defined around it.
    private func fill(_ block: Block, below limit: Int, known: Set<Int>, margin: String, into text: inout String) {
        var needed = block.needs
        var missing: [Int] = []
        for number in (0..<limit).reversed() where needed.contains(number) && !known.contains(number) {
            needed.formUnion(paragraphs[number].needs)
            missing.append(number)
        }
        var known = known
        for number in missing.reversed() {
            write(paragraphs[number], below: number, known: known, margin: margin + block.margin, into: &text)
            known.insert(number)
        }
        write(block, below: limit, known: known, margin: margin, into: &text)
    }

    private func write(_ block: Block, below limit: Int, known: Set<Int>, margin: String, into text: inout String) {
        for part in block.parts {
            switch part {
            case .line(let line): text += "\(margin)\(line)\n"
            case .rare(let block): fill(block, below: limit, known: known, margin: margin, into: &text)
            }
        }
    }

    /// Lines, with the blocks that seldom run kept separate.
    private struct Block {
        enum Part {
            case line(String)
            case rare(Block)
        }

        private(set) var parts: [Part] = []
        /// The paragraphs whose names its own lines contain.
        private(set) var needs: Set<Int> = []
        /// The indentation of its first line.
        private(set) var margin = ""

        init(_ lines: [Line], names: [String: Int]) {
            var rest = lines.filter { !$0.code.isEmpty }[...]
            self.init(&rest, deeperThan: -1, names: names)
        }

        private init(_ lines: inout ArraySlice<Line>, deeperThan depth: Int, names: [String: Int]) {
            margin = String(repeating: " ", count: lines.first?.depth ?? 0)
            while let line = lines.first, line.depth > depth {
                lines.removeFirst()
                parts.append(.line(line.code))
                needs.formUnion(line.words.compactMap { names[$0] })
                if line.isRare { parts.append(.rare(Block(&lines, deeperThan: line.depth, names: names))) }
            }
        }
    }

    /// A line without its comment. None of our strings contains two hyphens.
    private struct Line {
        let code: String
        let depth: Int
        let isRare: Bool
        /// The names in the line, except members of tables.
        let words: [String]

        /// The names that the line defines for everything after it.
        var defined: [String] {
            guard code.hasPrefix("local ") else { return [] }
            let names = code.dropFirst(6).prefix { $0 != "=" && $0 != "(" }
            return names.split { $0 == "," || $0 == " " }.map(String.init).filter { $0 != "function" }
        }

        init(_ text: Substring) {
            let bytes = Array(text.utf8)
            let comment = bytes.indices.dropLast().first { bytes[$0] == 0x2D && bytes[$0 + 1] == 0x2D }
            var code = bytes[..<(comment ?? bytes.endIndex)]
            while code.last == 0x20 { code.removeLast() }
            self.code = String(decoding: code, as: UTF8.self)
            depth = code.prefix { $0 == 0x20 }.count
            isRare = comment.map { !code.isEmpty && bytes[($0 + 2)...].drop { $0 == 0x20 }.starts(with: "rare".utf8) } ?? false
            words = Self.words(code)
        }

        private static func words(_ code: ArraySlice<UInt8>) -> [String] {
            var words: [String] = []
            var rest = code
            var before: (UInt8, UInt8) = (0, 0)
            while let byte = rest.first {
                let word = rest.prefix { isLetter($0) }
                if !word.isEmpty {
                    let isMember = before.1 == UInt8(ascii: ".") && before.0 != UInt8(ascii: ".")
                    if !isMember { words.append(String(decoding: word, as: UTF8.self)) }
                    rest = rest[word.endIndex...]
                } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                    var end = rest.startIndex + 1
                    while end < rest.endIndex, rest[end] != byte { end += rest[end] == UInt8(ascii: "\\") ? 2 : 1 }
                    rest = rest.dropFirst(end + 1 - rest.startIndex)
                } else {
                    rest.removeFirst()
                }
                before = (before.1, byte)
            }
            return words
        }

        private static func isLetter(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
            default: false
            }
        }
    }
}
