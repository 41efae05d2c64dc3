import TintypeCore

/// The changes of a jar by a transfer, in the lines of Netscape's cookie file. Pure.
enum CookieLines {
    /// The most cookies of a jar, and the most bytes of one cookie. Others are not kept.
    static let most = 300
    static let longest = 8 << 10

    /// Returns domain, path and name, which identify a cookie; nil if the line is no cookie.
    static func key(of line: String) -> ExactText? {
        guard let fields = fields(of: line), line.utf8.count <= longest else { return nil }
        let domain = fields[0].hasPrefix("#HttpOnly_") ? fields[0].dropFirst("#HttpOnly_".count) : fields[0]
        return ExactText("\(domain.lowercased())\t\(fields[2])\t\(fields[5])")
    }

    /// Returns the line from a jar's field. A field holds the µs of the write, a tab and the line. Older versions kept only the line.
    static func line(kept text: String) -> String {
        let fields = text.utf8.split(separator: UInt8(ascii: "\t"), maxSplits: 1, omittingEmptySubsequences: false)
        guard fields.count == 2, text.utf8.count(where: { $0 == UInt8(ascii: "\t") }) == 7 else { return text }
        return String(Substring(fields[1]))
    }

    /// - Parameters:
    ///   - before: cookies by their key.
    ///   - after: the lines after the transfer. A cookie that `Max-Age=0` removed is among them, with an expiry in the past (curl 7.88).
    ///   - now: epoch seconds.
    static func changes(
        from before: [ExactText: String], to after: [String], at now: Int64
    ) -> (kept: [(key: ExactText, line: String)], gone: [ExactText]) {
        var kept: [(key: ExactText, line: String)] = []
        var left = Set(before.keys)
        for line in after {
            guard let key = key(of: line), !isOver(line, at: now) else { continue }
            let isKnown = left.remove(key) != nil
            guard before[key].map({ !$0.isExactly(line) }) ?? true, isKnown || before.count + kept.count < most else { continue }
            kept.append((key, line))
        }
        return (kept, left.sorted())
    }

    /// Whether a cookie has expired. An expiry of 0 marks a session cookie, which lives as long as its jar.
    private static func isOver(_ line: String, at now: Int64) -> Bool {
        guard let fields = fields(of: line), let end = WireNumber.digits(fields[4]) else { return false }
        return end > 0 && end <= now
    }

    /// The seven fields of a line; nil if the line is no cookie. Split at bytes, as curl does.
    private static func fields(of line: String) -> [Substring]? {
        let fields = line.utf8.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map { Substring($0) }
        return fields.count == 7 ? fields : nil
    }
}
