import TestSupport
import Testing
import TintypeTransport

@testable import TintypeQueue

/// The fields of records: those that are described, and those that the scripts write.
@Suite(.tags(.untiered), .timeLimit(.minutes(1)), .scoped) struct RecordFieldTests {
    /// The code of all scripts without comments.
    private let code = QueueScripts.sources.values.flatMap { $0.split(separator: "\n") }
        .map { $0.split(separator: "--", omittingEmptySubsequences: false)[0] }.joined(separator: "\n")

    /// `QueueInvariants` finds a field that no description has (Q10), in every step of `QueueModelTests`.
    @Test(arguments: RecordKind.allCases) func `every described field is one that the scripts write`(kind: RecordKind) {
        // A coordinator writes settings by their names.
        let configured = ["order", "maxConcurrent", "maxConcurrentPerHost", "maxQueued", "paused"]
        for field in kind.fields where kind != .settings || !configured.contains(field.name) {
            let name = field.name.prefix { $0 != "<" }
            #expect(code.contains("'\(name)'"), "no script writes \(field.name) of \(kind.rawValue)")
        }
    }

    @Test(arguments: RecordKind.allCases) func `a field is described once`(kind: RecordKind) {
        #expect(Set(kind.fields.map(\.name)).count == kind.fields.count)
    }

    @Test @Loop func `a field that nobody has described breaks a rule`() async throws {
        let h = try await QueueHarness()
        _ = try await h.submit("r1")
        let key = h.queue.keys.receipt("r1")
        _ = try await h.redis.command(["HSET", .string(key), "digs", "x"])
        #expect(QueueInvariants.violations(in: try await h.queue.dump()).contains { $0.hasPrefix("Q10") && $0.contains("digs") })
    }

    /// The literal names of fields that commands on these records contain, by the start of the key; `key` and `own` stand for any record.
    private func named() -> [(key: String, field: String)] {
        var found: [(String, String)] = []
        for put in code.matches(of: /put\((fields|record), '(\w+:?)'/) { found.append((put.1 == "fields" ? "f:" : "r:", String(put.2))) }
        for call in code.matches(of: /call\('(HSET|HGET|HMGET|HDEL|HSETNX|HINCRBY|HEXISTS)', (P \.\. '(?:f|r|cb|g):'|CFG|P \.\. 'cfg'|key,|own,)/) {
            let key = call.2.contains("'cfg'") || call.2 == "CFG" ? "cfg" : call.2.firstMatch(of: /'(\w+:)'/).map { String($0.1) } ?? ""
            let words = arguments(of: code[call.range.lowerBound...].dropFirst(5))
            let step = call.1 == "HSET" ? 2 : 1
            let last = ["HMGET", "HDEL", "HSET"].contains(call.1) ? words.count : min(3, words.count)
            for place in stride(from: 2, to: last, by: step) {
                if let literal = words[place].wholeMatch(of: /\s*'(\w+:?)'.*/) { found.append((key, String(literal.1))) }
            }
        }
        return found
    }

    /// Returns the arguments of a call, as they are written, from behind its parenthesis.
    private func arguments(of text: Substring) -> [String] {
        var (words, depth, isQuoted) = ([""], 0, false)
        for character in text {
            if character == "'" { isQuoted.toggle() }
            if !isQuoted {
                if "([{".contains(character) { depth += 1 }
                if ")]}".contains(character) { depth -= 1 }
                if depth < 0 { break }
                if character == ",", depth == 0 {
                    words.append("")
                    continue
                }
            }
            words[words.count - 1].append(character)
        }
        return words
    }

    @Test func `every field that a script names is described`() {
        let all = named()
        #expect(all.count > 200)
        for (key, field) in all {
            let kinds = RecordKind.allCases.filter { key.isEmpty || $0.rawValue == key }
            // `source` is also a field of `n:`, and an item of a group has its index as a field.
            let isDescribed = kinds.contains { $0.describes(field) || $0.describes(field + "x") }
            #expect(isDescribed, "\(key) has no field \(field)")
        }
    }
}
