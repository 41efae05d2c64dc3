import Foundation
import TestSupport
import Testing

/// A service that needs a token, and the command line, with whole processes.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct TokenFlowTests {
    private func write(_ text: String, _ path: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic) }

    @Test func `the command line sends the token of its file, says how to set one, and no log has it`() async throws {
        let folder = try TemporaryFolder("token")
        let file = folder.path + "/token"
        try write("# of this year\nsesame-sesame\nsesame-of-next-year\n", file)
        try write("sesame-of-last-year", folder.path + "/old")
        let deployment = try await Deployment(coordinatorArguments: ["--token-file", file, "--log-level", "debug"])
        let place = ["--coordinator", "127.0.0.1:\(deployment.coordinators[0].rpcPort)"]
        let ping = ["rpc", "system.ping"] + place
        func run(_ words: [String], _ environment: [String: String] = [:]) async throws -> (status: Int32?, process: ChildProcess) {
            let child = try ChildProcess(ServiceProcess.path("tintype"), words, environment: environment)
            return (await child.finished(), child)
        }
        let without = try await run(ping)
        #expect(without.status == 1 && without.process.errors.contains("TINTYPE_TOKEN_FILE"), "\(without.process.errors)")
        let old = try await run(ping, ["TINTYPE_TOKEN_FILE": folder.path + "/old"])
        #expect(old.status == 1 && old.process.errors.contains("the token is wrong"), "\(old.process.errors)")
        let missing = try await run(ping + ["--token-file", folder.path + "/none"])
        #expect(missing.status == 2 && missing.process.errors.contains("--token-file: cannot read"), "\(missing.process.errors)")
        #expect(try await run(ping, ["TINTYPE_TOKEN_FILE": file]).status == 0)
        #expect(try await run(["--token-file", file] + ping, ["TINTYPE_TOKEN_FILE": folder.path + "/old"]).status == 0)
        // The picture comes over HTTP, with the token too.
        let picture = folder.path + "/out.png"
        let load = try await run(["load", deployment.url("/picture.png"), "-o", picture, "--token-file", file] + place)
        #expect(load.status == 0, "\(load.process.errors)")
        #expect(PictureBytes(try Data(contentsOf: URL(fileURLWithPath: picture))) != nil)

        let coordinator = deployment.coordinators[0].process
        try write("sesame-of-next-year", file)
        coordinator.signal(SIGHUP)
        #expect(await coordinator.errorText(containing: "tokens read"))
        #expect(try await run(ping, ["TINTYPE_TOKEN_FILE": folder.path + "/old"]).status == 1)
        #expect(try await run(ping, ["TINTYPE_TOKEN_FILE": file]).status == 0)
        await deployment.stop()
        #expect(!coordinator.errors.contains("sesame"))
    }

    @Test func `an invalid token file is refused at start with its line, without the token`() async throws {
        let folder = try TemporaryFolder("token")
        try write("sesame-sesame\nsesame sesame", folder.path + "/token")
        let process = try ChildProcess(
            ServiceProcess.path("tintype-coordinator"), ["--token-file", folder.path + "/token", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"])
        #expect(await process.finished() == 2)
        #expect(process.errors.contains("/token:2: expected a token") && !process.errors.contains("sesame"), "\(process.errors)")
    }
}
