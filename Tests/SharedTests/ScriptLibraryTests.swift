import TestSupport
import Testing

@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeQueue

/// The place of library functions in the text of a script that calls them.
@Suite(.tags(.untiered), .timeLimit(.minutes(3)), .scoped) struct ScriptLibraryTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let script: String
        let composed: String

        static let libraries = [
            """
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
    }

    @Test(arguments: [
        Case(
            testDescription: "flags stay in front, and nothing is there that is not called", script: "#!lua flags=no-writes\n-- A header.\nreturn P",
            composed: "#!lua flags=no-writes\nlocal P = KEYS[1]\nreturn P\n"),
        Case(
            testDescription: "what a function calls stands before it", script: "return middle('x')",
            composed: """
                local P = KEYS[1]
                local function base(x) return P .. x end
                local function middle(x)
                  return base(x) .. '-'
                end
                return middle('x')

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
            testDescription: "a function that calls itself", script: "return again(2)",
            composed: "local P = KEYS[1]\nlocal function again(n) return n > 0 and again(n - 1) end\nreturn again(2)\n"),
        Case(
            testDescription: "texts and members of tables are no names", script: "return P .. 'middle \\' base' .. \"top\" .. x.again .. string.base(1)",
            composed: "local P = KEYS[1]\nreturn P .. 'middle \\' base' .. \"top\" .. x.again .. string.base(1)\n"),
        Case(
            testDescription: "what is joined to a text is a name", script: "return 'x'..base(P)",
            composed: "local P = KEYS[1]\nlocal function base(x) return P .. x end\nreturn 'x'..base(P)\n"),
    ])
    func `a function is made where it is needed`(example: Case) {
        let library = ScriptLibrary(prelude: "-- First.\nlocal P = KEYS[1]", Case.libraries)
        #expect(library.compose(example.script) == example.composed)
    }

    @Test func `a line at the margin of a library begins or ends a definition, and each marker is known`() {
        for name in ScriptLibraryFile.allCases.map(\.rawValue) {
            for line in (QueueScripts.sources[name] ?? "").split(separator: "\n").map(Text.init) where !line.code.isEmpty && line.depth == 0 {
                #expect(["local ", "end", "}", ")"].contains { line.code.hasPrefix($0) }, "\(name): \(line.code) would be in no script")
            }
        }
        for (name, source) in QueueScripts.sources {
            for match in source.matches(of: /--@(\w*)/) { #expect(["rare", "linear"].contains(match.1), "\(name): --@\(match.1) is no marker") }
        }
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
    @Test func `no library state changes`() {
        for name in ScriptLibraryFile.allCases.map(\.rawValue) {
            for line in (QueueScripts.sources[name] ?? "").split(separator: "\n").map(Text.init) {
                for match in line.code.matches(of: /(?:^|\bthen|\belse|\bdo|;)\s*(\w+)(?:\.\w+|\[[^\]]*\])?\s*=[^=]/) {
                    #expect(!library.contains(String(match.1)), "\(name): \(line.code)")
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

    @Test func `values of Swift stand in the scripts, and each is used`() {
        #expect(ScriptConstants.filled("return SWIFT.schema .. SWIFT.keep") == "return '\(QueueSchema.number)' .. '86400000'")
        let all = QueueScripts.sources.values.joined()
        for name in ScriptConstants.literals.keys { #expect(all.contains("SWIFT.\(name)"), "\(name)") }
        for script in QueueScripts.shipped.all { #expect(!script.source.contains("SWIFT."), "\(script.name) names a value that Swift does not have") }
    }

    @Test @Loop func `Redis takes all of them`() async throws {
        let harness = try await QueueHarness()
        for script in QueueScripts.shipped.all {
            let answer = try await harness.redis.command(["SCRIPT", "LOAD", .string(script.source)])
            #expect(answer.string == script.sha1, "\(script.name)")
        }
    }

    private var library: [String] {
        (["prelude"] + ScriptLibraryFile.allCases.map(\.rawValue)).flatMap {
            (QueueScripts.sources[$0] ?? "").split(separator: "\n").flatMap { Text($0).defines }
        }
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
