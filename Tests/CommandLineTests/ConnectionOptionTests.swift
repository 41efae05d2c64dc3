import Foundation
import TestSupport
import Testing

/// The options of every command, given to the real program without a coordinator.
@Suite(.timeLimit(.minutes(1)), .scoped) struct ConnectionOptionTests {
    private func tintype(_ words: String...) async throws -> (status: Int32, output: String, errors: String) {
        try await bare(words + ["--coordinator", "127.0.0.1:1"])
    }

    private func bare(_ words: [String]) async throws -> (status: Int32, output: String, errors: String) {
        let process = try ChildProcess(ServiceProcess.path("tintype"), words)
        return (await process.finished(), process.output, process.errors)
    }

    @Test func `queues are shown when a token is used`() async throws {
        let folder = try TemporaryFolder("token")
        try "sesame-sesame".write(toFile: folder.path + "/token", atomically: true, encoding: .utf8)
        let shown = try await tintype("queues", "--token-file", folder.path + "/token")
        #expect(shown.status == 1 && shown.errors.contains("no coordinator at 127.0.0.1:1"), "\(shown)")
        let refused = try await tintype("queues", "--order", "lifo")
        #expect(refused.status == 2 && refused.errors.contains("--order is only for"), "\(refused)")
    }

    @Test func `the mistake of a wrong command is JSON when --json is given anywhere`() async throws {
        let wrong = try await bare(["--json", "lod"])
        #expect(wrong.status == 2 && wrong.errors.isEmpty && wrong.output.contains(#"did you mean load?"#), "\(wrong)")
        let up = try await bare(["--json", "up"])
        #expect(up.status == 2 && up.errors.contains("unknown flag --json"), "\(up)")
        let before = try await tintype("-q", "load", "u", "--resiez", "1x1")
        #expect(before.status == 2 && before.errors.contains("did you mean --resize?") && !before.errors.contains("-q"), "\(before)")
    }

    @Test(arguments: ["help", "version"]) func `help describes every command that it lists`(name: String) async throws {
        for words in [["help", name], [name, "--help"], [name, "-h"]] {
            let shown = try await bare(words)
            #expect(shown.status == 0 && shown.output.contains("Usage: tintype \(name)"), "\(words): \(shown)")
        }
    }

    @Test(arguments: [
        (["version", "--foo"], "unknown option --foo"), (["version", "extra"], "unexpected argument \"extra\""),
        (["--version", "--foo"], "unknown option --foo"),
        (["help", "load", "extra"], "unexpected argument \"extra\""), (["help", "--foo"], "unknown option --foo"),
        (["--help", "--foo"], "unknown option --foo"),
        (["help", "lod"], "did you mean load?"),
        (["--no-such-flag"], "unknown option --no-such-flag"), (["--jsn"], "unknown option --jsn; did you mean --json?"),
        (["--coordinatr", "h:1"], "unknown option --coordinatr; did you mean --coordinator?"),
        (["--coordinator", "h:1", "lod"], "unknown command \"lod\"; did you mean load?"),
        (["docs", "protcol"], "did you mean protocol?"),
        (["docs", "clients"], "needs --language"), (["docs", "clients", "--language", "pyhton"], "did you mean python?"),
    ])
    func `help and version refuse unknown options and arguments`(words: [String], mistake: String) async throws {
        let refused = try await bare(words)
        #expect(refused.status == 2 && refused.output.isEmpty && refused.errors.contains(mistake), "\(words): \(refused)")
    }

    @Test func `docs lists its pages when no page is named`() async throws {
        let shown = try await bare(["docs"])
        #expect(shown.status == 0 && shown.errors.isEmpty)
        #expect(
            shown.output.split(separator: "\n").map { $0.prefix { $0 != " " } } == [
                "page", "protocol", "settings", "metrics", "traces", "dashboard", "fields", "options", "clients",
            ])
    }

    @Test func `the version is printed as JSON when asked`() async throws {
        for words in [["version", "--json"], ["--version", "--json"], ["--json", "version"]] {
            let shown = try await bare(words)
            #expect(shown.status == 0 && shown.output.hasPrefix(#"{"version":""#), "\(words): \(shown)")
        }
        #expect(try await bare(["--version"]) == bare(["version"]))
    }

    @Test(arguments: [["help"], ["load", "--help"], ["version"], ["docs", "protocol"], ["up", "--help"], ["--json", "lod"]])
    func `a command fails when its output cannot be written`(words: [String]) async throws {
        let process = try ChildProcess("/bin/sh", ["-c", "exec \"$0\" \"$@\" > /dev/full", ServiceProcess.path("tintype")] + words)
        #expect(await process.finished() == (words == ["--json", "lod"] ? 2 : 1), "\(process.errors)")
        #expect(
            process.errors.contains(words == ["--json", "lod"] ? "did you mean load?" : "cannot write standard output: No space left"), "\(process.errors)")
    }

    @Test(arguments: ["--json", "--json=true"]) func `a failure is JSON when --json is given`(option: String) async throws {
        let failed = try await tintype("queues", option)
        #expect(failed.status == 1 && failed.errors.isEmpty && failed.output.hasPrefix(#"{"error":{"name":"unreachable""#), "\(failed)")
        let plain = try await tintype("queues", "--json=false")
        #expect(plain.status == 1 && plain.output.isEmpty, "\(plain)")
    }
}
