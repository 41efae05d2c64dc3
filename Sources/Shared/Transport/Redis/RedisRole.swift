/// The answer of a server to `ROLE`. Only a primary takes writes.
package enum RedisRole: Sendable, Hashable, CustomStringConvertible {
    case primary
    /// A replica of this server.
    case replica(of: String)
    case sentinel
    /// The ACL of the user lacks `+role`.
    case notPermitted
    /// An answer that is none of these, by its first word.
    case other(String)

    package init(_ reply: RedisReply) {
        if case .error(let text) = reply {
            self = RedisErrorReply(text) == .notPermitted ? .notPermitted : .other(text)
            return
        }
        let words = (reply.array ?? []).map { $0.string ?? "" }
        self =
            switch words.first {
            case "master": .primary
            case "slave" where words.count > 2: .replica(of: "\(words[1]):\(words[2])")
            case "sentinel": .sentinel
            case let word: .other(word ?? "nothing")
            }
    }

    package var description: String {
        switch self {
        case .primary: "the primary"
        case .replica(let primary): "a replica of \(primary)"
        case .sentinel: "a sentinel"
        case .notPermitted: "not for this user to ask: the ACL of the user lacks +role"
        case .other(let text): text
        }
    }
}
