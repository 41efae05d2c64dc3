import Foundation
import TestSupport
import Testing

/// JSON-RPC libraries by other authors, from PyPI, against a real deployment.
@Suite(.timeLimit(.minutes(2)), .scoped) struct ThirdPartyClientTests {
    @Test(arguments: ["aiorpcx_client.py", "pylsp_client.py"])
    func `a third-party client loads images`(script: String) async throws {
        guard let python = ProcessInfo.processInfo.environment["TINTYPE_CLIENTS"], !python.isEmpty else {
            Issue.record("TINTYPE_CLIENTS names no Python with the clients: run the tests by scripts/test")
            return
        }
        let deployment = try await Deployment()
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Clients"
        let client = try ChildProcess(
            python, ["\(folder)/\(script)", String(deployment.coordinators[0].rpcPort), deployment.url("/picture.png")])
        let status = await client.finished()
        #expect(status == 0 && client.output == "ok\n", "\(client.errors)")
    }
}
