/// The part of a key by which Redis chooses its server: the word in the braces, or the whole key where it has no braces.
///
/// Each of our keys and channels has a tag. All keys with one tag are on one server, in one slot of a Redis Cluster.
package struct RedisTag: Sendable, Hashable {
    /// The name of a queue, or of a `RedisSpace`; the whole key where it has no braces.
    package let name: String
    /// The prefix of every key and channel with this tag; the whole key where it has no braces.
    package let prefix: String
    /// Whether one key alone has this tag.
    package let isAlone: Bool

    package init(_ name: String) {
        self.name = name
        prefix = Self.opening + name + "}:"
        isAlone = false
    }

    /// The tag of a key that has no braces, and so a slot of its own.
    package init(key: String) { (name, prefix, isAlone) = (key, key, true) }

    /// The beginning of all our keys that share a slot with others.
    private static let opening = "tintype:{"

    private static let scattered = RedisSpace.allCases.filter(\.isScattered).map(\.prefix)

    /// Returns the beginning of keys that each have a slot of their own.
    static func scatteredPrefix(_ name: String) -> String { "tintype:" + name + ":" }

    /// Reads the tag of a key or channel; nil if it is not ours.
    package init?(of key: String) {
        if Self.scattered.contains(where: { key.hasPrefix($0) }) {
            self.init(key: key)
            return
        }
        guard key.hasPrefix(Self.opening), let end = key.firstRange(of: "}:") else { return nil }
        self.init(String(key[..<end.lowerBound].dropFirst(Self.opening.count)))
    }

    /// Returns whether a key or channel has this tag.
    package func owns(_ key: String) -> Bool { isAlone ? key == prefix : key.utf8.starts(with: prefix.utf8) }
}

/// The version of our keys in a Redis and their fields.
package enum RedisSchema {
    /// A change of keys or fields that an older program would misread raises it.
    package static let number = "4"
}
