import Console

/// Text for a screen of cells: how many columns it takes, and how it is cut. Pure.
///
/// Names and messages come from others. `harmless` leaves only characters that a terminal draws, so that none of them can move the cursor, hide text or
/// turn its direction.
enum ScreenText {
    /// The most marks on one character. More of them would reach into the lines above and below.
    private static let marks = 2

    /// Returns the text with everything that is not drawn as an escape such as `\u202e`. Marks beyond two on a character are left out.
    static func harmless(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return text }
        var result = String.UnicodeScalarView()
        var marks = Self.marks
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control: result.append(contentsOf: String(scalar).plain.unicodeScalars)
            case .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                result.append(contentsOf: escape(scalar).unicodeScalars)
            case .nonspacingMark, .enclosingMark:
                // Some terminals draw a character with a selector wider than others do.
                if (0xfe00...0xfe0f).contains(scalar.value) || (0xe0100...0xe01ef).contains(scalar.value) { continue }
                if marks < Self.marks { result.append(scalar) } else if result.isEmpty { result.append(contentsOf: escape(scalar).unicodeScalars) }
                marks += 1
                continue
            case .spaceSeparator: result.append(" ")
            case _: result.append(scalar)
            }
            marks = 0
        }
        return String(result)
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return digits.count > 4 ? "\\u{\(digits)}" : "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// Returns the columns of a harmless text.
    static func columns(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.unicodeScalars.reduce(0) { $0 + columns($1) }
    }

    /// Returns the columns of a character: 0 for a mark, 2 for a wide one (UAX #11: W and F), else 1.
    static func columns(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        case _: break
        }
        // Vowels and final consonants of Hangul join the consonant before them.
        if (0x1160...0x11ff).contains(scalar.value) { return 0 }
        var (low, high) = (0, wide.count)
        while low < high {
            let middle = (low + high) / 2
            if wide[middle].upperBound < scalar.value { low = middle + 1 } else { high = middle }
        }
        return low < wide.count && wide[low].contains(scalar.value) ? 2 : 1
    }

    /// Returns as much of a text's beginning as fits so many columns.
    static func prefix(_ text: String, _ most: Int) -> String {
        var result = String.UnicodeScalarView()
        var used = 0
        for scalar in text.unicodeScalars {
            used += columns(scalar)
            if used > most { break }
            result.append(scalar)
        }
        return String(result)
    }

    /// Returns the text in at most so many columns. A text that is cut ends in `…`.
    static func clipped(_ text: String, to most: Int) -> String {
        guard columns(text) > most else { return text }
        return most > 0 ? prefix(text, most - 1) + "…" : ""
    }

    /// Returns the text in exactly so many columns.
    static func padded(_ text: String, to wanted: Int, right: Bool = false) -> String {
        let text = clipped(text, to: wanted)
        let rest = String(repeating: " ", count: wanted - columns(text))
        return right ? rest + text : text + rest
    }

    /// The wide characters of Unicode 16, with the unassigned ones between them.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115f, 0x231a...0x231b, 0x2329...0x232a, 0x23e9...0x23ec, 0x23f0...0x23f0, 0x23f3...0x23f3, 0x25fd...0x25fe, 0x2614...0x2615,
        0x2630...0x2637, 0x2648...0x2653, 0x267f...0x267f, 0x268a...0x268f, 0x2693...0x2693, 0x26a1...0x26a1, 0x26aa...0x26ab, 0x26bd...0x26be,
        0x26c4...0x26c5, 0x26ce...0x26ce, 0x26d4...0x26d4, 0x26ea...0x26ea, 0x26f2...0x26f3, 0x26f5...0x26f5, 0x26fa...0x26fa, 0x26fd...0x26fd,
        0x2705...0x2705, 0x270a...0x270b, 0x2728...0x2728, 0x274c...0x274c, 0x274e...0x274e, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
        0x27b0...0x27b0, 0x27bf...0x27bf, 0x2b1b...0x2b1c, 0x2b50...0x2b50, 0x2b55...0x2b55, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf,
        0x4dc0...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff01...0xff60, 0xffe0...0xffe6,
        0x16fe0...0x18d08, 0x1aff0...0x1b2fb, 0x1d300...0x1d376, 0x1f004...0x1f004, 0x1f0cf...0x1f0cf, 0x1f18e...0x1f18e, 0x1f191...0x1f19a,
        0x1f200...0x1f320, 0x1f32d...0x1f335, 0x1f337...0x1f37c, 0x1f37e...0x1f393, 0x1f3a0...0x1f3ca, 0x1f3cf...0x1f3d3, 0x1f3e0...0x1f3f0,
        0x1f3f4...0x1f3f4, 0x1f3f8...0x1f43e, 0x1f440...0x1f440, 0x1f442...0x1f4fc, 0x1f4ff...0x1f53d, 0x1f54b...0x1f54e, 0x1f550...0x1f567,
        0x1f57a...0x1f57a, 0x1f595...0x1f596, 0x1f5a4...0x1f5a4, 0x1f5fb...0x1f64f, 0x1f680...0x1f6c5, 0x1f6cc...0x1f6cc, 0x1f6d0...0x1f6d2,
        0x1f6d5...0x1f6d7, 0x1f6dc...0x1f6df, 0x1f6eb...0x1f6ec, 0x1f6f4...0x1f6fc, 0x1f7e0...0x1f7eb, 0x1f7f0...0x1f7f0, 0x1f90c...0x1f93a,
        0x1f93c...0x1f945, 0x1f947...0x1f9ff, 0x1fa70...0x1faff, 0x20000...0x3fffd,
    ]
}
