/// The three ways of Redis to listen.
package enum RedisChannelKind: Sendable, Hashable {
    /// A channel of PUBLISH. In a cluster, each message goes to every server.
    case plain
    /// All channels of PUBLISH that match a pattern.
    case pattern
    /// A channel of SPUBLISH. In a cluster, only the servers of its slot get the message. Redis 7.0 and newer, also without a cluster.
    case sharded

    /// The command that subscribes; its confirmation begins with the same word in small letters.
    var joining: String {
        switch self {
        case .plain: "SUBSCRIBE"
        case .pattern: "PSUBSCRIBE"
        case .sharded: "SSUBSCRIBE"
        }
    }

    /// The command that unsubscribes.
    var leaving: String {
        switch self {
        case .plain: "UNSUBSCRIBE"
        case .pattern: "PUNSUBSCRIBE"
        case .sharded: "SUNSUBSCRIBE"
        }
    }

    /// Reads the first word of a confirmation.
    init?(joined word: String) {
        switch word {
        case "subscribe": self = .plain
        case "psubscribe": self = .pattern
        case "ssubscribe": self = .sharded
        case _: return nil
        }
    }

    /// The first words of messages; all other replies answer a command.
    static let messages: Set<String> = ["message", "pmessage", "smessage"]
}
