import Testing

@testable import TintypeQueue

/// The options of scripts: those that Swift sends, those that Lua reads, and those that the headers name.
@Suite struct ScriptOptionTests {
    /// Returns the names in the list of a header that begins with the word `options`.
    private func listed(in text: String) -> [String]? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(of: "-- options") else { return nil }
        let list = lines[(start + 1)...].prefix { $0.hasPrefix("-- - ") || $0.hasPrefix("--   ") }
        return list.compactMap { $0.firstMatch(of: /^-- - (\w+)/).map { String($0.1) } }
    }

    @Test(arguments: QueueScript.allCases) func `the header of a script names the options that it reads`(script: QueueScript) throws {
        let text = try #require(QueueScripts.sources[script.rawValue])
        let named = listed(in: text)
        #expect(Set(named ?? []) == ScriptOption.read[script])
        let code = text.split(separator: "\n").map { $0.split(separator: "--", omittingEmptySubsequences: false)[0] }.joined(separator: "\n")
        #expect(code.contains("read_options()") == (named != nil))
        let places = code.matches(of: /\bARGV\[(\d+)\]/).compactMap { Int($0.1) }
        #expect(places.max() ?? 0 <= (named == nil ? 3 : 0), "more than three arguments before a list have names")
    }

    @Test func `each option that Swift may send is read by a script`() {
        #expect(Set(ScriptOption.allCases.map(\.rawValue)) == ScriptOption.read.values.reduce(into: []) { $0.formUnion($1) })
    }
}
