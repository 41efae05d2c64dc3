import Foundation
import Testing
import TintypeClient

/// The programs of README.md print what the page shows, against real processes, and each call that MOVING.md names is there.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PagesTests {
    /// An origin with a progressive JPEG, and `tintype up`.
    private struct Service {
        let folder: URL
        let origin: Program
        let up: Program
        var rpc: String { up.words["rpc"] ?? "" }
        var source: String { "http://\(origin.words["http"] ?? "")" }

        init() throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("tintype-pages-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            origin = try Program("origin", "--root", folder.path)
            up = try Program(
                "tintype", "up", "--data", "\(folder.path)/data", "--workers", "1", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0",
                "--allow-addresses", "127.0.0.0/8", "--log-level", "warning")
        }

        func remove() {
            try? FileManager.default.removeItem(at: folder)
        }
    }

    @Test func theQuickStartRunsAgainstTintypeUp() throws {
        let readme = try Page("README.md")
        #expect(try readme.program("Sources/quick/main.swift").split(separator: "\n").count <= 10)
        let block = try #require(readme.blocks.first { $0.text.hasPrefix("// Sources/quick/main.swift\n") })
        let service = try Service()
        defer { service.remove() }
        let picture = "\(service.source)/picture.png?size=1600x1200"
        let done = try Program.run("\(PagePackage.programs())/quick", [service.rpc, picture], in: service.folder.path)
        #expect(done.status == 0 && Page.matches(done.output, block.output), "\(done.output)\(done.errors)")
        #expect(try Data(contentsOf: service.folder.appendingPathComponent("photo.webp")).prefix(4) == Data("RIFF".utf8))
    }

    @Test func eachBlockPrintsWhatThePageShows() async throws {
        let blocks = PagePackage.blocks(of: try Page("README.md"))
        #expect(blocks.count >= 18 && blocks.count(where: { !$0.output.isEmpty }) >= 15)
        let service = try Service()
        defer { service.remove() }
        let client = try Tintype("tcp://\(service.rpc)")
        let shown = try await client.image(from: "\(service.source)/picture.png?size=1600x1200", as: .jpeg(progressive: true))
        try await shown.save(to: service.folder.appendingPathComponent("shown.jpg"))
        try "secret\n".write(to: service.folder.appendingPathComponent("token"), atomically: true, encoding: .utf8)
        let key = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=pages", "-keyout", "key.pem", "-out", "ca.pem"]
        #expect(try Program.run("/usr/bin/env", ["openssl"] + key, in: service.folder.path).status == 0)
        for (number, block) in blocks.enumerated() {
            let done = try Program.run("\(PagePackage.programs())/pages", ["\(number)", service.rpc, service.source], in: service.folder.path)
            #expect(done.status == 0 && Page.matches(done.output, block.output), "line \(block.line):\n\(done.output)\(done.errors)")
        }
    }

    @Test func eachCallThatMovingNamesIsThere() throws {
        let moving = try Page("MOVING.md")
        let rows = Moving.rows(moving)
        #expect(rows.count > 150)
        for row in rows { #expect(row.reason || !row.calls.isEmpty, "line \(row.line): neither a call nor a reason") }
        _ = try PagePackage.programs()
    }
}
