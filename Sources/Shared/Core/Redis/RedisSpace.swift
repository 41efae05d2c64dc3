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
    /// Cookie jars.
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
