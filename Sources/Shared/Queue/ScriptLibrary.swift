import TintypeCore

/// Lua functions, and the texts of scripts that call some of them.
///
/// Lua creates its functions anew at every call of a script. So a script contains only the functions that it calls, at the place where it calls them.
/// A line with the marker `--@rare` opens a block that seldom runs. Functions that only such blocks need are created inside of each of them.
///
/// The library does not know Lua's scopes, so the files keep these rules (`ScriptLibraryTests`):
/// - A block ends where its lines are indented no deeper than the line that opens it.
/// - A `local` at the margin of a library file begins a definition, which ends before the next one.
/// - No other local has the name of a definition, and nothing is assigned to a definition again.
/// - No string contains two hyphens.
struct ScriptLibrary {
    private let prelude: [ScriptLine]
    private var definitions: [Block] = []
    /// The definition of a name.
    private var names: [String: Int] = [:]

    /// - Parameters:
    ///   - prelude: goes before every script.
    ///   - files: each uses those before it.
    init(prelude: String, _ files: [String]) {
        self.prelude = ScriptLine.lines(of: prelude)
        for file in files {
            var lines = ScriptLine.lines(of: file)[...]
            while let first = lines.first {
                let end = lines.dropFirst().firstIndex { $0.code.hasPrefix("local ") } ?? lines.endIndex
                for name in first.defined { names[name] = definitions.count }
                var definition = lines[..<end]
                definitions.append(Block(&definition, names: names))
                lines = lines[end...]
            }
        }
    }

    /// Returns the text of a script without comments, behind the prelude and the functions that it needs.
    func compose(_ script: String) -> String {
        var lines = ScriptLine.lines(of: script)[...]
        // The flags must stay the very first line.
        var text = script.hasPrefix("#!") ? lines.removeFirst().code + "\n" : ""
        for line in prelude { text += line.code + "\n" }
        write(Block(&lines, names: names), below: definitions.count, known: [], margin: "", into: &text)
        return text
    }

    /// Writes a block behind the definitions among the first `limit` that it needs and that are not already around it.
    private func write(_ block: Block, below limit: Int, known: Set<Int>, margin: String, into text: inout String) {
        var (needed, known) = (block.needs, known)
        var missing: [Int] = []
        for number in (0..<limit).reversed() where needed.contains(number) && !known.contains(number) {
            needed.formUnion(definitions[number].needs)
            missing.append(number)
        }
        for number in missing.reversed() {
            write(definitions[number], below: number, known: known, margin: margin + block.margin, into: &text)
            known.insert(number)
        }
        for part in block.parts {
            switch part {
            case .line(let line): text += "\(margin)\(line)\n"
            case .rare(let block): write(block, below: limit, known: known, margin: margin, into: &text)
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
        /// The definitions whose names its own lines contain.
        private(set) var needs: Set<Int> = []
        /// The indentation of its first line.
        let margin: String

        /// Takes the lines that are indented deeper than `depth`.
        init(_ lines: inout ArraySlice<ScriptLine>, deeperThan depth: Int = -1, names: [String: Int]) {
            margin = String(repeating: " ", count: lines.first?.depth ?? 0)
            while let line = lines.first, line.depth > depth {
                lines.removeFirst()
                parts.append(.line(line.code))
                needs.formUnion(line.words.compactMap { names[$0] })
                if line.isRare { parts.append(.rare(Block(&lines, deeperThan: line.depth, names: names))) }
            }
        }
    }
}

/// A line of Lua without its comment.
private struct ScriptLine {
    let code: String
    /// The number of spaces before the code.
    let depth: Int
    let isRare: Bool
    /// The names in the line, except members of tables.
    let words: [String]

    /// The names that the line defines for everything after it.
    var defined: [String] {
        code.dropFirst("local ".count).prefix { $0 != "=" && $0 != "(" }.split { $0 == "," || $0 == " " }.map(String.init).filter { $0 != "function" }
    }

    /// Returns the lines with code.
    static func lines(of text: String) -> [ScriptLine] { text.split(separator: "\n").map { ScriptLine(Array($0.utf8)) }.filter { !$0.code.isEmpty } }

    private init(_ bytes: [UInt8]) {
        let end = bytes.indices.dropLast().first { bytes[$0] == 0x2D && bytes[$0 + 1] == 0x2D } ?? bytes.endIndex
        var code = bytes[..<end]
        while code.last == 0x20 { code.removeLast() }
        self.code = String(decoding: code, as: UTF8.self)
        depth = code.prefix { $0 == 0x20 }.count
        isRare = bytes[end...].starts(with: "--@rare".utf8)
        words = Self.words(code)
    }

    private static func words(_ code: ArraySlice<UInt8>) -> [String] {
        var words: [String] = []
        var at = code.startIndex
        while at < code.endIndex {
            let (byte, word) = (code[at], code[at...].prefix { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") })
            if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                at += 1
                while at < code.endIndex, code[at] != byte { at += code[at] == UInt8(ascii: "\\") ? 2 : 1 }
            }
            let before = code[..<at].suffix(2)
            let isMember = before.last == UInt8(ascii: ".") && before.first != UInt8(ascii: ".")
            if !word.isEmpty, !isMember { words.append(String(decoding: word, as: UTF8.self)) }
            at += max(1, word.count)
        }
        return words
    }
}
