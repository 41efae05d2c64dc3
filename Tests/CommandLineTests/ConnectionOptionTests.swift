import Foundation
import TestSupport
import Testing

/// What every command takes, given to the real program with nobody to talk to.
@Suite(.timeLimit(.minutes(1))) struct ConnectionOptionTests {
    private func tintype(_ words: String...) async throws -> (status: Int32, output: String, errors: String) {
        let process = try ChildProcess(ServiceProcess.path("tintype"), words + ["--coordinator", "127.0.0.1:1"])
        return (await process.finished(), process.output, process.errors)
    }

    @Test func `queues are shown with a token too`() async throws {
        let folder = try TemporaryFolder("token")
        try "sesame-sesame".write(toFile: folder.path + "/token", atomically: true, encoding: .utf8)
        let shown = try await tintype("queues", "--token-file", folder.path + "/token")
        #expect(shown.status == 1 && shown.errors.contains("no coordinator at 127.0.0.1:1"), "\(shown)")
        let refused = try await tintype("queues", "--order", "lifo")
        #expect(refused.status == 2 && refused.errors.contains("--order goes with"), "\(refused)")
    }

    @Test(arguments: ["--json", "--json=true"]) func `a failure is JSON if that was asked for`(option: String) async throws {
        let failed = try await tintype("queues", option)
        #expect(failed.status == 1 && failed.errors.isEmpty && failed.output.hasPrefix(#"{"error":{"name":"unreachable""#), "\(failed)")
        let plain = try await tintype("queues", "--json=false")
        #expect(plain.status == 1 && plain.output.isEmpty, "\(plain)")
    }
}
