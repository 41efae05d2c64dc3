import TintypeCore

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
