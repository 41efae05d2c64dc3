import Foundation
import TestSupport
import Testing
import TintypeContracts
import TintypeCore
import TintypeSettings
import TintypeTransport

@testable import Coordinator
@testable import TintypePictureDoor

/// The rate of each address at the picture door, and at the HTTP port without tokens.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct DoorRateTests {
    private static func path(_ number: Int) -> String { "/unsafe/w:\(number)/plain/http://origin.test/cat.png" }

    @Loop private func harness(_ rate: PictureRate) async throws -> DoorHarness {
        let setup = try await DoorHarness({ $0.rate = rate }, core: { $0.proxies.trusted = ["127.0.0.1"] })
        setup.harness.coordinator.core.http.rates?.clock = { 50 }
        return setup
    }

    /// The header of a client behind the proxy of the test.
    private func from(_ address: String) -> [String] { ["X-Forwarded-For: 203.0.113.9, \(address)"] }

    @Loop private func limited(_ setup: DoorHarness, _ kind: String) -> Int { setup.value(of: "tintype_pictures_limited_total{limit=\"\(kind)\"}") }

    @Test @Loop func `an address beyond its requests gets 429, and others get their pictures`() async throws {
        let setup = try await harness(PictureRate(requests: 1, pictures: 0))
        _ = try await setup.made(Self.path(10), from("192.0.2.1"))
        for _ in 1..<10 { #expect(try await setup.get(Self.path(10), from("192.0.2.1")).status == 200) }
        let refused = try await setup.get(Self.path(10), from("192.0.2.1"))
        #expect(refused.status == 429, "\(refused)")
        for line in ["Retry-After: 1", "Cache-Control: no-store", "Tintype-Error: overloaded"] {
            #expect(refused.description.contains(line + "\r\n"), "\(refused)")
        }
        #expect(refused.description.contains(#"{"error":{"name":"overloaded","message":"#))
        // Wrong requests count too. A browser that shows pictures sees a gray one.
        #expect(try await setup.get("/nothing", from("192.0.2.1")).status == 429)
        #expect(try await setup.get(Self.path(10), from("192.0.2.1") + ["Accept: image/*"]).description.contains("Content-Type: image/png"))
        #expect(try await setup.get(Self.path(10), from("192.0.2.2")).status == 200)
        // Hosts of one IPv6 network count together.
        for host in 1...10 { #expect(try await setup.get(Self.path(10), from("2001:db8::\(host)")).status == 200) }
        #expect(try await setup.get(Self.path(10), from("2001:db8::ffff")).status == 429)
        #expect(try await setup.get(Self.path(10), from("2001:db8:0:1::1")).status == 200)
        #expect(limited(setup, "requests") == 4 && setup.count(.refused) == 4)
    }

    @Test @Loop func `an address beyond its new pictures gets those that are there, or are being made, and no others`() async throws {
        let setup = try await harness(PictureRate(requests: 0, pictures: 1))
        for number in 1...10 { #expect(try await setup.made(Self.path(number), from("192.0.2.1")).status == 200) }
        let refused = try await setup.get(Self.path(11), from("192.0.2.1"))
        #expect(refused.status == 429 && refused.description.contains("Retry-After: 1\r\n"), "\(refused)")
        #expect(limited(setup, "pictures") == 1 && setup.count(.refused) == 1)
        #expect(try await setup.get(Self.path(1), from("192.0.2.1")).status == 200, "from memory")
        _ = setup.harness.coordinator.core.storage.memory.clear()
        #expect(try await setup.get(Self.path(1), from("192.0.2.1")).description.contains("from;desc=\"results\""))
        // Another client has it made.
        async let first = setup.get(Self.path(11), from("192.0.2.2"))
        let work = try await setup.harness.worker.claim()
        async let second = setup.get(Self.path(11), from("192.0.2.1"))
        try await setup.harness.until { setup.harness.coordinator.inFlight == 2 }
        try await setup.harness.worker.succeed(work)
        #expect(try await first.status == 200)
        #expect(try await second.status == 200)
    }

    @Test @Loop func `pictures that the index has use up nothing`() async throws {
        let setup = try await harness(PictureRate(requests: 0, pictures: 1))
        for number in 1...9 { _ = try await setup.made(Self.path(number), from("192.0.2.1")) }
        for number in 1...9 {
            _ = setup.harness.coordinator.core.storage.memory.clear()
            #expect(try await setup.get(Self.path(number), from("192.0.2.1")).description.contains("from;desc=\"results\""))
        }
        #expect(try await setup.made(Self.path(10), from("192.0.2.1")).status == 200)
        #expect(try await setup.get(Self.path(11), from("192.0.2.1")).status == 429)
    }

    @Test @Loop func `a picture whose bytes are gone counts when it is made again`() async throws {
        let setup = try await harness(PictureRate(requests: 0, pictures: 1))
        for number in 21...29 { _ = try await setup.made(Self.path(number), from("192.0.2.1")) }
        try await setup.load()
        try setup.harness.loseImages()
        #expect(try await setup.made(Self.path(10), from("192.0.2.1")).status == 200)
        #expect(try await setup.get(Self.path(30), from("192.0.2.1")).status == 429)
    }

    @Test @Loop func `the HTTP port without tokens counts its pictures too, and nothing else`() async throws {
        let setup = try await harness(PictureRate(requests: 1, pictures: 0))
        let base = setup.harness.base
        func get(_ path: String, _ address: String) async throws -> HTTP.Response { try await HTTP.get(base + path, ["-H", from(address)[0]]) }
        for _ in 0..<10 { #expect(try await get("/images/none", "192.0.2.1").status == 404) }
        let refused = try await get("/images/none", "192.0.2.1")
        #expect(refused.status == 429 && refused.headers["retry-after"] == "1", "\(refused)")
        #expect(try await get("/healthz", "192.0.2.1").status == 200)
        #expect(try await get("/images/none", "192.0.2.2").status == 404)
        // Both ports count together.
        #expect(try await setup.get(Self.path(10), from("192.0.2.1")).status == 429)
    }

    @Test @Loop func `wrong tokens and connections count by the client that the proxy names`() async throws {
        let folder = try TemporaryFolder("tokens")
        try "sesame-sesame role=put name=shop".write(toFile: folder.path + "/tokens", atomically: true, encoding: .utf8)
        let h = try await CoordinatorHarness {
            $0.tokenFile = folder.path + "/tokens"
            $0.maxWrongTokens = 2
            ($0.proxies.trusted, $0.proxies.headerPorts) = (["127.0.0.1"], ["rpc"])
        }
        func get(_ token: String, _ address: String) async throws -> Int {
            try await HTTP.get(h.base + "/images/none", ["-H", "Authorization: Bearer \(token)", "-H", from(address)[0]]).status
        }
        func authenticate(_ token: String, _ address: String) async throws -> String {
            let client = try RawClient(port: h.port)
            client.send(
                "PROXY TCP4 \(address) 10.0.0.1 1 2\r\n" + #"{"jsonrpc":"2.0","id":1,"method":"session.authenticate","params":{"token":"\#(token)"}}"# + "\n")
            defer { client.close() }
            return await client.lines(1).first ?? ""
        }
        #expect(try await get("wrong-wrong", "192.0.2.1") == 401)
        #expect(try await authenticate("wrong-wrong", "192.0.2.1").contains("unauthenticated"))
        #expect(try await get("sesame-sesame", "192.0.2.1") == 429)
        #expect(try await authenticate("sesame-sesame", "192.0.2.1").contains("wrongTokens"))
        #expect(try await get("sesame-sesame", "192.0.2.2") == 404)
        #expect(try await authenticate("sesame-sesame", "192.0.2.2").contains("\"result\""))
        let stranger = try RawClient(port: h.port)
        stranger.send(#"{"jsonrpc":"2.0","id":1,"method":"system.ping"}"# + "\n")
        #expect(await stranger.untilClosed().isEmpty)
        #expect(h.coordinator.core.process.metrics.value(.connectionsRefused, labels: "rpc", "header") == 1)
    }
}
