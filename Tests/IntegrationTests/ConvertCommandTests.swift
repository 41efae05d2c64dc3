import Foundation
import PNG
import TestSupport
import TintypeCore
import TintypeImages
import Testing

/// `tintype convert`, with no server and no Redis.
@Suite(.tags(.optimized), .timeLimit(.minutes(1)), .scoped) struct ConvertCommandTests {
    private func tintype(_ words: String...) async throws -> (status: Int32, output: String, errors: String) {
        let process = try ChildProcess(ServiceProcess.path("tintype"), ["convert"] + words)
        let status = await process.finished()
        return (status, process.output, process.errors)
    }

    @Test func `files become pictures, several at once, and a damaged one is named`() async throws {
        let folder = try TemporaryFolder("convert"), names = ["red", "tall", "broken"].map { folder.path + "/\($0).png" }
        let pictures = [(300, 200), (50, 400)].map { PlainPicture.png(Color(red: 200, green: 20, blue: 40, alpha: 255), width: $0, height: $1) }
        for (name, bytes) in zip(names, pictures + [Array(pictures[0].prefix(40))]) { try Data(bytes).write(to: URL(fileURLWithPath: name)) }
        let small = try await tintype(names[0], names[1], "--resize", "100x100", "--format", "webp", "-o", folder.path + "/small/%n.%e")
        #expect(small.status == 0, "\(small.errors)")
        for (name, width, height) in [("red", 100, 67), ("tall", 13, 100)] {
            let picture = try #require(PictureBytes(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/small/\(name).webp"))))
            #expect((picture.format, picture.width, picture.height) == ("webp", width, height))
        }
        let pipe = folder.path + "/pipe.png"
        let shell = try ChildProcess("/bin/sh", ["-c", "'\(ServiceProcess.path("tintype"))' convert '\(names[0])' -o - > '\(pipe)'"])
        #expect(await shell.finished() == 0, "\(shell.errors)")
        #expect(PictureBytes(try Data(contentsOf: URL(fileURLWithPath: pipe)))?.width == 300)
        let two = try await tintype(
            names[2], names[0], "--rendition", "a:resize=30x", "--rendition", "b:resize=60x,format=jpeg", "--json", "-o", folder.path + "/%n.%e")
        let results = try #require(JSON(parsing: Array(two.output.utf8)).array)
        #expect(two.status == 1 && results.count == 4, "\(two.output)\(two.errors)")
        let saved = results.compactMap { $0["saved"]?.string }
        #expect(Set(saved) == [folder.path + "/red-a.png", folder.path + "/red-b.jpg"])
        #expect(results.compactMap { $0["error"]?["data"]?["name"]?.string } == ["badImageData", "badImageData"])
    }

    @Test(
        arguments: [
            ("nowhere.png -o x.png", 2, "there is no file nowhere.png"), ("https://a/b.png -o x.png", 2, "tintype load"), ("F/a.png", 2, "missing: -o"),
            ("F/a.png F/b.png -o x.png", 2, "%n"), ("F/a.png --resize x -o x.png", 2, "resize"), ("F/a.png --processes 0 -o x.png", 2, "--processes"),
            // Two results never share a file, and an input without an end is refused.
            ("F/a.png F/sub/a.gif -o F/out/", 2, "would both be"), ("F/a.png F/a.png -o F/out/", 2, "would both be"),
            ("F/a.png F/sub/a.gif --rendition x:invert --rendition y:invert -o F/out/", 2, "would both be"),
            ("F/a.png --rendition x:invert --rendition y:invert -o F/%k.%e", 2, "%k"), ("F/a.png -o F/", 1, "is a source"), ("F/a.png F/b.png -o -", 2, "%n"),
            ("F/a.png --keep png -o F/x.png", 2, "keep"), ("/dev/zero -o F/x.png", 1, "more than"), ("F/a.png -o F/b.png/x.png", 1, "b.png"),
        ])
    func `a mistake is explained`(words: String, status: Int32, text: String) async throws {
        let folder = try TemporaryFolder("convert")
        try FileManager.default.createDirectory(atPath: folder.path + "/sub", withIntermediateDirectories: true)
        let picture = Data(PlainPicture.png(.white, width: 4, height: 4))
        for name in ["a.png", "b.png", "sub/a.gif"] { try picture.write(to: URL(fileURLWithPath: folder.path + "/" + name)) }
        let words = words.split(separator: " ").map { $0.replacingOccurrences(of: "F/", with: folder.path + "/") }
        let process = try ChildProcess(ServiceProcess.path("tintype"), ["convert"] + words)
        #expect(await process.finished() == status)
        #expect(process.errors.contains(text), "\(process.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a.png", "b.png", "sub"])
    }
}
