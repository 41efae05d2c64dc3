extension UInt8 {
    /// Whether the byte is one of [0-9].
    package var isDigit: Bool { (0x30...0x39).contains(self) }

    /// Whether the byte is one of [A-Za-z].
    package var isLetter: Bool { (0x61...0x7a).contains(self | 0x20) }

    /// Whether the byte is one of [A-Za-z0-9._-], which paths, commands and keys take as they are.
    package var isPlain: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f: true
        default: false
        }
    }
}

extension StringProtocol {
    /// Whether the text is a plain name: so many bytes, each of [A-Za-z0-9._-].
    package func isPlainName(_ count: ClosedRange<Int>) -> Bool { count.contains(utf8.count) && utf8.allSatisfy { $0.isPlain } }

    /// Whether the text is a number of so many digits, and nothing else.
    package func isDigits(_ count: ClosedRange<Int>) -> Bool {
        count.contains(utf8.count) && utf8.allSatisfy { $0.isDigit }
    }
}
