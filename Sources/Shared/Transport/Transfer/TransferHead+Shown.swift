import TintypeCore

extension TransferHead {
    /// The headers that clients may see. Headers with credentials are left out, a challenge is reduced to its scheme, and URLs lose the values of their
    /// queries. At most 64 headers, none longer than 1,024 bytes.
    package var shownHeaders: [(name: String, value: String)] {
        headers.lazy.compactMap { name, value in Self.shown(name, value).map { (name: name, value: $0) } }.prefix(64).map(\.self)
    }

    /// The maximum size of the headers in an error, names and values, in bytes.
    static let maxFailureBytes = 8 << 10

    /// The headers in an error: the shown ones without challenges, 8 KiB in all. All headers from the first that does not fit on are left out.
    var failureHeaders: [(name: String, value: String)] {
        var left = Self.maxFailureBytes
        return shownHeaders.filter { $0.name != "www-authenticate" && $0.name != "proxy-authenticate" }.prefix { header in
            left -= header.name.utf8.count + header.value.utf8.count
            return left >= 0
        }.map(\.self)
    }

    private static func shown(_ name: String, _ value: String) -> String? {
        switch name {
        case "www-authenticate", "proxy-authenticate": value.split(whereSeparator: { $0 == " " || $0 == "," }).first.map { String($0.prefix(64)) }
        case _ where SecretNames.holds(name): nil
        case "location", "content-location": RedactedURL(String(value.prefix(8192))).description
        default: String(RedactedText(String(value.prefix(1024))).description.prefix(1024))
        }
    }
}
