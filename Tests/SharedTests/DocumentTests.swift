import Foundation
import TintypeContracts
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeSettings
import Testing

@testable import Documents

/// The reference pages say what the descriptions say.
@Suite struct DocumentTests {
    private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../docs").standardized.path

    @Test func `docs slash protocol is what scripts slash docs writes`() throws {
        #expect(try String(contentsOfFile: folder + "/protocol.md", encoding: .utf8) == ReferencePage.protocol.text, "run scripts/docs")
    }

    /// A limit from people who read the whole page.
    @Test func `docs slash protocol has at most 12,000 words`() throws {
        let words = try String(contentsOfFile: folder + "/protocol.md", encoding: .utf8).split(whereSeparator: \.isWhitespace).count
        #expect(words <= 12_000, "\(words) words: say each fact once, in the descriptions and in ProtocolText.swift")
    }

    @Test func `docs slash http has the methods behind the dashboard`() throws {
        let page = try String(contentsOfFile: folder + "/http.md", encoding: .utf8)
        #expect(page.contains("<!-- dashboard -->\n\n\(ReferencePage.dashboard.text)\n<!-- end -->"), "run scripts/docs")
    }

    @Test(arguments: ClientLanguage.allCases) func `the types of a client library are what scripts slash docs writes`(language: ClientLanguage) throws {
        let root = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        #expect(try String(contentsOfFile: "\(root)/\(language.file)", encoding: .utf8) == language.text, "run scripts/docs")
    }

    /// The words of ProtocolText and the types of ResultCatalog are written by hand, one beside the other.
    @Test func `the results of client libraries have the members that docs slash protocol names`() throws {
        let page = try String(contentsOfFile: folder + "/protocol.md", encoding: .utf8)
        for result in ResultCatalog.results where page.contains("\n### \(result.name)\n") {
            let section = page.components(separatedBy: "\n### \(result.name)\n")[1].components(separatedBy: "\n#")[0]
            let heads = section.split(separator: "\n").filter { $0.hasPrefix("- ") }.map { $0.prefix { $0 != ":" } }
            let named = Set(heads.flatMap { $0.matches(of: /`([A-Za-z0-9]+)`/).map { String($0.1) } })
            let known = Set(result.members.map(\.name))
            #expect(named.count > 3 && named.subtracting(known).isEmpty, "\(result.name) lacks \(named.subtracting(known)): add them to ResultCatalog")
        }
        for event in ResultCatalog.events {
            let words = page.components(separatedBy: "`\(event.type) {")
            #expect(words.count == 2 || page.contains("`\(event.type)`"), "docs/protocol.md does not name the event \(event.type)")
            let missing = words.count == 2 ? Self.members("{" + words[1]).subtracting(event.members.map(\.name)) : []
            #expect(missing.isEmpty, "\(event.type) lacks \(missing): add them to ResultCatalog")
        }
        let line = try #require(page.split(separator: "\n").first { $0.hasPrefix("An event is a notification") })
        let missing = Self.members(line).subtracting(ResultCatalog.common.map(\.name) + ["type"])
        #expect(missing.isEmpty, "all events lack \(missing): add them to ResultCatalog")
    }

    /// `answers.ts` is written by hand, beside the words of the methods.
    @Test func `the answers of the client for TypeScript have the members that the methods name`() throws {
        let root = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        let text = try String(contentsOfFile: root + "/clients/typescript/src/answers.ts", encoding: .utf8)
        for method in ClientModel.make().methods where method.result == .json && !text.contains("\"\(method.name)\": { readonly [name: string]: Json };") {
            let missing = Self.members(method.answer).filter { name in !["\(name):", "\(name)?:", "[\(name) in"].contains { text.contains("readonly \($0)") } }
            #expect(missing.isEmpty, "\(method.name): no answer has \(missing)")
        }
    }

    /// `AnswerCatalog` is written by hand, beside the words of the methods.
    @Test func `the typed answers have the members that the methods name`() {
        let model = ClientModel.make()
        var types: Set<String> = []
        for method in model.methods {
            let named = Self.members(method.answer)
            switch method.typedAnswer {
            case .member(let member): #expect(named.contains(member.name), "\(method.name) does not answer \(member.name)")
            case .record(.named(let name)), .record(.list(.named(let name))):
                types.insert(name)
                let known = Set(model.answers.first { $0.name == name }?.members.map(\.name) ?? [])
                #expect(named.subtracting(known).isEmpty, "\(name) lacks \(named.subtracting(known)) of \(method.name): add them to AnswerCatalog")
            case .record, nil: break
            }
        }
        #expect(types.count > 15)
    }

    /// The names in the first braces of a text such as `{receipt, state, error?: {code}}`, without those of inner braces.
    private static func members(_ text: some StringProtocol) -> Set<String> {
        var (names, name, depth, isValue) = (Set<String>(), "", 0, false)
        for letter in text {
            switch letter {
            case "{", "[":
                name = ""
                depth += letter == "{" || depth > 0 ? 1 : 0
            case "}", "]", ",", ":":
                if depth == 1, !isValue, !name.isEmpty { names.insert(name) }
                if depth == 1 { isValue = letter == ":" }
                name = ""
                depth -= "}]".contains(letter) && depth > 0 ? 1 : 0
                if depth == 0, letter == "}" { return names }
            case _ where letter.isLetter: name.append(letter)
            default: break
            }
        }
        return names
    }

    @Test func `the page of the queue lists the fields that the descriptions say`() throws {
        let root = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        let page = try String(contentsOfFile: root + "/Sources/Shared/queue.md", encoding: .utf8)
        #expect(page.contains("<!-- fields -->\n\n\(ReferencePage.fields.text)\n<!-- end -->"), "run scripts/docs")
    }

    @Test func `every metric and every setting stands in its page of docs`() throws {
        let page = try ["metrics", "settings"].map { try String(contentsOfFile: "\(folder)/\($0).md", encoding: .utf8) }.joined()
        for metric in Metric.allCases where !page.contains("`\(metric.description.name)`") { Issue.record("\(metric.description.name): run scripts/docs") }
        let flags = CoordinatorConfiguration.settings.map(\.flag) + WorkerConfiguration.settings.map(\.flag) + UpSettings.settings.map(\.flag)
        for flag in flags where !page.contains("--\(flag)") { Issue.record("--\(flag): run scripts/docs") }
    }

    @Test func `every file that docs slash architecture names is there`() throws {
        let page = try String(contentsOfFile: folder + "/architecture.md", encoding: .utf8)
        let root = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        let names = page.matches(of: /`([A-Za-z\/-]+\/[A-Za-z+-]+(?:\.swift|\.lua|\.py)?)`/).map { String($0.1) }
        #expect(names.count > 15)
        for name in names where !name.hasPrefix("docs/") && !name.hasPrefix("scripts/") {
            let file = ["Sources/", "Benchmarks/"].contains { name.hasPrefix($0) } ? name : "Sources/" + name
            #expect(FileManager.default.fileExists(atPath: "\(root)/\(file)"), "docs/architecture.md names \(name)")
        }
    }

    @Test func `every file and folder that a recipe of CONTRIBUTING names is there`() throws {
        let root = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        let page = try String(contentsOfFile: root + "/CONTRIBUTING.md", encoding: .utf8)
        let names = page.matches(of: /`((?:Sources|Tests|Gallery|docs|clients|deploy)\/[A-Za-z0-9_\/+.-]+)`/).map { String($0.1) }
        #expect(names.count > 30)
        for name in names { #expect(FileManager.default.fileExists(atPath: "\(root)/\(name)"), "CONTRIBUTING.md names \(name)") }
    }

    @Test(arguments: ["faults.md", "security.md", "seeds.md"]) func `every test that a page of evidence names is there`(file: String) throws {
        let tests = URL(fileURLWithPath: folder).deletingLastPathComponent().appendingPathComponent("Tests").path
        let page = try String(contentsOfFile: "\(tests)/evidence/\(file)", encoding: .utf8)
        var known: Set<String> = []
        for case let file as String in FileManager.default.enumerator(atPath: tests) ?? .init() where file.hasSuffix(".swift") {
            let source = try String(contentsOfFile: "\(tests)/\(file)", encoding: .utf8)
            known.formUnion(source.components(separatedBy: "func `").dropFirst().map { String($0.prefix { $0 != "`" }) })
        }
        let names = page.split(separator: "\n").filter { $0.hasPrefix("| ") }.compactMap { $0.split(separator: "|").last }
            .flatMap { $0.matches(of: /`([^`]+)`/).map { String($0.1) } }
        #expect(names.count > 30)
        for name in names where !known.contains(name) { Issue.record("Tests/evidence/\(file) names a test that is not there: \(name)") }
    }

    @Test func `the links between the pages lead somewhere`() throws {
        let root = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        var pages = [root + "/README.md", root + "/Sources/Shared/queue.md"]
        for folder in [folder, root + "/Benchmarks", root + "/Tests/evidence"] {
            for case let file as String in FileManager.default.enumerator(atPath: folder) ?? .init() where file.hasSuffix(".md") {
                pages.append("\(folder)/\(file)")
            }
        }
        var anchors: [String: Set<String>] = [:]
        for page in pages {
            let folder = URL(fileURLWithPath: page).deletingLastPathComponent()
            for link in try MarkdownPage(contentsOf: page).links {
                let target = link.path.isEmpty ? page : folder.appendingPathComponent(link.path).standardized.path
                #expect(FileManager.default.fileExists(atPath: target), "\(page) links to \(link.path)")
                guard let anchor = link.anchor, target.hasSuffix(".md") else { continue }
                if anchors[target] == nil { anchors[target] = (try? MarkdownPage(contentsOf: target))?.anchors ?? [] }
                #expect(anchors[target]?.contains(anchor) == true, "\(page) links to \(link.path)#\(anchor), and there is no such heading")
            }
        }
    }
}
