/// Any text with the URLs inside it redacted: the safety net under every log line and error text.
///
/// A URL starts at a scheme before `://` and ends at white space, a quotation mark or an angle bracket, none of which it can hold. An
/// apostrophe it can hold: one behind it that quotes it is taken for a part of it, and goes with its secrets.
package struct RedactedText: Sendable, CustomStringConvertible {
    package let description: String

    package init(_ text: String) {
        description = Self.mayHoldURL(text) ? Self.redacted(text) : text
    }

    /// The quick answer for nearly every text: no `://` in it.
    private static func mayHoldURL(_ text: String) -> Bool {
        var previous: (UInt8, UInt8) = (0, 0)
        for byte in text.utf8 {
            if previous == (UInt8(ascii: ":"), UInt8(ascii: "/")) && byte == UInt8(ascii: "/") { return true }
            previous = (previous.1, byte)
        }
        return false
    }

    private static func redacted(_ text: String) -> String {
        var result = ""
        var word = ""
        for character in text {
            if character.isWhitespace || "\"<>`".contains(character) {
                result += shown(word)
                result.append(character)
                word = ""
            } else {
                word.append(character)
            }
        }
        return result + shown(word)
    }

    /// A word with every URL in it redacted; what stands before the first scheme (`url=`, a bracket) stays. Several URLs
    /// in one word (a list with commas, a URL as another's parameter) are redacted one by one.
    private static func shown(_ word: String) -> String {
        guard mayHoldURL(word) else { return word }
        let characters = Array(word)
        let starts = characters.indices.filter { isSchemeEnd(characters, at: $0) }.map { schemeStart(characters, before: $0) }
        var result = String(characters[..<(starts.first ?? characters.endIndex)])
        for (number, start) in starts.enumerated() {
            let end = number + 1 < starts.count ? starts[number + 1] : characters.endIndex
            result += RedactedURL(String(characters[start..<end])).description
        }
        return result
    }

    private static func isSchemeEnd(_ characters: [Character], at index: Int) -> Bool {
        characters[index] == ":" && characters[(index + 1)...].prefix(2) == ["/", "/"]
    }

    private static func schemeStart(_ characters: [Character], before colon: Int) -> Int {
        var start = colon
        while start > 0, characters[start - 1].isLetter || characters[start - 1].isNumber || "+-.".contains(characters[start - 1]) {
            start -= 1
        }
        return start
    }
}
