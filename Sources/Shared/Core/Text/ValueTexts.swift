/// Sizes in bytes as people write them.
package enum ByteSize {
    private static let units: [(name: String, bytes: Int)] = [
        ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("KB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("B", 1),
    ]

    /// Reads `100MiB` as 104857600; nil for anything else, and for numbers too large for an Int.
    package static func parse(_ text: String) -> Int? {
        let unit = units.first { text.hasSuffix($0.name) }
        let digits = text.dropLast(unit?.name.count ?? 0).trimmed
        guard let number = Double(digits), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2e }) else { return nil }
        let bytes = number * Double(unit?.bytes ?? 1)
        return bytes < 9e18 ? Int(bytes) : nil
    }

    /// Writes 104857600 as `100MiB`: in the largest binary unit that divides it.
    package static func text(_ bytes: Int) -> String {
        for (name, size) in units[..<3].reversed() where bytes > 0 && bytes % size == 0 { return "\(bytes / size)\(name)" }
        return String(bytes)
    }
}

/// Durations as people write them.
package enum DurationText {
    private static let units: [(name: String, seconds: Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)]

    /// Reads `25`, `25s`, `500ms`, `2m`; nil for anything else.
    package static func parse(_ text: String) -> Duration? {
        let unit = units.first { text.hasSuffix($0.name) }
        let digits = text.dropLast(unit?.name.count ?? 0).trimmed
        guard let number = Double(digits), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2e }) else { return nil }
        let seconds = number * (unit?.seconds ?? 1)
        return seconds < 1e9 ? .seconds(seconds) : nil
    }

    /// Writes 25 s as `25s`, half a second as `500ms`.
    package static func text(_ duration: Duration) -> String {
        let milliseconds = Int((duration / .milliseconds(1)).rounded())
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
    }
}

extension StringProtocol {
    /// The text without a byte order mark, which some editors put first and nobody sees.
    package var withoutByteOrderMark: SubSequence { first == "\u{feff}" ? dropFirst() : self[...] }

    /// The text without white space at both ends.
    package var trimmed: SubSequence {
        let start = drop { $0.isWhitespace }
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return start[start.endIndex...] }
        return start[...last]
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
