/// A whole number from outside, bounded when it is read: adding a length or an offset never overflows. Pure.
package enum WireNumber {
    /// 2^53: the largest exact number of Lua and JSON, and longer than any body.
    package static let most: Int64 = 1 << 53

    /// Reads `1*DIGIT`, as in Content-Length and Content-Range (RFC 9110 §8.6, §14.4).
    /// - Returns: 0 to `most`; nil for signs, for anything but digits, and for larger numbers.
    package static func digits(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text).flatMap(bounded)
    }

    /// Reads a whole number that another program has written, as into Redis. The sum of a thousand such numbers does not overflow.
    /// - Returns: nil for anything else, and outside of -`most` to `most`.
    package static func integer(_ text: some StringProtocol) -> Int64? { Int64(text).flatMap(bounded) }

    /// - Returns: the number, or nil outside of -`most` to `most`.
    package static func bounded(_ value: Int64) -> Int64? { (-most...most).contains(value) ? value : nil }
}

extension Duration {
    /// Returns seconds from outside as a duration. Plain `seconds(_:)` traps on numbers out of range.
    /// - Returns: zero for a negative number or not-a-number, and at most a year.
    package static func seconds(bounded seconds: Double) -> Duration { .seconds(seconds > 0 ? min(seconds, 31_536_000) : 0) }
}
