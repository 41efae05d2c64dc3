package import TintypeCore

/// Checks and makes the signatures of picture URLs: HMAC-SHA256 over salt and path, in URL-safe Base64. A pure value. Holds secrets: never logged.
package struct URLSignature: Sendable {
    /// A key and its salt.
    package struct Pair: Sendable, Hashable {
        let key: [UInt8]
        let salt: [UInt8]

        /// - Parameters: both in hexadecimal digits.
        /// - Returns: nil for other text, and for an empty key.
        package init?(key: String, salt: String) {
            guard let key = Digest.bytes(hex: key), let salt = Digest.bytes(hex: salt), !key.isEmpty else { return nil }
            (self.key, self.salt) = (key, salt)
        }
    }

    /// Which URLs pass without a valid signature.
    package enum Unsigned: String, Sendable, CaseIterable, Hashable {
        case refused
        /// URLs whose signature is the word `unsafe` or `_`.
        case named
    }

    /// All of them are tried, so that keys can be changed while old URLs still work.
    package let pairs: [Pair]
    package let unsigned: Unsigned

    package init(pairs: [Pair], unsigned: Unsigned = .refused) { (self.pairs, self.unsigned) = (pairs, unsigned) }

    /// Returns whether the URL is signed; if not, it passes because unsigned ones may.
    /// - Throws: `signature`.
    package func check(_ target: PictureTarget) throws(DoorRefusal) -> Bool {
        if unsigned == .named, target.signature == "unsafe" || target.signature == "_" { return false }
        guard !pairs.isEmpty else {
            throw DoorRefusal(.signature, at: 1, "there is no key to check signatures with; the operator must set a pair of key and salt")
        }
        // The last letter has two bits that mean nothing. Each URL has one signature, or strangers would pass a cache in front by the others.
        let given = Base64.bytes(of: Array(target.signature.utf8)).flatMap { Base64.urlText(of: $0) == target.signature ? $0 : nil }
        // No comparison is left out: the time does not say for which pair a signature is right.
        let matches = pairs.count { pair in given.map { Digest.areEqual($0, digest(target.signed, pair)) } ?? false }
        guard matches > 0 else {
            throw DoorRefusal(.signature, at: 1, "the signature does not belong to this path; sign the path anew, from the slash behind the signature on")
        }
        return true
    }

    /// Returns the signature of a path that begins with a slash, with the first pair; nil without a pair.
    package func signature(of path: [UInt8]) -> String? {
        pairs.first.map { Base64.urlText(of: digest(path, $0)) }
    }

    /// Returns a path with its signature in front, made with the first pair; without a pair `unsafe` stands in its place.
    package func signing(_ path: String) -> String { "/" + (signature(of: Array(path.utf8)) ?? "unsafe") + path }

    private func digest(_ path: [UInt8], _ pair: Pair) -> [UInt8] {
        Array(Digest.hmacSHA256(key: pair.key, pair.salt + path))
    }
}

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

extension Base64 {
    /// Returns bytes in the alphabet for URLs, without padding (RFC 4648 §5).
    static func urlText(of bytes: [UInt8]) -> String {
        String(text(of: bytes).prefix { $0 != "=" }).replacing("+", with: "-").replacing("/", with: "_")
    }
}
