import TintypeCore

extension TransferHead {
    /// The headers as clients may see them: none that carry credentials, of a challenge its scheme, URLs without the values in their queries; at most 64,
    /// none longer than 1,024 bytes.
    package var shownHeaders: [(name: String, value: String)] {
        headers.lazy.compactMap { name, value in Self.shown(name, value).map { (name: name, value: $0) } }.prefix(64).map(\.self)
    }

    /// Names and values of an error's headers in bytes.
    static let mostFailureBytes = 8 << 10

    /// The headers as an error tells them: those that are shown, but no challenges, and 8 KiB in all. What comes behind the first that does not fit is
    /// left out.
    var failureHeaders: [(name: String, value: String)] {
        var left = Self.mostFailureBytes
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
