/// The three ways of Redis to listen, with the first letter of their commands.
package enum RedisChannelKind: String, Sendable, CaseIterable {
    /// A channel of PUBLISH. In a cluster, each message goes to every server.
    case plain = ""
    /// All channels of PUBLISH that match a pattern.
    case pattern = "P"
    /// A channel of SPUBLISH. In a cluster, only the servers of its slot get the message. Redis 7.0 and newer, also without a cluster.
    case sharded = "S"

    /// The command that subscribes; its confirmation begins with the same word in small letters.
    var joining: String { rawValue + "SUBSCRIBE" }
    /// The command that unsubscribes.
    var leaving: String { rawValue + "UNSUBSCRIBE" }

    /// Reads the first word of a confirmation.
    init?(joined word: String) {
        guard let kind = Self.allCases.first(where: { $0.joining.lowercased() == word }) else { return nil }
        self = kind
    }

    /// The first words of messages; all other replies answer a command.
    static let messages: Set<String> = ["message", "pmessage", "smessage"]
}
