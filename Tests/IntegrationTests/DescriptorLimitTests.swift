import Foundation
import TestSupport
import Testing

/// Servers that run out of file descriptors.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct DescriptorLimitTests {
    @Test(arguments: ["tintype-coordinator", "tintype-worker"])
    func `a server uses all its descriptors, pauses without any, and serves again when some are free`(name: String) async throws {
        let redis = try await RedisServer()
        // More connections than descriptors: the defaults would be reduced to the descriptors.
        let many = ["--max-connections", "1000", "--max-connections-per-address", "1000"]
        let listen = name == "tintype-coordinator" ? ["--listen", "127.0.0.1:0"] + many : []
        let server = try await ServiceProcess(
            name, ["--redis", redis.url, "--http", "127.0.0.1:0"] + listen, descriptors: (soft: 64, hard: 96))
        let limits = try String(contentsOfFile: "/proc/\(server.process.identifier)/limits", encoding: .utf8)
        let files = limits.split(separator: "\n").first { $0.hasPrefix("Max open files") }?.split(separator: " ").dropFirst(3).prefix(2)
        #expect(files.map(Array.init) == ["96", "96"], "\(limits)")
        var clients = try (0..<96).map { _ in try RawClient(port: server.httpPort) }
        #expect(await server.process.errorText(containing: "connections cannot be accepted"), "\(server.process.errors.prefix(2000))")
        for client in clients { client.close() }
        clients = []
        try await Gate.until("it serves again") { (try? await HTTP.get(server.base + "/healthz"))?.status == 200 }
        #expect(!server.process.errors.contains("[warn]"), "\(server.process.errors.prefix(2000))")
        if name == "tintype-coordinator" { #expect(server.process.errors.contains("--max-connections")) }
        #expect(await server.stop() == 0)
    }

    @Test func `a coordinator keeps descriptors for itself, however many connections clients open`() async throws {
        let redis = try await RedisServer()
        let arguments = ["--redis", redis.url, "--http", "127.0.0.1:0", "--listen", "127.0.0.1:0"]
        let server = try await ServiceProcess("tintype-coordinator", arguments, descriptors: (soft: 64, hard: 96))
        #expect(await server.process.errorText(containing: "each port keeps fewer connections open"), "\(server.process.errors.prefix(2000))")
        let clients = try (0..<96).map { _ in try RawClient(port: server.rpcPort) }
        #expect(await server.process.errorText(containing: "a connection is refused"), "\(server.process.errors.prefix(2000))")
        // While these clients stay connected.
        #expect(try await HTTP.get(server.base + "/healthz").status == 200)
        for client in clients { client.close() }
        #expect(!server.process.errors.contains("connections cannot be accepted"), "\(server.process.errors.prefix(2000))")
        #expect(await server.stop() == 0)
    }
}
