import Foundation
import TestSupport
import Testing

/// `tintype load` at a terminal, against real processes.
@Suite(.timeLimit(.minutes(1)), .scoped) struct LoadCommandTests {
    @Test func `the file has the requested size, and the error explains a wrong HTTP port`() async throws {
        let deployment = try await Deployment()
        let folder = try TemporaryFolder("load")
        let file = folder.path + "/out.webp"
        let words = [
            "load", deployment.url("/picture.png"), "--resize", "64x48", "--fit", "fill", "-o", file, "--coordinator",
            "127.0.0.1:\(deployment.coordinators[0].rpcPort)",
        ]
        let load = try ChildProcess(ServiceProcess.path("tintype"), words)
        #expect(await load.finished() == 0, "\(load.errors)")
        let picture = try #require(PictureBytes(try Data(contentsOf: URL(fileURLWithPath: file))))
        #expect(picture.format == "webp" && picture.width == 64 && picture.height == 48)

        let lost = try ChildProcess(ServiceProcess.path("tintype"), words + ["--http", "127.0.0.1:1"])
        #expect(await lost.finished() == 1)
        #expect(lost.errors.contains("127.0.0.1:1, does not answer") && lost.errors.contains("--http HOST:PORT"), "\(lost.errors)")

        // A hang-up, such as that of a closed terminal, ends neither server, and neither do signals without meaning for a server.
        for server in deployment.coordinators + deployment.workers {
            for signal in [SIGHUP, SIGUSR1, SIGUSR2, SIGALRM] { server.process.signal(signal) }
        }
        let again = try ChildProcess(ServiceProcess.path("tintype"), words)
        #expect(await again.finished() == 0, "\(again.errors)")
    }
}
