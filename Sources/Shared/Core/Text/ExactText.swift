import Glibc

/// A text that is compared, hashed and sorted as bytes.
///
/// Swift compares a `String` by canonical equivalence: é as one character equals e with an accent behind it. RFC 8259 §8.3, Redis and origins have two
/// texts there. So a text from outside is a key of a dictionary or of a set only as an `ExactText`; `scripts/texts.py` lists the exceptions.
package struct ExactText: Sendable, Hashable, Comparable, ExpressibleByStringLiteral {
    package let text: String

    package init(_ text: String) { self.text = text }
    package init(stringLiteral text: String) { self.text = text }

    package static func == (one: ExactText, other: ExactText) -> Bool { one.text.isExactly(other.text) }
    package static func < (one: ExactText, other: ExactText) -> Bool { one.text.utf8.lexicographicallyPrecedes(other.text.utf8) }
    package func hash(into hasher: inout Hasher) { text.hashExactly(into: &hasher) }
}

extension String {
    /// Whether both texts have the same bytes. As fast as `==`, which compares bytes only where both texts are ASCII.
    package func isExactly(_ other: String) -> Bool {
        let isSame: Bool?? = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { bytes in
                guard own.count == bytes.count else { return false }
                guard let one = own.baseAddress, let two = bytes.baseAddress else { return true }
                return memcmp(one, two, own.count) == 0
            }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Hashes the bytes, and a byte that no text has, which separates this text from the next.
    package func hashExactly(into hasher: inout Hasher) {
        let isHashed: Void? = utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        if isHashed == nil { for byte in utf8 { hasher.combine(byte) } }
        hasher.combine(0xff as UInt8)
    }

    /// Returns at most `limit` bytes of the text, with … for the rest.
    package func cut(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while Index(end, within: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end]) + "…"
    }
}
