/// Text as it stands in URLs (RFC 3986 §2). Pure.
package enum PercentText {
    /// What never needs an escape (§2.3).
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e: true
        default: false
        }
    }

    /// Everything but unreserved characters is escaped.
    package static func encoded(_ text: String) -> String { escaping(text.utf8) { !isUnreserved($0) } }

    /// What is not ASCII is escaped, byte by byte.
    package static func ascii(_ text: some Collection<UInt8>) -> String { escaping(text) { $0 >= 0x80 } }

    /// The bytes that `isMeant` are escaped, in upper-case digits.
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

    /// A path or a pattern in its one spelling (RFC 3986 §6.2.2): what needs no escape has none, what is not ASCII has one, escapes are in upper case.
    package static func plain(_ text: some StringProtocol) -> String {
        var bytes = Array(ascii(decoded(text, only: isUnreserved).utf8).utf8)
        for index in bytes.indices where bytes[index] == UInt8(ascii: "%") && index + 2 < bytes.count {
            guard digit(bytes[index + 1]) != nil, digit(bytes[index + 2]) != nil else { continue }
            for digit in index + 1...index + 2 where bytes[digit] >= 0x61 { bytes[digit] &= 0xdf }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// `name=value` pairs with `&` between, as queries and forms have them; a space is `%20`.
    package static func pairs(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { encoded($0.name) + "=" + encoded($0.value) }.joined(separator: "&")
    }
}
