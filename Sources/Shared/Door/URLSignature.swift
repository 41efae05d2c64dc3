import TintypeCore

/// Checks and makes the signatures of picture URLs: HMAC-SHA256 over salt and path, in URL-safe Base64. A pure value. Holds secrets: never logged.
package struct URLSignature: Sendable {
    /// A key and its salt.
    package struct Pair: Sendable, Hashable {
        let key: [UInt8]
        let salt: [UInt8]

        /// - Parameters: both in hexadecimal digits.
        /// - Returns: nil for other text, and for an empty key.
        package init?(key: String, salt: String) {
            guard let key = Self.bytes(hex: key), let salt = Self.bytes(hex: salt), !key.isEmpty else { return nil }
            (self.key, self.salt) = (key, salt)
        }

        static func bytes(hex text: String) -> [UInt8]? {
            let digits = Array(text.utf8)
            guard digits.count % 2 == 0 else { return nil }
            // Every two digits become an escape, which is read strictly.
            let escapes = stride(from: 0, to: digits.count, by: 2).flatMap { [UInt8(ascii: "%"), digits[$0], digits[$0 + 1]] }
            return PercentText.bytes(of: escapes)
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
    /// The bytes of a signature before Base64.
    package let length: Int
    package let unsigned: Unsigned

    package static let lengths = 1...32

    /// - Parameter length: a number of `lengths`; others count as the nearest.
    package init(pairs: [Pair], length: Int = 32, unsigned: Unsigned = .refused) {
        (self.pairs, self.unsigned) = (pairs, unsigned)
        self.length = min(max(length, Self.lengths.lowerBound), Self.lengths.upperBound)
    }

    /// - Throws: `signature`.
    package func check(_ target: PictureTarget) throws(DoorRefusal) {
        if unsigned == .named, target.signature == "unsafe" || target.signature == "_" { return }
        guard !pairs.isEmpty else {
            throw DoorRefusal(.signature, at: 1, "there is no key to check signatures with; the operator must set a pair of key and salt")
        }
        let given = Base64.bytes(of: Array(target.signature.utf8))
        var matches: UInt8 = 0
        // No comparison ends early, and none is left out: the time says neither how much of a signature is right, nor for which pair.
        for pair in pairs { matches |= given.map { Self.areEqual($0, digest(target.signed, pair)) } ?? 0 }
        guard matches == 1 else {
            throw DoorRefusal(.signature, at: 1, "the signature does not belong to this path; sign the path anew, from the slash behind the signature on")
        }
    }

    /// Returns the signature of a path that begins with a slash, with the first pair; nil without a pair.
    package func signature(of path: [UInt8]) -> String? {
        pairs.first.map { pair in
            let text = String(Base64.text(of: digest(path, pair)).prefix { $0 != "=" })
            return text.replacing("+", with: "-").replacing("/", with: "_")
        }
    }

    private func digest(_ path: [UInt8], _ pair: Pair) -> [UInt8] {
        Array((Pair.bytes(hex: Digest.hmacSHA256Hex(key: pair.key, pair.salt + path)) ?? []).prefix(length))
    }

    /// Returns 1 for equal bytes, else 0. The time depends on the lengths only.
    private static func areEqual(_ given: [UInt8], _ made: [UInt8]) -> UInt8 {
        guard given.count == made.count, !made.isEmpty else { return 0 }
        var difference: UInt8 = 0
        for index in made.indices { difference |= given[index] ^ made[index] }
        return difference == 0 ? 1 : 0
    }
}
