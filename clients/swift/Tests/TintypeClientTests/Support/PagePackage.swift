import Foundation
import Testing

/// A package of all programs of the pages, which depends on this client alone. It is built once for all tests.
///
/// Two programs: `quick` is the quick start of README.md as it stands, and `pages` has a function for each other block.
struct PagePackage {
    /// The folder of the client.
    static let client = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..").standardized.path
    /// The folder stays, so that the client is compiled again only when it has changed.
    private static let folder = "\(client)/.build/pages"

    /// The values that blocks take for granted, by their names.
    private static let given = [
        "tintype": #"let tintype = try Tintype("tcp://\(given[0])")"#,
        "url": #"let url = URL(string: given[1] + "/picture.png?size=1600x1200")!"#,
        "urls": #"let urls = (1...3).map { URL(string: "\(given[1])/picture.png?of=\($0)")! }"#,
        "missing": #"let missing = URL(string: given[1] + "/status/404?block=\(number)")!"#,
        "endless": #"let endless = URL(string: given[1] + "/hang")!"#,
        "slow": #"let slow = URL(string: given[1] + "/slow/shown.jpg?rate=400000")!"#,
        "data": #"let data = try await tintype.image(from: given[1] + "/picture.png?size=64x48").bytes()"#,
        "bar": "let bar = Bar()",
        "view": "let view = View()",
    ]

    private static let support = """
        import Foundation
        import TintypeClient

        let number = Int(CommandLine.arguments[1])!
        /// The address of the service, and that of the origin.
        let given = Array(CommandLine.arguments.dropFirst(2))

        final class Bar {
            var fraction = 0.0
        }

        final class View {
            func show(_ jpeg: Data) {}
        }

        func currentToken() async throws -> String { "secret" }

        """

    /// Apart from the test that asks first: the others need the programs too.
    private static let built = Task.detached { try await build() }

    /// Runs a built program, and returns its status and its output.
    static func run(_ program: String, _ arguments: [String], in folder: URL) async throws -> (status: Int32, text: String) {
        try await Program.run("env", ["\(try await built.value)/\(program)"] + arguments, in: folder)
    }

    /// Waits until all programs are built.
    ///
    /// - Throws: The errors of the compiler, by the lines of the pages.
    static func isBuilt() async throws { _ = try await built.value }

    /// The blocks that the program `pages` runs by their numbers.
    static func blocks(of readme: Page) -> [Page.Block] {
        readme.blocks.filter { $0.language == "swift" && !$0.text.hasPrefix("// ") }
    }

    private static func build() async throws -> String {
        let readme = try Page("README.md")
        let product = #"[.product(name: "TintypeClient", package: "TintypeClient")]"#
        let manifest = try readme.program("Package.swift").replacing("../tintype/clients/swift", with: client)
            .replacing("targets: [", with: #"targets: [.executableTarget(name: "pages", dependencies: \#(product)), "#)
        // Modules that were compiled at another place are of no use here.
        let place = try? String(contentsOfFile: "\(folder)/.build/place", encoding: .utf8)
        if place != client { try? FileManager.default.removeItem(atPath: "\(folder)/.build") }
        try write(client, ".build/place")
        try write(manifest, "Package.swift")
        let quick = try readme.program("Sources/quick/main.swift").replacing("127.0.0.1:7411", with: #"\(CommandLine.arguments[1])"#)
            .replacing("https://example.org/photo.jpg", with: #"\(CommandLine.arguments[2])"#)
        try write(quick, "Sources/quick/main.swift")
        let blocks = blocks(of: readme)
        let cases = blocks.indices.map { "case \($0): try await block\($0)()\n" }.joined()
        try write("switch number {\n\(cases)default: fatalError()\n}\n", "Sources/pages/main.swift")
        try write(support, "Sources/pages/Given.swift")
        try write(header + blocks.enumerated().map(function).joined(), "Sources/pages/README.swift")
        try write(header + Moving.functions(try Page("MOVING.md")), "Sources/pages/MOVING.swift")
        let words = ["build", "--quiet", "--disable-index-store", "--package-path", folder]
        let done = try await Program.run("swift", words)
        guard done.status == 0 else { throw NeverCame(description: "the programs of the pages:\n\(faults(done.text))") }
        return try await Program.run("swift", words + ["--show-bin-path"]).text.trimmingCharacters(in: .newlines)
    }

    /// Returns the errors of the compiler, without its warnings.
    private static func faults(_ output: String) -> String {
        Set(output.split(separator: "\n").filter { $0.contains("error:") && !$0.contains("`-") }).sorted().joined(separator: "\n")
    }

    private static let header = "import Foundation\nimport TintypeClient\n"

    /// Returns a block as a function. The compiler names its lines as those of the page.
    private static func function(_ number: Int, _ block: Page.Block) -> String {
        var words = Set(block.text.matches(of: /\w+/).map { String($0.output) })
        words.subtract(block.text.matches(of: /let (\w+)/).map { String($0.output.1) })
        if words.contains("data") { words.insert("tintype") }
        // The client comes first, for others need it.
        let values = given.filter { words.contains($0.key) }.map(\.value).sorted { first, _ in first.hasPrefix("let tintype") }
        let text = block.text.replacing("127.0.0.1:7411", with: #"\(given[0])"#)
        let body = "\(values.joined(separator: "\n"))\n#sourceLocation(file: \"README.md\", line: \(block.line))\n\(text)#sourceLocation()\n"
        return "func block\(number)() async throws {\n\(body)}\n"
    }

    private static func write(_ text: String, _ name: String) throws {
        let path = "\(folder)/\(name)"
        if let old = try? String(contentsOfFile: path, encoding: .utf8), old == text { return }
        try FileManager.default.createDirectory(atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
}

extension Page {
    /// Returns the text of a whole file: a block whose first line is its name, as a comment.
    func program(_ name: String) throws -> String {
        let block = try #require(blocks.first { $0.text.hasPrefix("// \(name)\n") }, "\(name)")
        return String(block.text.dropFirst("// \(name)\n".count))
    }
}
