import TintypeCore
import Foundation
import TestSupport
import Testing

/// The commands for newcomers in README.md, executed.
@Suite(.timeLimit(.minutes(1)), .scoped) struct ReadmeTests {
    @Test func `the one request prints its answer`() async throws {
        let readme = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../README.md").standardized
        let text = try String(contentsOf: readme, encoding: .utf8)
        let section = try #require(text.components(separatedBy: "## One request and its answer").dropFirst().first)
        let command = try #require(section.components(separatedBy: "```sh\n").dropFirst().first?.components(separatedBy: "```").first)
        let deployment = try await Deployment()
        let typed =
            command
            .replacingOccurrences(of: "7411", with: "\(deployment.coordinators[0].rpcPort)")
            .replacingOccurrences(of: "https://example.org/photo.jpg", with: deployment.url("/picture.png"))
        let shell = try ChildProcess("bash", ["-c", typed])
        let line = try await shell.line(beginning: #"{"jsonrpc":"2.0","id":1,"result":"#)
        let answer = try JSON(parsing: line)
        let result = try #require(answer["result"])
        #expect(result["state"]?.string == "succeeded")
        let rendition = try #require(result["renditions"]?.array?.first)
        #expect(rendition["width"]?.int == 320 && rendition["height"]?.int == 320 && rendition["format"]?.string == "webp")
        shell.signal(SIGKILL)
    }
}
