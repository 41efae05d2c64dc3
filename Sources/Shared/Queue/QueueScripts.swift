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
