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
        let library = ScriptLibrary(ScriptLibraryFile.allCases.map { sources[$0.rawValue] ?? "" })
        var scripts: [QueueScript: LuaScript] = [:]
        for script in QueueScript.allCases {
            var text = sources[script.file] ?? ""
            // The lines that end the older receipt of a supersede key are longer than all others together, and most requests have no such key.
            if script == .submit {
                text = text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasSuffix("-- slot") }.joined(separator: "\n")
            }
            scripts[script] = LuaScript(name: script.rawValue, source: library.compose(text))
        }
        self.scripts = scripts
    }
}
