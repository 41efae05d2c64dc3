/// Any text with the URLs inside it redacted: the safety net under every log line and error text.
///
/// A URL starts at a scheme before `://` and ends at white space, a quotation mark or an angle bracket, none of which it can hold. An
/// apostrophe it can hold: one behind it that quotes it is taken for a part of it, and goes with its secrets.
package struct RedactedText: Sendable, CustomStringConvertible {
    package let description: String

    package init(_ text: String) {
        description = Self.mayHoldURL(text) ? Self.redacted(text) : text
    }

    /// The quick answer for nearly every text: no `://` in it, and no `@` beside a byte that is not ASCII.
    private static func mayHoldURL(_ text: String) -> Bool {
        var previous: (UInt8, UInt8) = (0, 0)
        var (hasUser, hasLetter) = (false, false)
        for byte in text.utf8 {
            if previous == (UInt8(ascii: ":"), UInt8(ascii: "/")) && byte == UInt8(ascii: "/") { return true }
            if byte == UInt8(ascii: "@") { hasUser = true }
            if byte >= 0x80 { hasLetter = true }
            previous = (previous.1, byte)
        }
        return hasUser && hasLetter
    }

    private static func redacted(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var word = String.UnicodeScalarView()
        // Scalars, not Characters: a letter that joins the one before it would hide a delimiter, and with it where a URL begins or ends.
        for scalar in text.unicodeScalars {
            if scalar.properties.isWhitespace || "\"<>`".unicodeScalars.contains(scalar) {
                result += shown(word).unicodeScalars
                result.append(scalar)
                word.removeAll()
            } else {
                word.append(scalar)
            }
        }
        return String(result) + shown(word)
    }

    /// A word with every URL in it redacted; what stands before the first scheme (`url=`, a bracket) stays. Several URLs
    /// in one word (a list with commas, a URL as another's parameter) are redacted one by one.
    private static func shown(_ word: String.UnicodeScalarView) -> String {
        guard mayHoldURL(String(word)) else { return String(word) }
        let scalars = Array(word)
        let starts = scalars.indices.filter { isSchemeEnd(scalars, at: $0) }.map { schemeStart(scalars, before: $0) }
        // A letter between the colon and the slashes hides that a URL begins; what stands before its @ may be a password.
        guard let first = starts.first else { return word.contains(":") && word.contains("/") ? RedactedURL(String(word)).description : String(word) }
        var result = text(scalars[..<first])
        for (number, start) in starts.enumerated() {
            let end = number + 1 < starts.count ? starts[number + 1] : scalars.endIndex
            result += RedactedURL(text(scalars[start..<end])).description
        }
        return result
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String { String(String.UnicodeScalarView(scalars)) }

    private static func isSchemeEnd(_ scalars: [Unicode.Scalar], at index: Int) -> Bool {
        scalars[index] == ":" && scalars[(index + 1)...].prefix(2) == ["/", "/"]
    }

    private static func schemeStart(_ scalars: [Unicode.Scalar], before colon: Int) -> Int {
        var start = colon
        while start > 0, isOfScheme(scalars[start - 1]) { start -= 1 }
        return start
    }

    private static func isOfScheme(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2b, 0x2d, 0x2e: true
        default: false
        }
    }
}
