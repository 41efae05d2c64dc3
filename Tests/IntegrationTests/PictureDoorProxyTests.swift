import Foundation
import TestSupport
import Testing
import TintypeCore

/// nginx and haproxy in front of a coordinator: each client is told apart, and none can claim to be another.
@Suite(.timeLimit(.minutes(3)), .serialized, .scoped) struct PictureDoorProxyTests {
    private func door(_ arguments: [String] = []) async throws -> PictureDoorDeployment {
        try await PictureDoorDeployment(["--trusted-proxies", "127.0.0.1", "--images-rate", "1/0"] + arguments)
    }

    /// Asks from an address of this machine, with a claim to be another client.
    private func ask(_ url: String, from address: String, claiming: String) async throws -> HTTP.Response {
        try await HTTP.get(url, ["--interface", address, "-H", "X-Forwarded-For: \(claiming)"])
    }

    /// Expects that one client of a proxy is refused beyond its rate, and another one is not.
    private func expectRates(_ url: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        var statuses: [Int] = []
        for number in 1...60 where statuses.last != 429 { statuses.append(try await ask(url, from: "127.0.0.2", claiming: "192.0.2.\(number)").status) }
        #expect(statuses.last == 429 && statuses.dropLast().allSatisfy { $0 == 200 } && statuses.count > 10, "\(statuses)", sourceLocation: sourceLocation)
        #expect(try await ask(url, from: "127.0.0.3", claiming: "127.0.0.2").status == 200, sourceLocation: sourceLocation)
    }

    @Test func `behind nginx each client has its own rate, whatever it claims`() async throws {
        let door = try await door()
        let server = try await NginxServer(
            """
            listen PORT;
            merge_slashes off;
            location / {
                proxy_pass http://127.0.0.1:\(door.port);
                proxy_http_version 1.1;
                proxy_set_header Connection "";
                proxy_set_header Host $http_host;
                proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            }
            """)
        try await expectRates("http://127.0.0.1:\(server.port)" + door.path("/picture.png", "w:24"))
    }

    @Test(arguments: ["send-proxy", "send-proxy-v2"]) func `behind haproxy each connection has its client, at the door and over JSON-RPC`(
        header: String
    ) async throws {
        let door = try await door(["--proxy-protocol", "rpc,images"])
        let coordinator = door.deployment.coordinators[0]
        try """
        defaults
            mode tcp
            timeout connect 5s
            timeout client 1m
            timeout server 1m
            default-server check inter 100ms
        listen images
            bind "${TINTYPE_PROXY_HOST}:${TINTYPE_PROXY_HTTP}"
            server one 127.0.0.1:\(door.port) \(header)
        listen rpc
            bind "${TINTYPE_PROXY_HOST}:${TINTYPE_PROXY_RPC}"
            server one 127.0.0.1:\(coordinator.rpcPort) \(header)

        """.write(toFile: door.folder.path + "/haproxy.cfg", atomically: true, encoding: .utf8)
        let proxy = try await HAProxy(door.folder.path + "/haproxy.cfg")
        #expect(try await RPCClient(port: proxy.rpcPort).call("system.ping").error == nil)
        try await expectRates("http://127.0.0.1:\(proxy.httpPort)" + door.path("/picture.png", "w:24"))
        // haproxy's own checks are no broken connections. One without a header is.
        let refused = #"tintype_connections_refused_total{listener="images",limit="header"}"#
        #expect(try await coordinator.value(of: refused) == 0)
        #expect(await (try? HTTP.get(door.base + "/", ["--interface", "127.0.0.1"])) == nil)
        #expect(try await coordinator.value(of: refused) == 1)
        let stranger = try await HTTP.get(door.base + "/", ["--interface", "127.0.0.9"])
        #expect(stranger.status == 404, "an address that is no proxy's needs no header: \(stranger)")
    }
}
