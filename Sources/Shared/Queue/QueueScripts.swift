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

    /// Stops the program if a file has a marker that `ScriptMarker` does not know, or one at the wrong place.
    /// - Parameter sources: texts by file name without `.lua`. Tests pass altered ones.
    package init(sources: [String: String]) {
        do throws(ScriptMistake) {
            scripts = try Self.compose(sources)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    private static func compose(_ sources: [String: String]) throws(ScriptMistake) -> [QueueScript: LuaScript] {
        func file(_ name: String) -> ScriptFile { ScriptFile(name: name, text: sources[name] ?? "") }
        let library = try ScriptLibrary(ScriptLibraryFile.allCases.map { file($0.rawValue) })
        var scripts: [QueueScript: LuaScript] = [:]
        for script in QueueScript.allCases {
            // The lines that end the older receipt of a supersede key are longer than all others together, and most requests have no such key.
            let source = try library.compose(file(script.file), without: script == .submit ? .slot : nil)
            scripts[script] = LuaScript(name: script.rawValue, source: source)
        }
        return scripts
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
        // Nobody listens to the channel of a coordinator without a name.
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
