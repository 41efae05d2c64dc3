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

/// Names of keys that belong to no queue: `tintype:{cookies}:…`, or `tintype:results:…` where each key has a slot of its own.
///
/// Each of our keys has one of these names or the name of a queue. So no queue may have such a name: its keys would mix with keys whose names clients
/// choose, such as cookie jars. `scripts/lint` ensures that only `RedisTag` spells a prefix.
package enum RedisSpace: String, Sendable, CaseIterable {
    /// Finished renditions, if the store is a Redis.
    case results
    /// Sources as downloaded, if the store is a Redis.
    case sources
    /// Short-lived entries: results that their store did not take, previews, and claims to revalidate a stale result.
    case held
    /// The answers of rules about redirects.
    case rules
    case cookies
    /// Reserved: groups are stored beside `default`.
    case groups

    /// Whether each key has a slot of its own. Then all servers of a cluster share the bytes, and no command or script has two of these keys.
    package var isScattered: Bool {
        switch self {
        case .results, .sources, .held: true
        case .rules, .cookies, .groups: false
        }
    }

    /// The prefix of all keys with this name.
    package var prefix: String { isScattered ? RedisTag.scatteredPrefix(rawValue) : RedisTag(rawValue).prefix }

    /// Returns the tag of the key with this name behind the prefix.
    package func tag(of name: String) -> RedisTag { isScattered ? RedisTag(key: prefix + name) : RedisTag(rawValue) }

    /// The one tag of all keys with this name, unless they are scattered.
    package var tag: RedisTag {
        assert(!isScattered, "each key of \(rawValue) has a tag of its own")
        return RedisTag(rawValue)
    }

    /// Returns whether the name is reserved and no queue may have it.
    package static func reserves(_ name: String) -> Bool { RedisSpace(rawValue: name) != nil }

    /// All names as a list for messages.
    package static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

extension SettingType where Value == [String] {
    /// Queue names: 1 to 64 of letters, digits, `_`, `-` and `.`.
    package static var queueNames: SettingType {
        list(
            of: "queue names (1 to 64 of letters, digits, _ - ., and none of \(RedisSpace.names), which name other keys in Redis)", placeholder: "NAME,…",
            isSet: true
        ) { $0.isPlainName(1...64) && !RedisSpace.reserves(String($0)) }
    }
}
