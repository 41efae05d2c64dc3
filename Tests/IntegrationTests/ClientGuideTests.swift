import Foundation
import TestSupport
import Testing

/// The programs of docs/clients.md, run as they stand there. Below each program the page shows the lines that it prints.
@Suite(.timeLimit(.minutes(2)), .scoped) struct ClientGuideTests {
    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../docs/clients.md").standardized

    static let programs = PageProgram.all(in: page)

    /// The command that runs a file of a language, and the name that the file needs. nil: this machine has no such language.
    private func command(_ language: String) -> (words: [String], file: String)? {
        let python = ProcessInfo.processInfo.environment["TINTYPE_CLIENTS"] ?? "python3"
        switch language {
        case "sh": return (["bash"], "program.sh")
        case "python": return ([python], "program.py")
        case "ts":
            return ([URL(fileURLWithPath: python).deletingLastPathComponent().path + "/deno", "run", "--quiet", "--no-lock", "--allow-net"], "program.ts")
        case "go":
            let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            guard let folder = folders.first(where: { FileManager.default.isExecutableFile(atPath: $0 + "/go") }) else { return nil }
            return ([folder + "/go", "run"], "program.go")
        default: return nil
        }
    }

    @Test func `the page has a program in each language`() {
        #expect(Set(Self.programs.map(\.language)) == ["sh", "python", "ts", "go"])
        #expect(Self.programs.count >= 7)
    }

    @Test(arguments: programs) func `a program of the page prints what the page shows`(program: PageProgram) async throws {
        guard let command = command(program.language) else {
            #expect(program.language == "go", "no way is known to run \(program.language)")
            print("not run, for this machine has no Go toolchain: the program of docs/clients.md in Go")
            return
        }
        let deployment = try await Deployment()
        let coordinator = deployment.coordinators[0]
        let text = program.text
            .replacingOccurrences(of: "7411", with: "\(coordinator.rpcPort)")
            .replacingOccurrences(of: "7412", with: "\(coordinator.httpPort)")
            .replacingOccurrences(of: "https://example.org/photo.jpg", with: deployment.url("/picture.png?size=1200x900"))
            .replacingOccurrences(of: "https://example.org/slow.jpg", with: deployment.url("/hang"))
        let folder = try TemporaryFolder("guide")
        let file = folder.path + "/" + command.file
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let child = try ChildProcess(
            command.words[0], Array(command.words.dropFirst()) + [file],
            environment: ["DENO_DIR": folder.path, "GOCACHE": folder.path + "/go", "HOME": folder.path])
        let status = await child.finished()
        #expect(status == 0 && child.output == program.output, "\(child.output)\(child.errors)")
    }
}
