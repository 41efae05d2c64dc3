import TintypeCore
package import TintypeTransport

/// The complete scripts of Queue/Scripts: each is its own file with the library functions that it calls (`ScriptLibrary`).
package struct QueueScripts: Sendable {
    /// The scripts that the program ships with.
    package static let shipped = QueueScripts(sources: sources)

    private let scripts: [QueueScript: LuaScript]

    /// All scripts in the order of `QueueScript`. `RedisClient` loads them on connecting.
    package var all: [LuaScript] { QueueScript.allCases.map { self[$0] } }

    package subscript(script: QueueScript) -> LuaScript {
        guard let found = scripts[script] else { preconditionFailure("`init` makes every script") }
        return found
    }

    /// - Parameter sources: texts by file name without `.lua`. Tests pass altered ones.
    package init(sources: [String: String]) {
        func text(_ name: String) -> String { ScriptConstants.filled(sources[name] ?? "") }
        let library = ScriptLibrary(prelude: text("prelude"), ScriptLibraryFile.allCases.map { text($0.rawValue) })
        scripts = Dictionary(uniqueKeysWithValues: QueueScript.allCases.map { ($0, LuaScript(name: $0.rawValue, source: library.compose(text($0.rawValue)))) })
    }
}

/// The version of the keys and fields in Redis that this program understands.
///
/// The number is in the settings of each queue (`v` of `cfg`). The first coordinator or worker to use the queue puts it there. A program that knows
/// another number changes nothing: every connection is checked before it is used. Every script checks first too (`prelude.lua`), since the number may
/// be raised while we run. Programs with one number work side by side, even if their scripts differ: each calls its own scripts by their digests.
package enum QueueSchema {
    package static let number = RedisSchema.number

    /// The check of the number of a Redis. All queues of one Redis have the number of `default`.
    package static let check = RedisRequirement.Check(command: ["HGET", .string(QueueKeys.settings), "v"]) { reply in
        reply.string.flatMap { $0 == number ? nil : .otherSchema($0) }
    }

    /// The checks of a Redis before any queue in it is used: its number, and whether its user may SPUBLISH. A script that is refused this in its middle
    /// keeps the writes before it.
    ///
    /// Each server of a cluster has users of its own. One without the slot of `default` refuses both commands with MOVED, but a user who lacks a rule reads
    /// that first.
    package static let requirement = RedisRequirement([
        check,
        // The channel of a coordinator without a name has no listeners.
        RedisRequirement.Check(command: ["SPUBLISH", .string(QueueKeys("default").events(coordinator: "")), ""]) { reply in
            guard case .error(let text) = reply else { return nil }
            return switch RedisErrorReply(text) {
            case .notPermitted, .other:
                .unavailable("SPUBLISH is refused: \(text). Give its Redis user +spublish, and the channels &tintype:* (deploy/users.acl)")
            case _: nil
            }
        },
    ])
}
