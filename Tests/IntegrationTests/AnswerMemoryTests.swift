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

        // The answer to a batch may have 12 MiB, whatever is asked for.
        let batch = "[\((0..<150).map(request).joined(separator: ","))]"
        let web = try RawClient(port: coordinator.httpPort)
        web.send(post(batch))
        #expect(await web.untilClosed().count > 7 << 20)
        web.close()
        let wire = try RawClient(port: coordinator.rpcPort)
        wire.send(batch + "\n")
        #expect(await wire.lines(1).first?.utf8.count ?? 0 > 7 << 20)
        wire.close()

        // Forty clients of each of three addresses want one long answer each, half of them on either port. Each address has room for one.
        var clients: [RawClient] = []
        for (index, source) in ["127.0.0.1", "127.0.0.2", "127.0.0.3"].enumerated() {
            for id in 0..<20 {
                let web = try RawClient(port: coordinator.httpPort, from: source, reads: false)
                let wire = try RawClient(port: coordinator.rpcPort, from: source, reads: false)
                web.send(post(request(id)))
                wire.send(request(id) + "\n")
                clients += [web, wire]
            }
            try await Gate.until("they wait") { try await coordinator.value(of: "tintype_answers_waiting") >= 39 * (index + 1) }
        }
        // Others of these addresses want many short answers each, and take a little of them now and then.
        let words = String(repeating: "x", count: 16_000)
        let short = #"{"url":"\#(deployment.url("/files/large"))","as":"bytes","userInfo":{"words":"\#(words)"}}"#
        for source in ["127.0.0.1", "127.0.0.2", "127.0.0.3"] {
            for _ in 0..<10 {
                let client = try RawClient(port: coordinator.rpcPort, from: source, reads: false)
                for id in 0..<500 { client.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"image.load","params":\#(short)}"# + "\n") }
                clients.append(client)
            }
        }
        let far = try RawClient(port: coordinator.rpcPort, from: "127.0.0.4")
        far.send(request(1) + "\n")
        for client in clients { client.take(1000) }
        #expect(await far.lines(1).first?.utf8.count ?? 0 > (7 << 20) * 4 / 3)
        let more = try peak(of: coordinator) - before
        #expect(more < 64, "\(more) MiB more")
        for client in clients { client.close() }
        try await Gate.until("no answer is kept") { try await coordinator.value(of: "tintype_answer_bytes") == 0 }
    }
}
