import TintypeCore

/// A bitmap of X (XBM): a text in C with the size and, behind the head, the numbers. The text is read once, from front to back. Pure.
package struct XBMText {
    private let bytes: UnsafeRawBufferPointer
    private var at = 0
    private var end: Int
    /// The size as the text states it.
    package private(set) var width = 0
    package private(set) var height = 0
    /// The pixels of a number, the first one in the lowest bit: 8, or 16 as X10 has them.
    package private(set) var bits = 8

    /// The longest head, with its comments.
    private static let longest = 1 << 16

    /// Reads the head: up to the brace before the numbers.
    /// - Returns: nil for any other text.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        (self.bytes, end) = (bytes, min(bytes.count, Self.longest))
        var (isFirst, isNamed) = (true, false)
        while let word = self.word() {
            if isFirst, !has("#", word) { return nil }
            isFirst = false
            if has("define", word) {
                guard let name = self.word(), let value = self.word() else { return nil }
                if has("width", name.suffix(5)) { width = number(value) ?? 0 }
                if has("height", name.suffix(6)) { height = number(value) ?? 0 }
            } else if has("short", word) {
                bits = 16
            } else if has("bits", word.suffix(4)) {
                isNamed = true
            } else if has("{", word) {
                guard isNamed, width > 0, height > 0 else { return nil }
                end = bytes.count
                return
            }
        }
        return nil
    }

    /// Returns the next number; nil behind the last one.
    package mutating func number() -> Int? {
        while let word = self.word() {
            if !has(",", word) { return number(word) }
        }
        return nil
    }

    /// Returns the place of the next word: letters, digits and underlines, or one other sign. Comments are skipped.
    private mutating func word() -> Range<Int>? {
        while at < end {
            let start = at
            while at < end, bytes[at].isLetter || bytes[at].isDigit || bytes[at] == UInt8(ascii: "_") { at += 1 }
            if at > start { return start..<at }
            at += 1
            if bytes[start] == UInt8(ascii: "/"), at < end, bytes[at] == UInt8(ascii: "*") {
                at += 1
                while at < end - 1, bytes[at] != UInt8(ascii: "*") || bytes[at + 1] != UInt8(ascii: "/") { at += 1 }
                at += 2
            } else if bytes[start] > UInt8(ascii: " ") {
                return start..<at
            }
        }
        return nil
    }

    private func has(_ text: StaticString, _ word: Range<Int>) -> Bool {
        word.count == text.utf8CodeUnitCount && ByteReader(bytes: bytes).has(text, at: word.lowerBound)
    }

    /// Reads a hexadecimal or decimal number. No number is larger than 2⁴⁰.
    private func number(_ word: Range<Int>) -> Int? {
        let isHex = word.count > 2 && bytes[word.lowerBound] == UInt8(ascii: "0") && bytes[word.lowerBound + 1] | 0x20 == UInt8(ascii: "x")
        var value = 0
        for at in isHex ? word.dropFirst(2) : word {
            let digit: Int
            switch bytes[at] {
            case let byte where byte.isDigit: digit = Int(byte) - 48
            case let byte where isHex && (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20): digit = Int(byte | 0x20) - 87
            default: return nil
            }
            value = min(value * (isHex ? 16 : 10) + digit, 1 << 40)
        }
        return value
    }
}
