import Foundation
import TestSupport

/// The programs in Swift of docs/cookbook.md, as targets of one package that depends on clients/swift alone. The package is built once for all tests.
///
/// Ports are known when a program runs: its arguments stand for the addresses of the page.
enum CookbookPackage {
    private static let client = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../clients/swift").standardized.path
    /// Both stay. The tests of the client build the programs of its own pages there too, so that the client is compiled once.
    private static let (folder, scratch) = ("\(client)/.build/cookbook", "\(client)/.build/pages/.build")

    /// Apart from the test that asks first: the others need the programs too.
    private static let built = Task.detached { try await build() }

    /// Returns the path of the program of a task.
    static func program(_ task: String) async throws -> String {
        "\(try await built.value)/\(name(task))"
    }

    private static func name(_ task: String) -> String {
        "cookbook-" + task.lowercased().replacing(" ", with: "-")
    }

    private static func build() async throws -> String {
        let programs = CookbookTests.programs.filter { $0.language == "swift" }
        for program in programs {
            var text = program.text
            for (number, address) in CookbookTests.addresses.enumerated() { text = text.replacing(address, with: #"\(CommandLine.arguments[\#(number + 1)])"#) }
            try write(text, "\(folder)/Sources/\(name(program.heading))/main.swift")
        }
        let product = #"[.product(name: "TintypeClient", package: "TintypeClient")]"#
        let targets = programs.map { #".executableTarget(name: "\#(name($0.heading))", dependencies: \#(product))"# }
        // Modules that were compiled at another place are of no use here.
        if (try? String(contentsOfFile: "\(scratch)/place", encoding: .utf8)) != client { try? FileManager.default.removeItem(atPath: scratch) }
        try write(client, "\(scratch)/place")
        try write(
            """
            // swift-tools-version: 6.2
            import PackageDescription

            let package = Package(
                name: "cookbook", dependencies: [.package(name: "TintypeClient", path: "\(client)")],
                targets: [\(targets.joined(separator: ", "))])

            """, "\(folder)/Package.swift")
        let words = ["build", "--quiet", "--disable-index-store", "--package-path", folder, "--scratch-path", scratch]
        let build = try ChildProcess("swift", words)
        guard await build.finished() == 0 else { throw TestFailure("the programs of the cookbook:\n\(build.output)\(build.errors)") }
        let place = try ChildProcess("swift", words + ["--show-bin-path"])
        guard await place.finished() == 0 else { throw TestFailure(place.errors) }
        return place.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func write(_ text: String, _ path: String) throws {
        let file = URL(fileURLWithPath: path)
        // An unchanged file is not compiled again.
        if let old = try? String(contentsOf: file, encoding: .utf8), old == text { return }
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }
}
