/// Percent encoding of URLs (RFC 3986 §2). Pure.
package enum PercentText {
    /// Whether a byte never needs an escape (§2.3).
    static func isUnreserved(_ byte: UInt8) -> Bool { byte.isPlain || byte == UInt8(ascii: "~") }

    /// Escapes everything but unreserved characters.
    package static func encoded(_ text: String) -> String { escaping(text.utf8) { !isUnreserved($0) } }

    /// Escapes everything outside ASCII, byte by byte.
    package static func ascii(_ text: some Collection<UInt8>) -> String { escaping(text) { $0 >= 0x80 } }

    /// Escapes the bytes that satisfy `isMeant`, with upper-case digits.
    package static func escaping(_ text: some Collection<UInt8>, _ isMeant: (UInt8) -> Bool) -> String {
        guard text.contains(where: isMeant) else { return String(decoding: text, as: UTF8.self) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count + 32)
        for byte in text {
            if isMeant(byte) { bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]] } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Returns a path or pattern in its canonical form (RFC 3986 §6.2.2): escapes only where needed, in upper case, and for everything outside ASCII.
    package static func plain(_ text: some StringProtocol) -> String {
        var bytes = Array(ascii(decoded(text, only: isUnreserved).utf8).utf8)
        for index in bytes.indices where bytes[index] == UInt8(ascii: "%") && index + 2 < bytes.count {
            guard Digest.value(ofDigit: bytes[index + 1]) != nil, Digest.value(ofDigit: bytes[index + 2]) != nil else { continue }
            for digit in index + 1...index + 2 where bytes[digit] >= 0x61 { bytes[digit] &= 0xdf }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Joins `name=value` pairs with `&`, as in queries and forms; a space is `%20`.
    package static func pairs(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { encoded($0.name) + "=" + encoded($0.value) }.joined(separator: "&")
    }
}
