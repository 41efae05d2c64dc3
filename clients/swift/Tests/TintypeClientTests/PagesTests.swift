import Foundation
import Testing
import TintypeClient

/// The programs of README.md print what the page shows, against real processes, and each call that MOVING.md names is there.
@Suite(.serialized, .timeLimit(.minutes(20))) struct PagesTests {
    /// An origin that has the files of a folder, and `tintype up`.
    private struct Site {
        let folder: URL
        let origin: Program
        let up: Program
        var rpc: String { up.words["rpc"]! }
        var source: String { "http://\(origin.words["http"]!)" }

        /// Starts them, and stops them after the body.
        static func run(_ body: (Site) async throws -> Void) async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-pages-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let origin = try Program("origin", ["--root", folder.path])
            let places = ["--data", "\(folder.path)/data", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"]
            let up = try Program("tintype", ["up", "--workers", "1", "--allow-addresses", "127.0.0.0/8", "--log-level", "error"] + places)
            let result: Result<Void, any Error>
            do { result = .success(try await body(Site(folder: folder, origin: origin, up: up))) } catch { result = .failure(error) }
            // It stops its own children.
            await up.end(SIGTERM)
            await origin.end()
            try? FileManager.default.removeItem(at: folder)
            try result.get()
        }
    }

    @Test func theQuickStartRunsAgainstTintypeUp() async throws {
        let block = try #require(try Page("README.md").blocks.first { $0.text.hasPrefix("// Sources/quick/main.swift\n") })
        #expect(block.text.split(separator: "\n").count <= 10)
        try await Site.run { site in
            let done = try await PagePackage.run("quick", [site.rpc, "\(site.source)/picture.png?size=1600x1200"], in: site.folder)
            #expect(done.status == 0 && Page.matches(done.text, block.output), "\(done.text)")
            #expect(try Data(contentsOf: site.folder.appending(path: "photo.webp")).prefix(4) == Data("RIFF".utf8))
        }
    }

    @Test func eachBlockPrintsWhatThePageShows() async throws {
        let readme = try Page("README.md")
        // A block of another kind would have no test.
        #expect(Set(readme.blocks.map(\.language)) == ["swift"])
        let blocks = PagePackage.blocks(of: readme)
        #expect(blocks.count >= 18 && blocks.count(where: { !$0.output.isEmpty }) >= 15)
        try await Site.run { site in
            let client = try Tintype("tcp://\(site.rpc)")
            let shown = try await client.image(from: "\(site.source)/picture.png?size=1600x1200", as: .jpeg(progressive: true))
            try await shown.save(to: site.folder.appending(path: "shown.jpg"))
            try "secret\n".write(to: site.folder.appending(path: "token"), atomically: true, encoding: .utf8)
            let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
            let authority = ["req", "-x509"] + curve + ["-subj", "/CN=pages", "-keyout", "key.pem", "-out", "ca.pem"]
            #expect(try await Program.run("openssl", authority, in: site.folder).status == 0)
            for (number, block) in blocks.enumerated() {
                let done = try await PagePackage.run("pages", ["\(number)", site.rpc, site.source], in: site.folder)
                #expect(done.status == 0 && Page.matches(done.text, block.output), "line \(block.line):\n\(done.text)")
            }
        }
    }

    @Test func eachCallThatMovingNamesIsThere() async throws {
        let rows = Moving.rows(try Page("MOVING.md"))
        #expect(rows.count > 300)
        for row in rows { #expect(row.hasReason || !row.calls.isEmpty, "line \(row.line): neither a call nor a reason") }
        try await PagePackage.isBuilt()
    }
}
