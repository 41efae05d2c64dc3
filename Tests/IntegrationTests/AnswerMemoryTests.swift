import Foundation
import TintypeCore
import TestSupport
import Testing

/// The memory of a coordinator for long answers to clients that want many at once, or read none.
@Suite(.timeLimit(.minutes(5)), .serialized, .scoped) struct AnswerMemoryTests {
    /// Returns the peak memory of a process in MiB.
    private func peak(of process: ServiceProcess) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.process.identifier)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return try #require(Int(line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "")) / 1024
    }

    private func post(_ message: String) -> String {
        "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: \(message.utf8.count)\r\n\r\n\(message)"
    }

    @Test func `a coordinator keeps inline answers within its room, for any batch and any number of slow readers`() async throws {
        let folder = try TemporaryFolder("large")
        try Data(repeating: 7, count: 7 << 20).write(to: URL(fileURLWithPath: folder.path + "/large"))
        let deployment = try await Deployment(root: folder.path)
        let coordinator = deployment.coordinators[0]
        let params = #"{"url":"\#(deployment.url("/files/large"))","as":"bytes","deliver":"inline"}"#
        func request(_ id: Int) -> String { #"{"jsonrpc":"2.0","id":\#(id),"method":"image.load","params":\#(params)}"# }
        let client = try deployment.client()
        #expect(try await client.call("image.load", params).error == nil)
        let before = try peak(of: coordinator)

        // The answer to a batch may have 24 MiB, whatever is asked for.
        let batch = "[\((0..<150).map(request).joined(separator: ","))]"
        let web = try RawClient(port: coordinator.httpPort)
        web.send(post(batch))
        #expect(await web.untilClosed().count > 2 * (7 << 20))
        web.close()
        let wire = try RawClient(port: coordinator.rpcPort)
        wire.send(batch + "\n")
        #expect(await wire.lines(1).first?.utf8.count ?? 0 > 2 * (7 << 20))
        wire.close()

        // Eighty clients on each port want one answer each, and read nothing. One of them has a place.
        let clients = try (0..<80).flatMap { _ in
            [try RawClient(port: coordinator.httpPort, reads: false), try RawClient(port: coordinator.rpcPort, reads: false)]
        }
        for (index, client) in clients.enumerated() { client.send(index % 2 == 0 ? post(request(index)) : request(index) + "\n") }
        while try await coordinator.value(of: "tintype_answers_waiting") < 150 {}
        #expect(try await coordinator.value(of: "tintype_answer_bytes") <= 16 << 20)
        let other = try await HTTP.get(coordinator.base + "/rpc", ["--interface", "127.0.0.2", "-d", request(1)])
        #expect(other.status == 200 && other.body.count > (7 << 20) * 4 / 3)
        let more = try peak(of: coordinator) - before
        #expect(more < 96, "\(more) MiB more")
        for client in clients { client.close() }
        while try await coordinator.value(of: "tintype_answer_bytes") > 0 {}
    }
}
