import TintypeCore

/// A URL without user, password and signature, as results show the source, and as it is kept. Everything else stays, so that the URL still works if it
/// works without a signature. Values of signatures become `***`.
package struct UnsignedURL: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ url: String) {
        guard let parts = URLParts(url) else {
            description = RedactedURL(url).description
            return
        }
        var (plain, query) = (parts, parts.query)
        if let pairs = query, pairs.contains("=") {
            query = pairs.split(separator: "&", omittingEmptySubsequences: false).map { pair in
                guard let equals = pair.firstIndex(of: "="), SecretNames.holds(PercentText.decoded(pair[..<equals])) else { return String(pair) }
                return pair[...equals] + "***"
            }.joined(separator: "&")
        }
        plain.query = query
        description = plain.textWithoutUser
    }
}
