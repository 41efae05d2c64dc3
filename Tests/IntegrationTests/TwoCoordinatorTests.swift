import TestSupport
import Testing

/// Two coordinators behind haproxy, as the profile `ha` of docker-compose.yml has them.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct TwoCoordinatorTests {
    /// Loads a picture by a connection of its own.
    private func load(_ deployment: Deployment, _ proxy: HAProxy, _ number: Int) async throws -> String? {
        let client = try RPCClient(port: proxy.rpcPort)
        defer { client.close() }
        let url = deployment.url("/picture.png?size=64x48&n=\(number)")
        return try await client.call("image.load", #"{"url":"\#(url)","deadline":60}"#).state
    }

    @Test func `clients are spread over both, and one serves alone once the other is dead`() async throws {
        let deployment = try await Deployment(coordinators: 2)
        let proxy = try await HAProxy(before: deployment.coordinators[0], and: deployment.coordinators[1])
        // `HAProxy` itself has made a connection to one of them.
        func connections() async throws -> [Int] {
            var counts: [Int] = []
            for coordinator in deployment.coordinators { counts.append(try await coordinator.value(of: "tintype_rpc_connections_total")) }
            return counts
        }
        let before = try await connections()
        for number in 0..<4 { #expect(try await load(deployment, proxy, number) == "succeeded") }
        let after = try await connections()
        #expect(zip(before, after).allSatisfy { $0 < $1 }, "\(before) \(after)")
        #expect(try await HTTP.get("http://127.0.0.1:\(proxy.httpPort)/readyz").status == 200)

        await deployment.coordinators[0].kill9()
        // A connection that haproxy gave to the dead one before its check is tried at the other.
        for number in 4..<12 { #expect(try await load(deployment, proxy, number) == "succeeded") }
        #expect(try await HTTP.get("http://127.0.0.1:\(proxy.httpPort)/readyz").status == 200)
        #expect(try await deployment.violations(deployment.client(1)) == [])
    }
}
