package import TintypeCore

/// The keys among the words of a command, as Redis itself finds them (`COMMAND GETKEYS`), and the channel of a message.
///
/// Only debug builds check them: a command with a key of another tag is a bug that a single server would never show.
package enum RedisCommandKeys {
    /// The position of the keys.
    private enum Layout {
        case none, first, all, allButLast
        /// After the number of keys, which follows a script.
        case counted
    }

    private static let layouts: [String: Layout] = [
        "CLIENT": .none, "INFO": .none, "PING": .none, "SCAN": .none, "SCRIPT": .none, "TIME": .none, "WAIT": .none,
        "GET": .first, "GETRANGE": .first, "HGET": .first, "HGETALL": .first, "HKEYS": .first, "HLEN": .first, "HMGET": .first, "HSET": .first,
        "PEXPIRE": .first, "PUBLISH": .first, "SET": .first, "SPUBLISH": .first, "STRLEN": .first, "ZADD": .first, "ZMSCORE": .first, "ZRANGE": .first,
        "ZREM": .first, "ZREMRANGEBYSCORE": .first, "ZSCAN": .first, "ZSCORE": .first,
        "DEL": .all, "EXISTS": .all, "MGET": .all, "UNLINK": .all,
        "BZPOPMIN": .allButLast,
        "EVAL": .counted, "EVALSHA": .counted,
    ]

    /// The commands whose keys are known.
    package static var commands: [String] { layouts.keys.sorted() }

    /// Returns the keys of a command; nil if the command is not known, or has too few words.
    package static func keys(of command: [RedisArgument]) -> [String]? {
        guard let name = command.first?.text, let layout = layouts[name] else { return nil }
        // Only keys become text: a value may have megabytes.
        let words = command.dropFirst()
        switch layout {
        case .none: return []
        case .first: return words.first.map { [$0.text] }
        case .all: return words.map(\.text)
        case .allButLast: return words.dropLast().map(\.text)
        case .counted:
            guard words.count >= 2, let count = Int(command[2].text), count >= 0, words.count >= 2 + count else { return nil }
            return words.dropFirst(2).prefix(count).map(\.text)
        }
    }
}

extension RedisTag {
    /// Returns the reason for which a command must not be sent to the server of this tag; nil if it may.
    package func objection(to command: [RedisArgument]) -> String? {
        let name = command.first?.text ?? ""
        guard let keys = RedisCommandKeys.keys(of: command) else { return "\(name) is not among the commands whose keys are known (RedisCommandKeys)" }
        guard let stranger = keys.first(where: { !owns($0) }) else { return nil }
        return "\(name) was sent to the server of \(prefix) with the key \(stranger)"
    }
}
