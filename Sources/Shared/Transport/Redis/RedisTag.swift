/// The word in the braces of a key. It names the owner of the key, and so determines the server that has it.
///
/// Each of our keys and channels has a tag. All keys with one tag are on one server, in one slot of a Redis Cluster.
package struct RedisTag: Sendable, Hashable {
    /// The word itself: the name of a queue, or of a `RedisSpace`.
    package let name: String
    /// The prefix of every key and channel with this tag.
    package let prefix: String

    package init(_ name: String) {
        self.name = name
        prefix = Self.opening + name + "}:"
    }

    /// The prefix of all our keys.
    package static let opening = "tintype:{"

    /// Reads the tag of a key or channel; nil if it is not ours.
    package init?(of key: String) {
        guard key.hasPrefix(Self.opening), let end = key.firstRange(of: "}:") else { return nil }
        self.init(String(key[..<end.lowerBound].dropFirst(Self.opening.count)))
    }

    /// Returns whether a key or channel has this tag.
    package func owns(_ key: String) -> Bool { key.utf8.starts(with: prefix.utf8) }

    /// Returns the reason for which a command must not be sent to the server of this tag; nil if it may.
    package func objection(to command: [RedisArgument]) -> String? {
        let name = command.first?.text ?? ""
        guard let keys = RedisCommandKeys.keys(of: command) else { return "\(name) is not among the commands whose keys are known (RedisCommandKeys)" }
        guard let stranger = keys.first(where: { !owns($0) }) else { return nil }
        return "\(name) was sent to the server of \(prefix) with the key \(stranger)"
    }
}
