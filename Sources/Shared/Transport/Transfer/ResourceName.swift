import TintypeCore

/// What a URL leads to, whoever has signed it and when: validators that came from one URL speak of all with the same name. A pure value.
struct ResourceName: Hashable {
    private let text: String

    /// - Parameter url: as it is, or as `UnsignedURL` shows it: what is kept knows no other.
    init(_ url: String) {
        let shown = UnsignedURL(url).description
        guard let parts = URLParts(shown), let query = parts.query else {
            text = shown
            return
        }
        let pairs = query.split(separator: "&", omittingEmptySubsequences: false)
        guard pairs.contains(where: { $0.hasSuffix("=***") }) else {
            text = shown
            return
        }
        var plain = parts
        plain.query = pairs.filter { !Self.isOfSignature($0) }.joined(separator: "&")
        text = plain.textWithoutUser
    }

    /// Of AWS, Google and CloudFront: each time they say anew when it was signed and how long that holds.
    private static func isOfSignature(_ pair: Substring) -> Bool {
        let name = pair.prefix { $0 != "=" }.lowercased()
        return pair.hasSuffix("=***") || name.hasPrefix("x-amz-") || name.hasPrefix("x-goog-") || ["expires", "policy"].contains(name)
    }
}
