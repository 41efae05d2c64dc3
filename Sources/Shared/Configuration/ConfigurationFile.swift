import Glibc

/// A configuration file: one `key: value` a line, `#` starts a comment (at the start of a line or after white space),
/// empty lines are skipped, a value may stand in double quotes. Nothing else: no nesting, no includes.
package struct ConfigurationFile {
    struct Entry {
        let key: String
        let value: String
        let line: Int
    }

    private(set) var entries: [Entry] = []
    private(set) var mistakes: [String] = []

    /// Reads `text`; `path` is for the messages.
    init(text: String, path: String) {
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let content = Self.withoutComment(line).trimmed
            guard !content.isEmpty else { continue }
            guard let colon = content.firstIndex(of: ":"), colon > content.startIndex else {
                mistakes.append("\(path):\(index + 1): expected `key: value`")
                continue
            }
            let key = String(content[..<colon].trimmed)
            let value = Self.unquoted(content[content.index(after: colon)...].trimmed)
            if let earlier = entries.first(where: { $0.key == key }) {
                mistakes.append("\(path):\(index + 1): \(key) is already set in line \(earlier.line)")
            }
            entries.append(Entry(key: key, value: value, line: index + 1))
        }
    }

    /// The text of the file at `path`, at most 1 MiB of it, or what went wrong.
    package static func read(_ path: String) throws(SettingMistake) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SettingMistake("cannot read \(path): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while bytes.count < 1 << 20 {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 { throw SettingMistake("cannot read \(path): \(String(cString: strerror(errno)))") }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func withoutComment(_ line: Substring) -> Substring {
        var previous: Character = " "
        for index in line.indices {
            if line[index] == "#" && previous.isWhitespace { return line[..<index] }
            previous = line[index]
        }
        return line
    }

    private static func unquoted(_ value: Substring) -> String {
        guard value.count >= 2, value.first == "\"", value.last == "\"" else { return String(value) }
        return String(value.dropFirst().dropLast())
    }
}
