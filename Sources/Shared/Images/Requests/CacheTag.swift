import TintypeCore

/// Tags of results (`cache.tags`): names by which a client purges what belongs together, such as all pictures of one product.
package enum CacheTag {
    /// The most tags of one request.
    package static let most = 8
    /// The longest tag in bytes.
    package static let longest = 128

    /// Whether a text may be a tag: letters that a header field, a key in Redis and a command line take as they are.
    package static func isTag(_ text: String) -> Bool {
        (1...longest).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x2d...0x3a).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || byte == 0x5f || byte == 0x7e
            }
    }

    /// The type of a tag.
    package static let type = ParameterType.pattern(expectation: "a tag: 1 to \(longest) of [A-Za-z0-9._~:/-]") { isTag($0) }

    /// Returns the word for a tag of one scope, as scripts get it. Tags of different scopes have nothing in common.
    /// - Parameter scope: the hash of the scope (`Source.scope`).
    package static func word(_ tag: String, scope: String?) -> String { scope.map { "\(tag)@\($0)" } ?? tag }
}
