import Testing

@testable import TintypeQueue

/// The options of scripts: those that Swift sends, those that Lua reads, and those that the headers name.
@Suite struct ScriptOptionTests {
    /// Returns the names in the list of a header that begins with a word, such as `-- options`.
    private func listed(_ word: String, in text: String) -> [String]? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(of: "-- \(word)") else { return nil }
        let list = lines[(start + 1)...].prefix { $0.hasPrefix("-- - ") || $0.hasPrefix("--   ") }
        return list.compactMap { $0.firstMatch(of: /^-- - (\w+)/).map { String($0.1) } }
    }

    @Test(arguments: QueueScript.allCases) func `a script reads the options that Swift sends and its header names`(script: QueueScript) throws {
        let text = try #require(QueueScripts.sources[script.file])
        let sent = script.options?.map(\.rawValue)
        #expect(listed("options", in: text) == sent)
        let code = text.split(separator: "\n").map { $0.split(separator: "--", omittingEmptySubsequences: false)[0] }.joined(separator: "\n")
        let read = Set(code.matches(of: /\boptions\.(\w+)/).map { String($0.1) })
        #expect(read == Set(sent ?? []))
        #expect(code.contains("read_options()") == (sent != nil))
        #expect(!code.contains(/\bARGV\[\d/) || sent == nil, "a script reads its options by name alone")
    }

    @Test func `no option is there that no script reads`() {
        let read = Set(QueueScript.allCases.flatMap { $0.options ?? [] })
        #expect(Set(ScriptOption.allCases).subtracting(read).isEmpty)
    }

    /// The arguments with fixed places, by the most of them before a list.
    @Test(arguments: QueueScript.allCases.filter { $0.options == nil }) func `a script without options has at most three arguments before a list`(
        script: QueueScript
    ) throws {
        let text = try #require(QueueScripts.sources[script.file])
        let code = text.split(separator: "\n").map { $0.split(separator: "--", omittingEmptySubsequences: false)[0] }.joined(separator: "\n")
        let places = code.matches(of: /\bARGV\[(\d+)\]/).compactMap { Int($0.1) }
        #expect(places.max() ?? 0 <= 3)
    }
}
