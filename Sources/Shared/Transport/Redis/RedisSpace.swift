/// Names that stand in the braces of keys which belong to no queue: `tintype:{results}:…`.
///
/// Every key of ours is made with one of these or with a queue's name, so no queue may have such a name: its keys would be mixed with
/// what clients name themselves, such as results. `scripts/lint` sees to it that `RedisTag` alone spells a prefix.
package enum RedisSpace: String, Sendable, CaseIterable {
    /// Finished renditions, where the store is a Redis.
    case results
    /// Sources as they came, where the store is a Redis.
    case sources
    /// What is there for moments: results that their store did not take, previews, and who asks for what was served stale.
    case held
    /// What rules say of redirects.
    case rules
    /// Cookie jars.
    case cookies
    /// Nothing yet: groups live beside `default`.
    case groups

    /// The tag of all its keys.
    package var tag: RedisTag { RedisTag(rawValue) }

    /// Whether a queue may not have this name.
    package static func reserves(_ name: String) -> Bool { RedisSpace(rawValue: name) != nil }

    /// All of them as a list for people.
    package static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
