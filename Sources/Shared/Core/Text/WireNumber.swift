/// A whole number as others write it, bounded where it is read: adding a length or an offset to it never overflows. Pure.
package enum WireNumber {
    /// 2^53. Lua and JSON count no further exactly, and no body is so long.
    package static let most: Int64 = 1 << 53

    /// Reads `1*DIGIT`, as Content-Length and Content-Range are written (RFC 9110 §8.6, §14.4).
    /// - Returns: 0 to `most`; nil for signs, for anything but digits, and for more than `most`.
    package static func digits(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text).flatMap(bounded)
    }

    /// - Returns: the number, or nil unless it lies in -`most` to `most`.
    package static func bounded(_ value: Int64) -> Int64? { (-most...most).contains(value) ? value : nil }
}

extension Duration {
    /// A number of seconds that others wrote. Plain `seconds(_:)` traps on what no duration can hold.
    /// - Returns: zero for what is negative or no number, and at most a year.
    package static func seconds(bounded seconds: Double) -> Duration { .seconds(seconds > 0 ? min(seconds, 31_536_000) : 0) }
}
