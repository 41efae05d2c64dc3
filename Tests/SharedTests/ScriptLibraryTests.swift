import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeQueue

/// The place of library functions in the text of a script that calls them.
@Suite(.timeLimit(.minutes(3)), .scoped) struct ScriptLibraryTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var libraries = [
            """
            --@always Every script has this.
            local P = KEYS[1]
            local cfg = {}
            --@end
            local WORDS = { rest = true }
            local function base(x) return P .. x end

            -- Builds on the other.
            local function middle(x) -- says more
              return base(x) .. '-'
            end
            """,
            """
            local function top(x)
              if WORDS[x] then --@rare few do
                return middle(x)
              end
              return P
            end

            local function again(n) return n > 0 and again(n - 1) end
            """,
        ]
        let script: String
        let composed: String
    }

    @Test(arguments: [
        Case(
            testDescription: "nothing is there that is not called", script: "return P", composed: "local P = KEYS[1]\nlocal cfg = {}\nreturn P\n"),
        Case(
            testDescription: "flags stay in front", script: "#!lua flags=no-writes\n-- What it does.\nreturn P",
            composed: "#!lua flags=no-writes\nlocal P = KEYS[1]\nlocal cfg = {}\nreturn P\n"),
        Case(
            testDescription: "what a function calls stands before it", script: "return middle('x')",
            composed: """
                local P = KEYS[1]
                local cfg = {}
                local function base(x) return P .. x end
                local function middle(x)
                  return base(x) .. '-'
                end
                return middle('x')

                """),
        Case(
            testDescription: "what a block of a function alone needs is made in it", script: "return top('x')",
            composed: """
                local P = KEYS[1]
                local cfg = {}
                local WORDS = { rest = true }
                local function top(x)
                  if WORDS[x] then
                    local function base(x) return P .. x end
                    local function middle(x)
                      return base(x) .. '-'
                    end
                    return middle(x)
                  end
                  return P
                end
                return top('x')

                """),
        Case(
            testDescription: "what is known around a block is not made again in it, and what two blocks need is made in each",
            script: """
                if base(P) then --@rare
                  return middle('x')
                else --@rare
                  for i = 1, 2 do
                    middle(i)
                  end
                end
                return P
                """,
            composed: """
                local P = KEYS[1]
                local cfg = {}
                local function base(x) return P .. x end
                if base(P) then
                  local function middle(x)
                    return base(x) .. '-'
                  end
                  return middle('x')
                else
                  local function middle(x)
                    return base(x) .. '-'
                  end
                  for i = 1, 2 do
                    middle(i)
                  end
                end
                return P

                """),
        Case(
            testDescription: "a block in a block", script: "if P then --@rare\n  base(1)\n  if cfg then --@rare\n    top(2)\n  end\nend",
            composed: """
                local P = KEYS[1]
                local cfg = {}
                if P then
                  local function base(x) return P .. x end
                  base(1)
                  if cfg then
                    local WORDS = { rest = true }
                    local function top(x)
                      if WORDS[x] then
                        local function middle(x)
                          return base(x) .. '-'
                        end
                        return middle(x)
                      end
                      return P
                    end
                    top(2)
                  end
                end

                """),
        Case(
            testDescription: "a function that calls itself", script: "if P then --@rare\n  return again(2)\nend",
            composed: """
                local P = KEYS[1]
                local cfg = {}
                if P then
                  local function again(n) return n > 0 and again(n - 1) end
                  return again(2)
                end

                """),
        Case(
            testDescription: "texts and members of tables are no names", script: "return P .. 'middle \\' base' .. \"top\" .. x.again .. string.base(1)",
            composed: "local P = KEYS[1]\nlocal cfg = {}\nreturn P .. 'middle \\' base' .. \"top\" .. x.again .. string.base(1)\n"),
        Case(
            testDescription: "what is joined to a text is a name", script: "return 'x'..base(P)",
            composed: "local P = KEYS[1]\nlocal cfg = {}\nlocal function base(x) return P .. x end\nreturn 'x'..base(P)\n"),
    ])
    func `a function is made where it is needed`(example: Case) throws {
        let library = try ScriptLibrary(example.libraries.map { ScriptFile(name: "library", text: $0) })
        #expect(try library.compose(ScriptFile(name: "script", text: example.script)) == example.composed)
    }

    @Test func `a line with the omitted marker is left out`() throws {
        let library = try ScriptLibrary([])
        let script = ScriptFile(name: "script", text: "call(1) --@slot\ncall(2) --@rare --@slot\n  call(3) --@slot\ncall(4)")
        #expect(try library.compose(script, without: .slot) == "call(4)\n")
        #expect(try library.compose(script) == "call(1)\ncall(2)\n  call(3)\ncall(4)\n")
    }

    /// Each is a file of the library, except where `isScript`.
    @Test(arguments: [
        ("an unknown marker", "local x = 1\nlocal y = 2 --@often\n", 2, "--@often is no marker", false),
        ("an unknown marker beside a known one", "return 1 --@slot --@rarely\n", 1, "--@rarely is no marker", true),
        ("a rare line that opens no block", "local function f()\n  return 1 --@rare\nend\n", 2, "opens no block", false),
        ("a rare line at the end", "if P then --@rare", 1, "opens no block", true),
        ("a marker of scripts in a library", "local x = 1 --@slot", 1, "is for scripts", false),
        ("a marker of libraries in a script", "--@always\nreturn 1\n--@end", 1, "are for libraries", true),
        ("an end without a start", "local x = 1\n--@end", 2, "has no --@always", false),
        ("a start without an end", "--@always\nlocal x = 1", 2, "has no --@end", false),
        ("a marker of lines without a line", "--@rare\nlocal x = 1", 1, "needs code before it", false),
        ("a marker of its own line behind code", "local x = 1 --@always", 1, "needs a line of its own", false),
        ("a value that Swift does not have", "local x = SWIFT.schema .. SWIFT.scheme\n", 1, "SWIFT.scheme is no value", false),
        ("a statement between definitions", "local x = 1\nx = 2\n", 2, "would be in no script", false),
    ]) func `a misused marker is named with its file and line`(what: String, text: String, line: Int, reason: String, isScript: Bool) throws {
        let file = ScriptFile(name: "example", text: text)
        let mistake = #expect(throws: ScriptMistake.self, "\(what)") {
            if isScript { _ = try ScriptLibrary([]).compose(file) } else { _ = try ScriptLibrary([file]) }
        }
        #expect(mistake.map { "\($0)" }?.hasPrefix("example.lua:\(line): ") == true && mistake?.reason.contains(reason) == true, "\(what): \(mistake as Any)")
    }

    /// Functions that are defined later would use a local of the same name.
    @Test func `a name of the library means the same everywhere`() {
        let declared = QueueScripts.sources.values.flatMap { $0.split(separator: "\n").flatMap { Text($0).declares } }
        let counts = Dictionary(declared.map { ($0, 1) }, uniquingKeysWith: +)
        for name in library where counts[name] != 1 { Issue.record("\(name) is declared \(counts[name] ?? 0) times") }
        for name in ["redis", "KEYS", "ARGV", "cjson", "string", "table", "math", "type", "pairs", "ipairs", "unpack", "tonumber", "tostring", "pcall"] {
            #expect(counts[name] == nil, "\(name) is Lua's")
        }
    }

    @Test func `a rarely called function begins a block`() {
        for (name, source) in QueueScripts.sources {
            let lines = source.split(separator: "\n")
            for (line, next) in zip(lines, lines.dropFirst()) where line.contains("--@rare") {
                let opens = [" then", " do", "else", ")"].contains { line.prefix(upTo: line.ranges(of: "--")[0].lowerBound).dropLast().hasSuffix($0) }
                #expect(opens && Text(next).depth == Text(line).depth + 2, "\(name): \(line)")
            }
        }
    }

    /// A function may be defined in several places of a script, with the locals that it needs. A local that changes would then exist several times.
    @Test func `no library state changes except the state that every script begins with`() {
        let everywhere: Set = ["cfg", "now"]
        for name in ScriptLibraryFile.allCases.map(\.rawValue) {
            for line in (QueueScripts.sources[name] ?? "").split(separator: "\n").map(Text.init) {
                for match in line.code.matches(of: /(?:^|\bthen|\belse|\bdo|;)\s*(\w+)(?:\.\w+|\[[^\]]*\])?\s*=[^=]/) {
                    let changed = String(match.1)
                    #expect(!library.contains(changed) || everywhere.contains(changed), "\(name): \(line.code)")
                }
            }
        }
    }

    /// Lua would search for a global of that name in the middle of the script.
    @Test func `every function is visible at its calls`() {
        let library = Set(library)
        for script in QueueScripts.shipped.all {
            var sight: [(depth: Int, name: String)] = []
            for line in script.source.split(separator: "\n").map(Text.init) {
                sight.removeAll { $0.depth > line.depth }
                sight += line.declares.map { (line.depth, $0) }
                for name in line.words where library.contains(name) && !sight.contains(where: { $0.name == name }) {
                    Issue.record("\(script.name) does not know \(name): \(line.code)")
                }
            }
        }
    }

    /// Each function costs time at every call, and these scripts run once a fetch. A new one that all call is fine; one that few call is not.
    @Test func `scripts that run for every fetch define few functions`() throws {
        for (script, most) in [(QueueScripts.shipped[.submit], 27), (QueueScripts.shipped[.claim], 15), (QueueScripts.shipped[.finish], 21)] {
            let lines = script.source.split(separator: "\n").map(Text.init)
            let made = lines.flatMap(\.defines)
            #expect(lines.count { $0.code.hasPrefix("local function ") } <= most, "\(script.name): \(made)")
        }
    }

    @Test func `values of Swift stand in the scripts, and each is used`() throws {
        let composed = try ScriptLibrary([]).compose(ScriptFile(name: "script", text: "return SWIFT.schema .. SWIFT.keep"))
        #expect(composed == "return '\(QueueSchema.number)' .. '86400000'\n")
        let all = QueueScripts.sources.values.joined()
        for name in ScriptConstants.literals.keys { #expect(all.contains(/SWIFT\.(\w+)/) && all.contains("SWIFT.\(name)"), "\(name)") }
    }

    @Test @Loop func `Redis takes all of them`() async throws {
        let harness = try await QueueHarness()
        for script in QueueScripts.shipped.all {
            let answer = try await harness.redis.command(["SCRIPT", "LOAD", .string(script.source)])
            #expect(answer.string == script.sha1, "\(script.name)")
        }
    }

    private var library: [String] {
        ScriptLibraryFile.allCases.flatMap { (QueueScripts.sources[$0.rawValue] ?? "").split(separator: "\n").flatMap { Text($0).defines } }
    }

    /// A line of Lua, parsed in another way than by the loader.
    private struct Text {
        /// The line without its comment and the contents of its texts.
        let code: String

        init(_ line: Substring) {
            code = String(line.replacing(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/, with: "''").split(separator: "--", omittingEmptySubsequences: false)[0])
        }

        var depth: Int { code.prefix { $0 == " " }.count }
        /// Everything that could be a name.
        var words: [String] { Self.names(code.replacing("..", with: " ").replacing(/\.\w+/, with: "")) }
        /// The names that the line defines, parameters included.
        var declares: [String] {
            code.matches(of: /\blocal (?!function)([\w, ]+)|\bfor ([\w, ]+) in\b|\bfor (\w+) =/).flatMap { Self.names($0.1 ?? $0.2 ?? $0.3 ?? "") }
                + code.matches(of: /\bfunction( \w+|)\(([^)]*)\)/).flatMap { Self.names($0.1) + Self.names($0.2) }
        }
        /// The names that later lines can use; for a library file, its exports.
        var defines: [String] { code.hasPrefix("local ") ? code.hasPrefix("local function") ? Array(declares.prefix(1)) : declares : [] }

        private static func names(_ text: some StringProtocol) -> [String] { String(text).matches(of: /[A-Za-z_]\w*/).map { String($0.0) } }
    }
}
