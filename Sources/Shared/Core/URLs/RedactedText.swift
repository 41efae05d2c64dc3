/// A text with all its URLs redacted: the safety net for every log line and error text.
///
/// A URL starts at a scheme before `://` and ends at white space, a quotation mark or an angle bracket, which no URL contains. An
/// apostrophe is allowed in URLs: a closing apostrophe is taken for a part of the URL and disappears with its secrets.
package struct RedactedText: Sendable, CustomStringConvertible {
    package let description: String

    package init(_ text: String) {
        description = Self.mayHoldURL(text) ? Self.redacted(text) : text
    }

    /// The quick test for nearly every text: no `://`, and no `@` beside a byte outside ASCII.
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
        // Scalars, not Characters: a combining letter would hide a delimiter, and with it the begin or end of a URL.
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

    /// Returns a word with every URL in it redacted. Text before the first scheme (`url=`, a bracket) stays. Several URLs
    /// in one word (a list with commas, a URL as a parameter of another) are redacted one by one.
    private static func shown(_ word: String.UnicodeScalarView) -> String {
        guard mayHoldURL(String(word)) else { return String(word) }
        let scalars = Array(word)
        let starts = scalars.indices.filter { isSchemeEnd(scalars, at: $0) }.map { schemeStart(scalars, before: $0) }
        // A letter between the colon and the slashes hides the beginning of a URL; the text before its @ may be a password.
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
        while start > 0, let byte = UInt8(exactly: scalars[start - 1].value), WebAddress.isOfScheme(byte) { start -= 1 }
        return start
    }
}
