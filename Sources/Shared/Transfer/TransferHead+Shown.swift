extension TransferHead {
    /// The headers as clients may see them: none that carry credentials, of a challenge its scheme, URLs without the values in their queries; at most 64,
    /// none longer than 1,024 bytes.
    package var shownHeaders: [(name: String, value: String)] {
        headers.lazy.compactMap { name, value in Self.shown(name, value).map { (name: name, value: $0) } }.prefix(64).map(\.self)
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
