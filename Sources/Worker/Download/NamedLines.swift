import TintypeCore
import TintypeImages

/// A reader for files of lines `name: word word…`, which define names for requests and rules. A `#` opens a comment.
enum NamedLines {
    /// Reads each line.
    /// - Parameters:
    ///   - expected: the form of a line, for the error message.
    ///   - entry: makes an entry from the words behind the name.
    /// - Throws: the mistake and its line. The message itself quotes no word of the line, because words may be keys.
    static func read<Entry>(
        _ text: String, path: String, expected: String, reserved: Set<String> = [],
        entry: (ArraySlice<Substring>) throws(SettingError) -> Entry
    ) throws(SettingError) -> [String: Entry] {
        var entries: [String: Entry] = [:]
        try WordLines.each(of: text, path: path) { words throws(SettingError) in
            guard let first = words.first else { return }
            let name = String(first.dropLast())
            guard first.hasSuffix(":"), FetchOptions.isName(name), !reserved.contains(name), entries[name] == nil else {
                throw SettingError("expected \(expected)")
            }
            entries[name] = try entry(words.dropFirst())
        }
        return entries
    }

    /// Reads the hosts of a word `hosts=HOST,…`.
    /// - Throws: for a name that is neither a host nor a pattern of hosts.
    static func hosts(_ word: Substring) throws(SettingError) -> [HostPattern] {
        let patterns = word.dropFirst("hosts=".count).split(separator: ",", omittingEmptySubsequences: false).map { HostPattern(String($0)) }
        guard !patterns.contains(nil) else { throw SettingError("expected hosts such as hosts=example.org,*.example.org") }
        return patterns.compactMap { $0 }
    }
}
