import Glibc

/// A configuration file: one `key: value` a line. `#` starts a comment (at the start of a line or after white space). Empty lines are skipped.
/// A value may stand in double quotes, which keep a `#`. There is no nesting and no include.
package struct ConfigurationFile {
    struct Entry {
        let key: String
        let value: String
        let line: Int
    }

    private(set) var entries: [Entry] = []
    private(set) var mistakes: [String] = []

    /// Reads `text`; `path` is for messages.
    init(text: String, path: String) {
        let text = text.withoutByteOrderMark
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

    /// The longest file, in bytes.
    private static let longest = 1 << 20

    /// Reads the file at `path`. A file of more than 1 MiB is refused, since half of it would be taken for the whole.
    package static func read(_ path: String) throws(SettingError) -> String {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SettingError("cannot read \(path): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while bytes.count <= longest {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 { throw SettingError("cannot read \(path): \(String(cString: strerror(errno)))") }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        guard bytes.count <= longest else { throw SettingError("\(path) is longer than \(ByteSize.text(longest))") }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Checks whether a file or folder can be opened with these flags. A pipe is not opened: its writer would take this process for its reader.
    /// - Returns: whether the path is a plain file.
    static func open(_ path: String, _ flags: Int32) throws(SettingError) -> Bool {
        var place = stat()
        if stat(path, &place) == 0, place.st_mode & S_IFMT == S_IFIFO, access(path, R_OK) == 0 { return false }
        let descriptor = Glibc.open(path, flags | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SettingError("cannot open \(path): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var facts = stat()
        return fstat(descriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
    }

    private static func withoutComment(_ line: Substring) -> Substring {
        var previous: Character = " "
        // The end of a quoted value, if there is one.
        let start = line.firstIndex(of: ":").map { line[line.index(after: $0)...].drop { $0.isWhitespace } }
        let closing = start?.first == "\"" ? start?.dropFirst().firstIndex(of: "\"") : nil
        for index in line.indices {
            if line[index] == "#" && previous.isWhitespace, !isWithin(index, start?.startIndex, closing) { return line[..<index] }
            previous = line[index]
        }
        return line
    }

    private static func isWithin(_ index: Substring.Index, _ start: Substring.Index?, _ end: Substring.Index?) -> Bool {
        guard let start, let end else { return false }
        return start < index && index < end
    }

    private static func unquoted(_ value: Substring) -> String {
        guard value.count >= 2, value.first == "\"", value.last == "\"" else { return String(value) }
        return String(value.dropFirst().dropLast())
    }
}
