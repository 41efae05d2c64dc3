import TestSupport
import TintypeCore
import Testing

/// Whole processes with Redis sites that speak TLS only and ask for certificates. A server dies while the services are at work.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct RedisSitesTLSTests {
    private let authority: TemporaryFolder
    private let files: [String]

    init() async throws {
        authority = try TemporaryFolder("tls")
        try await TestAuthority.make(in: authority.path)
        try await TestAuthority.issue("client", names: "DNS:client.example", in: authority.path)
        let path = authority.path
        files = ["--redis-ca", path + "/ca.pem", "--redis-cert", path + "/client.pem", "--redis-key", path + "/client.key"]
    }

    /// Loads pictures whose results are in the Redis of the service.
    private func load(_ count: Int, _ client: RPCClient, _ coordinator: ServiceProcess, _ origin: ServiceProcess, _ name: String) async throws {
        for number in 0..<count {
            let url = "\(origin.base)/picture.png?size=64x48&\(name)=\(number)"
            let answer = try await client.call("image.load", #"{"url":"\#(url)","deadline":90,"transform":[{"op":"resize","width":16}]}"#)
            let path = try #require(answer.renditions.first?["url"]?.string, "\(answer)")
            #expect(try await HTTP.get(coordinator.base + path).status == 200)
        }
    }

    private func programs(_ url: String) async throws -> (coordinator: ServiceProcess, client: RPCClient, origin: ServiceProcess) {
        let coordinator = try await ServiceProcess.coordinator(redis: url, files)
        _ = try await ServiceProcess.worker(redis: url, files)
        return (coordinator, try RPCClient(port: coordinator.rpcPort), try await ServiceProcess.origin())
    }

    @Test func `a cluster whose primary is killed`() async throws {
        let site = try await ClusterSite(replicas: 1, authority: authority)
        let (coordinator, client, origin) = try await programs(site.url)
        try await load(12, client, coordinator, origin, "before")
        let owner = try await site.owner(of: try await site.slot(of: "tintype:{default}:cfg"))
        await site.servers[owner].kill9()
        try await load(12, client, coordinator, origin, "after")
        #expect(try await client.call("system.validate")["ok"]?.bool == true)
        for (index, server) in site.servers.enumerated() where server.isUp {
            let connections = try await server.command("CLIENT", "LIST").split(separator: "\n")
            // The other servers are in no list of clients, and a replica is no service.
            let plain = connections.filter { $0.contains("laddr=127.0.0.1:\(site.ports[index]) ") && $0.contains("name=") && !$0.contains("name= ") }
            #expect(plain.isEmpty, "\(plain)")
        }
    }

    @Test func `a Redis with sentinels, whose primary is killed`() async throws {
        let site = try await SentinelSite(authority: authority)
        let (coordinator, client, origin) = try await programs(site.url)
        try await load(6, client, coordinator, origin, "before")
        await site.primary.kill9()
        try await site.untilSwitched()
        try await load(6, client, coordinator, origin, "after")
        #expect(try await client.call("system.validate")["ok"]?.bool == true)
        // On a busy machine a sentinel may switch once more, and connections are made anew after each of its messages.
        try await Gate.until("the worker is connected to the primary") {
            await site.lookAgain()
            return try await site.primary.command("CLIENT", "LIST").contains("name=worker:")
        }
    }

    @Test(arguments: [false, true]) func `a service without a certificate is told so`(isCluster: Bool) async throws {
        let url = isCluster ? try await ClusterSite(authority: authority).url : try await SentinelSite(authority: authority).url
        let coordinator = try await ServiceProcess.coordinator(redis: url, Array(files.prefix(2)))
        #expect(await coordinator.process.errorText(containing: "Redis"))
        #expect(try await HTTP.get(coordinator.base + "/readyz").status == 503)
    }
}
