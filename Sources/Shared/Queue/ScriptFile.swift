/// A marker in a Lua file: `--@` and its name, behind the code of a line or on a line of its own. A reason may follow.
enum ScriptMarker: String, CaseIterable {
    /// The block that the line opens seldom runs. Functions that only such blocks need are created inside of each of them.
    case rare
    /// The line is left out of the script for requests without a supersede key.
    case slot
    /// The pattern on the line takes linear time for the reason that follows, though `scripts/patterns.py` cannot see it.
    case linear
    /// The lines from here to `--@end` are in every script, as one definition.
    case always
    case end

    /// Whether only scripts have such lines, and no library.
    var isForScripts: Bool { self == .slot }
    /// Whether the marker is a line of its own.
    var standsAlone: Bool { self == .always || self == .end }
}

/// A fault in the text of a Lua file, found before Redis gets the script.
struct ScriptMistake: Error, CustomStringConvertible {
    let file: String
    let line: Int
    let reason: String

    var description: String { "\(file).lua:\(line): \(reason)" }
}

/// The text of one file of Queue/Scripts.
struct ScriptFile {
    /// The name without `.lua`.
    let name: String
    let text: String

    /// The first line, if it has the flags of the script.
    var flags: Substring? { text.hasPrefix("#!") ? text.prefix { $0 != "\n" } : nil }
    /// The number of lines.
    var count: Int { text.utf8.count { $0 == UInt8(ascii: "\n") } + 1 }

    /// Returns the lines without the flags.
    func lines() throws(ScriptMistake) -> [ScriptLine] {
        var lines: [ScriptLine] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() where index > 0 || flags == nil {
            let text = try ScriptConstants.filled(line) { ScriptMistake(file: name, line: index + 1, reason: $0) }
            lines.append(try ScriptLine(text, file: name, number: index + 1))
        }
        return lines
    }
}

/// A line of Lua without its comment. None of our strings contains two hyphens.
struct ScriptLine {
    private let file: String
    private let number: Int
    let code: String
    /// The number of spaces before the code.
    let depth: Int
    let markers: [ScriptMarker]
    /// The names in the line, except members of tables.
    let words: [String]

    /// The names that the line defines for everything after it.
    var defined: [String] {
        guard code.hasPrefix("local ") else { return [] }
        let names = code.dropFirst(6).prefix { $0 != "=" && $0 != "(" }
        return names.split { $0 == "," || $0 == " " }.map(String.init).filter { $0 != "function" }
    }

    /// Whether the line ends what other lines have begun.
    var isClosing: Bool { words.first == "end" || code.first == "}" || code.first == ")" }

    func mistake(_ reason: String) -> ScriptMistake { ScriptMistake(file: file, line: number, reason: reason) }

    init(_ text: Substring, file: String, number: Int) throws(ScriptMistake) {
        let bytes = Array(text.utf8)
        let comment = bytes.indices.dropLast().first { bytes[$0] == 0x2D && bytes[$0 + 1] == 0x2D }
        var code = bytes[..<(comment ?? bytes.endIndex)]
        while code.last == 0x20 { code.removeLast() }
        (self.file, self.number) = (file, number)
        self.code = String(decoding: code, as: UTF8.self)
        depth = code.prefix { $0 == 0x20 }.count
        words = Self.words(code)
        var markers: [ScriptMarker] = []
        for word in Self.marks(bytes[(comment ?? bytes.endIndex)...]) {
            guard let marker = ScriptMarker(rawValue: word) else {
                throw ScriptMistake(file: file, line: number, reason: "--@\(word) is no marker: \(ScriptMarker.allCases.map(\.rawValue))")
            }
            guard marker.standsAlone == code.isEmpty else {
                throw ScriptMistake(file: file, line: number, reason: "--@\(word) needs \(marker.standsAlone ? "a line of its own" : "code before it")")
            }
            markers.append(marker)
        }
        self.markers = markers
    }

    /// Returns the words behind `--@`.
    private static func marks(_ comment: ArraySlice<UInt8>) -> [String] {
        var found: [String] = []
        var rest = comment
        while rest.count >= 3 {
            if rest.starts(with: "--@".utf8) {
                found.append(String(decoding: rest.dropFirst(3).prefix { $0 != 0x20 && $0 != UInt8(ascii: ":") }, as: UTF8.self))
            }
            rest = rest.dropFirst()
        }
        return found
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
