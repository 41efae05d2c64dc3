/// Names in the braces of keys that belong to no queue: `tintype:{results}:…`.
///
/// Each of our keys has one of these names or the name of a queue. So no queue may have such a name: its keys would mix with keys whose names clients
/// choose, such as results. `scripts/lint` ensures that only `RedisTag` spells a prefix.
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

    /// The tag of all keys with this name.
    package var tag: RedisTag { RedisTag(rawValue) }

    /// Returns whether the name is reserved and no queue may have it.
    package static func reserves(_ name: String) -> Bool { RedisSpace(rawValue: name) != nil }

    /// All names as a list for messages.
    package static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
