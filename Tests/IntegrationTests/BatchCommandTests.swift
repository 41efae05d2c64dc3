import Foundation
import TintypeCore
import TestSupport
import Testing

/// `tintype batch`, interrupted, against real processes.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct BatchCommandTests {
    /// Starts a batch of which one item ends and the others hang.
    private func begin(_ deployment: Deployment, _ client: RPCClient, in folder: TemporaryFolder, _ options: String...) async throws -> ChildProcess {
        let urls = [deployment.url("/picture.png")] + (0..<9).map { deployment.url("/hang?n=\($0)") }
        let file = folder.path + "/urls.txt"
        try urls.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let words = ["batch", file, "--coordinator", "127.0.0.1:\(deployment.coordinators[0].rpcPort)"] + options
        let batch = try ChildProcess(ServiceProcess.path("tintype"), words)
        try await Gate.until("one is done, some run") {
            let queue = try await client.call("queue.get", #"{"queue":"default"}"#).body
            return batch.errors.contains("1 of 10") && queue["running"]?.int ?? 0 > 0 || batch.exitStatus != nil
        }
        return batch
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `an interrupted batch cancels its remaining items, reports the finished ones, and ends by the signal`(signal: Int32) async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let folder = try TemporaryFolder("batch")
        let batch = try await begin(deployment, client, in: folder)
        batch.signal(signal)
        #expect(await batch.finished() == -signal)
        #expect(batch.output.contains(": 9 cancelled, 1 succeeded") && batch.errors.contains("interrupt again"), "\(batch.output)\(batch.errors)")
        try await Gate.until("nothing goes on") {
            let queue = try await client.call("queue.get", #"{"queue":"default"}"#).body
            return queue["running"]?.int == 0 && queue["queued"]?.int == 0
        }
    }

    @Test func `a second signal does not wait for the coordinator`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let folder = try TemporaryFolder("batch")
        let batch = try await begin(deployment, client, in: folder)
        deployment.coordinators[0].freeze()
        batch.signal(SIGINT)
        #expect(await batch.errorText(containing: "interrupt again"))
        batch.signal(SIGINT)
        #expect(await batch.finished() == -SIGINT && batch.output.isEmpty)
        deployment.coordinators[0].thaw()
    }
}
