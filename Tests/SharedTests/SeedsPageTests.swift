import TintypeContracts
import Foundation
import TintypeImages
import TestSupport
import Testing

/// Everything that docs/seeds.md claims exists. `DocumentTests` checks its links, and the names of tests in Tests/evidence/seeds.md.
@Suite struct SeedsPageTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../docs").standardized.path
    private let page: MarkdownPage

    init() throws { page = try MarkdownPage(contentsOf: Self.folder + "/seeds.md") }

    @Test func `each row says what is here, with a link, or why nothing is`() {
        #expect(page.lines.count(where: { $0 == "| there | here |" }) > 30)
        for row in page.rows {
            #expect(row.count == 2 && !row[0].isEmpty, "\(row)")
            guard row.count == 2 else { continue }
            if row[1].hasPrefix("not:") {
                #expect(row[1].firstMatch(of: /^not: .+\.$/) != nil, "\(row[0]): no reason")
            } else {
                #expect(!MarkdownPage(row[1]).links.isEmpty, "\(row[0]): neither a link nor a reason")
            }
        }
    }

    @Test func `each missing feature has a sentence`() throws {
        let begin = try #require(page.lines.firstIndex(of: "## Not yet"))
        let missing = page.lines[begin...].filter { $0.hasPrefix("- ") }
        #expect(!missing.isEmpty)
        for line in missing { #expect(line.firstMatch(of: /^- .+: [A-Z].+\.$/) != nil, "\(line)") }
    }

    /// Events and members of results have no description in code: their names must be on a page that is linked beside them.
    @Test func `each method, parameter, value and setting that is named here is there`() throws {
        var pages: [String: [String]] = [:]
        var seen = 0
        for (there, here) in sentences {
            let names = MarkdownPage.code(in: here)
            let methods = names.compactMap { MethodCatalog.method($0) }
            let linked = Set(MarkdownPage(here).links.map(\.path))
            for path in linked where pages[path] == nil { pages[path] = try Self.prose(of: path) }
            for name in names {
                seen += 1
                switch DescribedName(name, of: methods) {
                case .known: continue
                case .refused(let reason): Issue.record("\(there): `\(name)`: \(reason)")
                case .unknown:
                    let isTold = linked.contains(where: { Self.isNamed(name, in: pages[$0] ?? []) })
                    #expect(isTold, "\(there): `\(name)` is neither described nor on a page that is linked beside it")
                }
            }
        }
        #expect(seen > 500)
    }

    @Test(arguments: [
        ("cache.polcy", "unknown"), ("cache.policy: \"never\"", "refused"), ("cache.policy: \"only\"", "known"), ("resize.fitt", "unknown"),
        ("resize.fit: \"contain\"", "known"), ("fetch.auth.basic", "known"), ("progress.interval: 1", "known"), ("blacklist.lst", "unknown"),
        ("--rulez", "unknown"), ("--rules", "known"), ("rules[].cdn", "known"), ("tier", "unknown"), ("badImageData", "known"),
    ]) func `a name that is not quite right is found out`(text: String, verdict: String) {
        let found =
            switch DescribedName(text, of: []) {
            case .unknown: "unknown"
            case .known: "known"
            case .refused: "refused"
            }
        #expect(found == verdict)
    }

    @Test func `a parameter of a method counts where the method is named`() throws {
        let method = try #require(MethodCatalog.method("cache.stats"))
        guard case .known = DescribedName("tier: \"memory\"", of: [method]) else { throw TestFailure("cache.stats has tiers") }
        guard case .refused = DescribedName("tier: \"disk\"", of: [method]) else { throw TestFailure("there is no tier disk") }
    }

    /// The sentences of the page about this service, each with its subject.
    private var sentences: [(there: String, here: String)] {
        let introduction = page.lines.prefix { !$0.hasPrefix("## ") }.map { (there: "introduction", here: $0) }
        let missing = page.lines.filter { $0.hasPrefix("- `") }.compactMap { line in
            line.firstRange(of: ": ").map { (there: String(line[..<$0.lowerBound]), here: String(line[$0.upperBound...])) }
        }
        return introduction + page.rows.filter { $0.count == 2 }.map { (there: $0[0], here: $0[1]) } + missing
    }

    /// The texts in code font of a page; for the protocol without its parameters, which are described in code.
    private static func prose(of path: String) throws -> [String] {
        let page = try MarkdownPage(contentsOf: "\(folder)/\(path)")
        return path == "protocol.md" ? withoutParameters(page.lines).flatMap { MarkdownPage.code(in: $0) } : page.code
    }

    /// A parameter is an item with its values in parentheses. Further sentences are in indented lines.
    private static func withoutParameters(_ lines: [String]) -> [String] {
        var (isParameter, isValue) = (false, false)
        return lines.filter { line in
            if line.hasPrefix("### ") { isValue = line == "### Values" }
            if !line.hasPrefix("  ") { isParameter = line.firstMatch(of: /^- `[^`]+`(, `[^`]+`)* \(/) != nil }
            return !isParameter && !isValue
        }
    }

    /// Whether a name occurs as a whole word.
    private static func isNamed(_ name: String, in code: [String]) -> Bool {
        code.contains { text in
            text.ranges(of: name).contains { range in
                let (before, after) = (text[..<range.lowerBound].last, text[range.upperBound...].first)
                return ![before, after].contains { $0.map { $0.isLetter || $0.isNumber } ?? false }
            }
        }
    }
}
