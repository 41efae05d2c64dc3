/// The keys among the words of a command, as Redis itself finds them (`COMMAND GETKEYS`), and the channel of PUBLISH.
///
/// Only debug builds look: a command with a key of another tag is a mistake of ours that a single server would never show.
package enum RedisCommandKeys {
    /// Where the keys stand.
    private enum Layout {
        case none, first, all, allButLast
        /// Behind their number, which follows a script.
        case counted
    }

    private static let layouts: [String: Layout] = [
        "CLIENT": .none, "INFO": .none, "PING": .none, "SCAN": .none, "SCRIPT": .none, "TIME": .none,
        "GET": .first, "GETRANGE": .first, "HGET": .first, "HGETALL": .first, "HKEYS": .first, "HMGET": .first, "HSET": .first, "PEXPIRE": .first,
        "PUBLISH": .first, "SET": .first, "STRLEN": .first, "ZADD": .first, "ZMSCORE": .first, "ZRANGE": .first, "ZREMRANGEBYSCORE": .first,
        "ZSCAN": .first,
        "DEL": .all, "EXISTS": .all, "MGET": .all, "UNLINK": .all,
        "BZPOPMIN": .allButLast,
        "EVAL": .counted, "EVALSHA": .counted,
    ]

    /// The commands whose keys are known.
    package static var commands: [String] { layouts.keys.sorted() }

    /// - Returns: nil if the command is not known, or has fewer words than it needs.
    package static func keys(of command: [RedisArgument]) -> [String]? {
        guard let name = command.first?.text, let layout = layouts[name] else { return nil }
        let words = command.dropFirst().map(\.text)
        switch layout {
        case .none: return []
        case .first: return words.isEmpty ? nil : [words[0]]
        case .all: return words
        case .allButLast: return Array(words.dropLast())
        case .counted:
            guard words.count >= 2, let count = Int(words[1]), words.count >= 2 + count else { return nil }
            return Array(words[2..<2 + count])
        }
    }
}
