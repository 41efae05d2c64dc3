import CCurl
import TintypeCore

/// The dates of HTTP headers (RFC 9110 §5.6.7), in all three of their formats, parsed by curl. Pure.
package enum HTTPDate {
    /// The end of the year 9999, since HTTP writes years with four digits. Later dates parse too, up to where milliseconds no longer fit into 64 bits.
    package static let last: Int64 = 253_402_300_799

    /// Parses a date.
    /// - Returns: epoch seconds, from 0 to `last`; nil for text that is no date beginning with the name of a day.
    package static func seconds(_ text: String) -> Int64? {
        guard text.utf8.count <= 64, text.utf8.first.map({ (0x41...0x5a).contains($0) }) == true else { return nil }
        let moment = Int64(curl_getdate(text, nil))
        return (0...last).contains(moment) ? moment : nil
    }
}

/// The value of Retry-After (RFC 9110 §10.2.3): seconds, or a date. Pure, except that it reads the clock if the server sends no time of its own.
enum RetryAfter {
    /// The longest accepted time in seconds.
    static let longest: Int64 = 600

    /// - Parameters:
    ///   - date: the server's own Date header. Its dates are relative to this, since clocks differ.
    /// - Returns: seconds from 1 to `longest`; nil for an invalid or past value.
    static func seconds(_ text: String, date: String?) -> Int64? {
        let text = text.utf8.drop { $0 == 0x20 || $0 == 0x09 }
        let digits = text.prefix { (0x30...0x39).contains($0) }
        let seconds: Int64
        if !digits.isEmpty {
            guard text.dropFirst(digits.count).allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else { return nil }
            // A number with too many digits is a long time too.
            seconds = WireNumber.digits(String(Substring(digits))) ?? longest
        } else {
            guard let moment = HTTPDate.seconds(String(Substring(text))) else { return nil }
            seconds = moment - (date.flatMap { HTTPDate.seconds($0) } ?? Int64(WallClock.now))
        }
        return seconds > 0 ? min(seconds, longest) : nil
    }
}

/// The value of Content-Range: the bytes of the whole that a 206 carries (RFC 9110 §14.4). No number is above `WireNumber.most`. A pure value.
package struct ContentRange: Sendable, Hashable {
    package let first: Int64
    package let last: Int64
    /// The length of the whole; nil for `*`.
    package let total: Int64?

    /// Reads a range; nil for any other text, including an unsatisfied range (`bytes */123`).
    package init?(_ text: String) {
        guard text.lowercased().hasPrefix("bytes ") else { return nil }
        let halves = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false).map { WireNumber.digits($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last else { return nil }
        total = WireNumber.digits(halves[1])
        guard total != nil || halves[1] == "*", total.map({ last < $0 }) ?? true else { return nil }
        (self.first, self.last) = (first, last)
    }
}
