import Foundation
import Testing
import TintypeCore

@testable import Documents

/// The source text of the client for Swift. That it compiles, and what its values do, is tested in `clients/swift`.
@Suite struct SwiftClientTests {
    private let model = ClientModel.make()
    private static let text = ClientLanguage.swift.text
    private static let lines = text.split(separator: "\n")
    /// The lines without their margins.
    private static let statements = Set(lines.map { $0.drop { $0 == " " } })

    @Test(arguments: [("width", "width"), ("as", "kind"), ("private", "isPrivate"), ("json", "document"), ("await", "await")])
    func `a member keeps its name, except where that would mislead`(wire: String, name: String) {
        #expect(SwiftText.member(wire) == name)
    }

    @Test(arguments: [("none", "nothing"), ("4:2:0", "chroma420"), ("PATCH", "patch"), ("colorDodge", "colorDodge"), ("px", "px")])
    func `a word becomes the name of a case`(wire: String, name: String) {
        #expect(SwiftText.word(wire) == name)
    }

    @Test(arguments: [("queue.cancelAll", "queueCancelAll"), ("rpc.discover", "rpcDiscover")])
    func `a method loses its dot`(wire: String, name: String) {
        #expect(SwiftText.method(wire) == name)
    }

    @Test func `a keyword stands in backticks`() {
        #expect(SwiftText.escaped("default") == "`default`")
        #expect(SwiftText.escaped("width") == "width")
    }

    @Test func `a comment has a line for its first sentence, and no long one`() {
        let long = String(repeating: "word ", count: 40) + "end. Next one."
        let comment = SwiftText.comment(long, indent: 4, continued: "  ")
        #expect(comment.count == 3)
        #expect(comment.allSatisfy { $0.hasPrefix("    /// ") && $0.count <= 160 })
        #expect(comment[1].hasPrefix("    ///   word"))
        #expect(comment[2] == "    ///   Next one.")
        #expect(Self.lines.allSatisfy { !$0.contains("/// ") || $0.count <= 160 })
    }

    @Test func `a list that does not fit is cut between items`() {
        #expect(TextLayout.list("f(", ["a: Int", "b: Int"], ") {", indent: 4) == ["    f(a: Int, b: Int) {"])
        let many = (0..<40).map { "item\($0)" }
        let list = TextLayout.list("f(", many, ") {", indent: 4)
        #expect(list.first == "    f(" && list.last == "    ) {")
        let items = list.dropFirst().dropLast().joined().split { $0 == " " || $0 == "," }.map(String.init)
        #expect(items == many && list.count == 5)
        #expect(list.allSatisfy { $0.count <= 156 && !$0.hasSuffix(" ") })
    }

    @Test func `every error, method and operation is there`() {
        for name in ErrorName.allCases { #expect(Self.text.contains(".\(name.rawValue): (\(name.code), \(name.isRetryable))")) }
        let functions = Set(Self.statements.filter { $0.contains("func ") }.map { $0.prefix { $0 != "(" } })
        for method in model.methods { #expect(functions.contains("public func \(SwiftText.method(method.name))")) }
        for record in model.parameters where record.use == .operation {
            let tag = record.tag?.value ?? ""
            #expect(functions.contains("public static func \(SwiftText.escaped(tag))"), "\(tag)")
            #expect(Self.statements.contains("public static var tag: Members { [\"op\": \"\(tag)\"] }"), "\(tag)")
        }
    }

    @Test func `a secret member is written as one`() {
        var secrets = 0
        for record in model.parameters {
            let members = record.members.filter(\.isSecret).map { "\"\($0.name)\"" }
            guard !members.isEmpty else { continue }
            let list = "public static let secrets: Set = [\(members.joined(separator: ", "))]"
            let alternative = members.allSatisfy { Self.text.contains("JSON([\($0): ") } && Self.text.contains(", areSecret: true)")
            #expect(Self.statements.contains(Substring(list)) || alternative, "\(record.name)")
            secrets += members.count
        }
        #expect(secrets > 3)
    }

    /// `.none` would be an absent value where a word is optional, and would not be sent.
    @Test func `no case is called none`() { #expect(!Self.statements.contains { $0.contains("case none") || $0.contains(", none,") }) }

    @Test func `types are nested and have no name twice`() {
        var names: Set<String> = []
        var outer = ""
        for line in Self.lines {
            if let match = line.wholeMatch(of: /extension (\w+) \{/) { outer = String(match.1) }
            if line == "}" { outer = "" }
            guard let match = line.prefixMatch(of: /[ ]*public (?:indirect )?(?:struct|enum|protocol) (\w+)/) else { continue }
            let name = line.hasPrefix(" ") ? "\(outer).\(match.1)" : String(match.1)
            #expect(names.insert(name).inserted, "\(name)")
        }
        let some = ["ImageRequest", "ImageRequest.Fetch", "ImageOperation.Resize", "ImageOutput.Quality", "ImageEvent.Progress", "CacheTier"]
        #expect(names.isSuperset(of: some))
        // Modules that callers import beside the client have types of these names.
        #expect(names.isDisjoint(with: ["Operation", "Text", "Event", "Point", "Cache", "Format", "Request", "Output", "Transform"]))
    }

    @Test func `callers can make what they give, and the service makes results`() {
        let types = SwiftTypes(model)
        var canBeMade: [String: Bool] = [:]
        var (outer, name) = ("", "")
        for line in Self.lines {
            if let match = line.wholeMatch(of: /extension (\w+) \{/) { outer = String(match.1) + "." }
            if line == "}" { outer = "" }
            if let match = line.prefixMatch(of: /[ ]*public struct (\w+): (Record|Part) \{/) {
                name = outer + match.1
                canBeMade[name] = false
            } else if line.contains(/^ *public init\((?!json:|_ members: inout)/) {
                canBeMade[name] = true
            }
        }
        for record in model.parameters where !types.inlined.contains(record.name) { #expect(canBeMade[types.name(record.name)] == true, "\(record.name)") }
        for record in model.results + model.answers { #expect(canBeMade[types.name(record.name)] == false, "\(record.name)") }
    }

    @Test func `an option has no value of its own`() throws {
        let first = try #require(Self.lines.firstIndex(of: "public struct ImageRequest: Record {"))
        let request = Self.lines[first...].prefix { $0 != "}" }.map { $0.drop { $0 == " " } }
        for member in model.request?.members ?? [] {
            let name = SwiftText.member(member.name)
            #expect(request.contains { $0.hasPrefix("public var \(name): ") && $0.hasSuffix("?") || $0.hasPrefix("@Boxed public var \(name): ") }, "\(name)")
            #expect(request.contains { $0.firstMatch(of: try! Regex("(^|, |_ )\(name): [^,]*\\? = nil(,|$)")) != nil }, "\(name)")
        }
    }
}
