import Foundation
import TestSupport
import Testing

/// The memory of a coordinator for the bodies of its HTTP clients.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct BodyMemoryTests {
    /// Returns the peak memory of a process in MiB.
    private func peak(of process: ServiceProcess) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.process.identifier)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return try #require(Int(line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "")) / 1024
    }

    private func head(_ length: Int, token: String? = nil) -> [UInt8] {
        let shown = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        return Array("PUT /images/mine HTTP/1.1\r\nHost: h\r\n\(shown)Content-Length: \(length)\r\n\r\n".utf8)
    }

    private func status(_ bytes: [UInt8]) -> String { String(decoding: bytes.dropFirst(9).prefix(3), as: UTF8.self) }

    @Test func `a coordinator keeps bodies within its budget, for any number of clients at any speed`() async throws {
        let folder = try TemporaryFolder("token")
        try Data("sesame-sesame".utf8).write(to: URL(fileURLWithPath: folder.path + "/token"))
        let deployment = try await Deployment(workers: 0, coordinatorArguments: ["--token-file", folder.path + "/token"])
        let coordinator = deployment.coordinators[0]
        let port = coordinator.httpPort
        let before = try peak(of: coordinator)
        let piece = [UInt8](repeating: 7, count: 1 << 20)

        // A hundred unauthenticated clients announce 64 MiB each, and send 4. They get a request for a token, and no byte is kept.
        var strangers: [RawClient] = []
        for _ in 0..<100 {
            let client = try RawClient(port: port)
            client.send(head(64 << 20))
            for _ in 0..<4 { client.send(piece) }
            strangers.append(client)
        }
        for client in strangers { #expect(status(await client.received { !$0.isEmpty }) == "401") }
        #expect(try peak(of: coordinator) - before < 64)

        // Forty authenticated clients: four have room, and their bodies arrive slowly.
        var clients: [RawClient] = []
        for _ in 0..<40 {
            let client = try RawClient(port: port)
            client.send(head(64 << 20, token: "sesame-sesame"))
            for _ in 0..<8 { client.send(piece) }
            clients.append(client)
        }
        for client in clients[4...] {
            let answer = await client.received { !$0.isEmpty }
            #expect(status(answer) == "503" && String(decoding: answer, as: UTF8.self).contains("\r\nRetry-After: 1\r\n"))
        }
        let after = try peak(of: coordinator)
        #expect(after - before < 128, "\(after - before) MiB more")

        // Unauthenticated clients have used up their room for small bodies too. Authenticated clients are served all the same.
        let held = try (0..<257).map { _ in try RawClient(port: port) }
        for client in held { client.send(head(64 << 10)) }
        let (answers, told) = AsyncStream.makeStream(of: [UInt8].self)
        for client in held { Task { told.yield(await client.received { !$0.isEmpty }) } }
        // Any of them may have been the last one to be checked.
        let refused = try #require(await answers.first { _ in true })
        #expect(status(refused) == "503")
        let ping = ["-d", #"{"jsonrpc":"2.0","id":1,"method":"system.ping"}"#]
        let answer = try await HTTP.get(coordinator.base + "/rpc", ping + ["-H", "Authorization: Bearer sesame-sesame"])
        #expect(String(decoding: answer.body, as: UTF8.self).contains("pong"))
        #expect(try await HTTP.get(coordinator.base + "/healthz").status == 200)
        // A client that goes makes room, and the four clients with room send their bodies to the end.
        for client in held { client.close() }
        for client in clients[..<4] {
            for _ in 0..<56 { client.send(piece) }
            #expect(status(await client.received { !$0.isEmpty }) == "201")
        }
        #expect(try await HTTP.get(coordinator.base + "/images/mine", ["-H", "Authorization: Bearer sesame-sesame"]).body.count == 64 << 20)
    }
}
