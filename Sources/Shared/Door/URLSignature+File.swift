package import TintypeCore

extension URLSignature {
    /// Reads the pairs in a file: a key and its salt in hexadecimal digits a line. URLs are signed with the first pair, and pass with any of them.
    /// - Throws: the mistake and its line, without the key.
    package static func pairs(in path: String) throws(SettingError) -> [Pair] {
        try pairs(text: ConfigurationFile.read(path), path: path)
    }

    static func pairs(text: String, path: String) throws(SettingError) -> [Pair] {
        var pairs: [Pair] = []
        try WordLines.each(of: text, path: path) { words throws(SettingError) in
            guard words.count <= 2, let pair = Pair(key: String(words[0]), salt: words.count == 2 ? String(words[1]) : "") else {
                throw SettingError("expected a key and its salt, both in hexadecimal digits; `openssl rand -hex 32` writes such a key")
            }
            guard !pairs.contains(pair) else { throw SettingError("the pair is in a line before it") }
            pairs.append(pair)
        }
        guard !pairs.isEmpty else { throw SettingError("\(path): expected a key and its salt, one pair a line") }
        return pairs
    }
}

extension PicturePresets {
    /// Reads the presets in a file.
    /// - Throws: the mistake and its line.
    package static func read(_ path: String) throws(SettingError) -> PicturePresets {
        let text = try ConfigurationFile.read(path)
        do throws(DoorRefusal) {
            return try PicturePresets(text: text)
        } catch {
            throw SettingError("\(path): \(error.message)")
        }
    }
}
