import TintypeCore
import TintypeImages

/// A file of lines `name: word word…` that gives things names by which requests or rules call them. A `#` opens a comment.
enum NamedLines {
    /// Reads each line.
    /// - Parameters:
    ///   - expected: the form of a line, for whoever has written another.
    ///   - entry: makes an entry of the words behind the name.
    /// - Throws: what is wrong, and in which line. Names no word of the line by itself, for words may be keys.
    static func read<Entry>(
        _ text: String, path: String, expected: String, reserved: Set<String> = [],
        entry: (ArraySlice<Substring>) throws(SettingMistake) -> Entry
    ) throws(SettingMistake) -> [String: Entry] {
        var entries: [String: Entry] = [:]
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            let name = String(first.dropLast())
            do throws(SettingMistake) {
                guard first.hasSuffix(":"), FetchOptions.isName(name), !reserved.contains(name), entries[name] == nil else {
                    throw SettingMistake("expected \(expected)")
                }
                entries[name] = try entry(words.dropFirst())
            } catch {
                throw SettingMistake("\(path):\(index + 1): \(error.message)")
            }
        }
        return entries
    }

    /// The hosts of a word `hosts=HOST,…`.
    /// - Throws: for a name that is no host and no pattern of hosts.
    static func hosts(_ word: Substring) throws(SettingMistake) -> [HostPattern] {
        let patterns = word.dropFirst("hosts=".count).split(separator: ",", omittingEmptySubsequences: false).map { HostPattern(String($0)) }
        guard !patterns.contains(nil) else { throw SettingMistake("expected hosts such as hosts=example.org,*.example.org") }
        return patterns.compactMap { $0 }
    }
}
