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

/// The name of the resource behind a URL, without the signature. Validators from one URL apply to all URLs with the same name. A pure value.
struct ResourceName: Hashable {
    private let text: String

    /// - Parameter url: the URL, or its `UnsignedURL`, which is the only form that caches keep.
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

    /// Returns whether a parameter belongs to a signature of AWS, Google or CloudFront. These change the time of signing and its lifetime each time.
    private static func isOfSignature(_ pair: Substring) -> Bool {
        let name = pair.prefix { $0 != "=" }.lowercased()
        return pair.hasSuffix("=***") || name.hasPrefix("x-amz-") || name.hasPrefix("x-goog-") || ["expires", "policy"].contains(name)
    }
}
