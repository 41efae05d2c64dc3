import Foundation
import Testing

/// The package as another program sees it: a clean clone alone.
@Suite struct PackageTests {
    @Test func aProgramThatDependsOnACleanClonePrintsItsURL() async throws {
        guard Run.isSlow("a program that depends on a clean clone") else { return }
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-package-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = folder.appending(path: "program")
        try FileManager.default.createDirectory(at: program.appending(path: "Sources/program"), withIntermediateDirectories: true)
        // Committed files count, and not those that lie about.
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../..").standardized
        let archive = try await Program.run("git", ["archive", "--output", folder.appending(path: "client.tar").path, "HEAD:clients/swift"], in: root)
        #expect(archive.status == 0, "\(archive.text)")
        let client = folder.appending(path: "TintypeClient")
        try FileManager.default.createDirectory(at: client, withIntermediateDirectories: true)
        #expect(try await Program.run("tar", ["-xf", folder.appending(path: "client.tar").path], in: client).status == 0)
        try """
        // swift-tools-version: 6.2
        import PackageDescription
        let package = Package(
            name: "program", platforms: [.macOS(.v15)], dependencies: [.package(path: "../TintypeClient")],
            targets: [.executableTarget(name: "program", dependencies: ["TintypeClient"])])
        """.write(to: program.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
        try """
        import TintypeClient
        let tintype = try Tintype("tcp://127.0.0.1:1")
        print(try Signer(unsignedAt: "https://p.example").url(for: "https://example.org/a.jpg", .resize(320), as: .webp))
        do { _ = try await tintype.call("system.ping", [:], timeout: .milliseconds(100)) } catch { print(error.name) }
        """.write(to: program.appending(path: "Sources/program/main.swift"), atomically: true, encoding: .utf8)
        let build = try await Program.run("swift", ["build", "--package-path", program.path])
        #expect(build.status == 0 && !build.text.contains("warning:"), "\(build.text.suffix(4000))")
        let run = try await Program.run("swift", ["run", "--skip-build", "--package-path", program.path, "program"])
        #expect(run.text.hasSuffix("https://p.example/unsafe/w:320/aHR0cHM6Ly9leGFtcGxlLm9yZy9hLmpwZw.webp\nconnect\n"), "\(run.text)")
    }
}
