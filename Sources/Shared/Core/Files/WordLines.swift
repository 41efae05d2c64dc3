/// A reader for settings files of words: one entry a line, the words of an entry separated by white space. A `#` opens a comment.
package enum WordLines {
    /// Reads each line that is neither empty nor a comment.
    /// - Parameters:
    ///   - path: the file, for the message of a mistake.
    ///   - read: takes the words of one line: at least one. Its errors must quote no word of the line, because words may be keys.
    /// - Throws: the mistake of the first wrong line, with the file and the number of the line.
    package static func each(
        of text: String, path: String, _ read: (_ words: ArraySlice<Substring>) throws(SettingError) -> Void
    ) throws(SettingError) {
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            do throws(SettingError) {
                try read(words[...])
            } catch {
                throw SettingError("\(path):\(index + 1): \(error.message)")
            }
        }
    }
}
