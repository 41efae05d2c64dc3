/// Lua functions, and the texts of scripts that call some of them.
///
/// Lua creates its functions anew at every call of a script. So a script contains only the functions that it calls, at the place where it calls them.
/// `ScriptMarker` lists the markers by which the files say more.
///
/// The library knows nothing of Lua's scopes, so the files keep these rules, and `ScriptLibraryTests` checks the last two:
/// - A block ends where its lines are indented no deeper than the line that opens it.
/// - A `local` at the margin of a library file begins a definition, which ends before the next one.
/// - No local has the name of a definition.
/// - Nothing is assigned to a definition again, except to those that every script has.
struct ScriptLibrary {
    private struct Definition {
        let block: Block
        let isInEveryScript: Bool
    }

    private let definitions: [Definition]
    /// The definition of a name.
    private let names: [String: Int]

    /// - Parameter files: each uses those before it.
    init(_ files: [ScriptFile]) throws(ScriptMistake) {
        var names: [String: Int] = [:]
        var found: [(lines: [ScriptLine], isInEveryScript: Bool)] = []
        for file in files {
            var isOpen = false
            var isInEveryScript = false
            for line in try file.lines() {
                if let misplaced = line.markers.first(where: \.isForScripts) { throw line.mistake("--@\(misplaced) is for scripts") }
                if line.markers.contains(.always) {
                    found.append(([], true))
                    (isOpen, isInEveryScript) = (true, true)
                } else if line.markers.contains(.end) {
                    guard isInEveryScript else { throw line.mistake("--@end has no --@always before it") }
                    (isOpen, isInEveryScript) = (false, false)
                } else if !line.code.isEmpty {
                    if !isInEveryScript, line.depth == 0, !line.isClosing {
                        guard !line.defined.isEmpty else { throw line.mistake("a statement between two definitions would be in no script") }
                        found.append(([], false))
                        isOpen = true
                    }
                    guard isOpen else { throw line.mistake("a line belongs to no definition") }
                    found[found.count - 1].lines.append(line)
                    for name in line.defined { names[name] = found.count - 1 }
                }
            }
            if isInEveryScript { throw ScriptMistake(file: file.name, line: file.count, reason: "--@always has no --@end behind it") }
        }
        var definitions: [Definition] = []
        for (lines, isInEveryScript) in found {
            definitions.append(Definition(block: try Block(lines, names: names), isInEveryScript: isInEveryScript))
        }
        (self.definitions, self.names) = (definitions, names)
    }

    /// Returns the text of a script without comments, after the functions that it needs.
    /// - Parameter omitted: the marker of lines to leave out.
    func compose(_ script: ScriptFile, without omitted: ScriptMarker? = nil) throws(ScriptMistake) -> String {
        // The flags must stay the very first line.
        var text = script.flags.map { $0 + "\n" } ?? ""
        var lines: [ScriptLine] = []
        for line in try script.lines() {
            if line.markers.contains(.always) || line.markers.contains(.end) { throw line.mistake("--@always and --@end are for libraries") }
            if omitted.map(line.markers.contains) != true { lines.append(line) }
        }
        let everywhere = Set(definitions.indices.filter { definitions[$0].isInEveryScript })
        fill(try Block(lines, names: names), also: everywhere, below: definitions.count, known: [], margin: "", into: &text)
        return text
    }

    /// Writes a block after the definitions among the first `limit` that it needs and that are not already around it.
    private func fill(_ block: Block, also: Set<Int> = [], below limit: Int, known: Set<Int>, margin: String, into text: inout String) {
        var needed = block.needs.union(also)
        var missing: [Int] = []
        for number in (0..<limit).reversed() where needed.contains(number) && !known.contains(number) {
            needed.formUnion(definitions[number].block.needs)
            missing.append(number)
        }
        var known = known
        for number in missing.reversed() {
            write(definitions[number].block, below: number, known: known, margin: margin + block.margin, into: &text)
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
        /// The definitions whose names its own lines contain.
        private(set) var needs: Set<Int> = []
        /// The indentation of its first line.
        private(set) var margin = ""

        init(_ lines: [ScriptLine], names: [String: Int]) throws(ScriptMistake) {
            var rest = lines.filter { !$0.code.isEmpty }[...]
            try self.init(&rest, deeperThan: -1, names: names)
        }

        private init(_ lines: inout ArraySlice<ScriptLine>, deeperThan depth: Int, names: [String: Int]) throws(ScriptMistake) {
            margin = String(repeating: " ", count: lines.first?.depth ?? 0)
            while let line = lines.first, line.depth > depth {
                lines.removeFirst()
                parts.append(.line(line.code))
                needs.formUnion(line.words.compactMap { names[$0] })
                guard line.markers.contains(.rare) else { continue }
                guard let next = lines.first, next.depth > line.depth else { throw line.mistake("--@rare stands on a line that opens no block") }
                parts.append(.rare(try Block(&lines, deeperThan: line.depth, names: names)))
            }
        }
    }
}
