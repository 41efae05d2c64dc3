import Foundation
import TestSupport
import Testing
import TintypeCore

/// stunnel in front of ports without TLS, and as a client of ports with TLS: a peer that shares no code of ours.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct ForeignTLSTests {
    private func certificates() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder("tls")
        try await TestAuthority.make(in: folder.path)
        try await TestAuthority.issue("client", names: "DNS:client.example", in: folder.path)
        return folder
    }

    /// Returns the bytes of a large source, as the origin has them and as the picture door passes them through.
    private func large(_ door: PictureDoorDeployment, _ base: String, _ options: [String] = []) async throws -> (there: Data, here: HTTP.Response) {
        let source = "/picture.png?size=1500x1000"
        return (try await HTTP.get(door.deployment.url(source)).body, try await HTTP.get(base + door.path(source, "raw:1"), options))
    }

    @Test func `clients reach ports without TLS through stunnel, and their bytes are whole`() async throws {
        let folder = try await certificates()
        let door = try await PictureDoorDeployment()
        let coordinator = door.deployment.coordinators[0]
        let calls = try await StunnelProxy(before: coordinator.rpcPort, certificates: folder.path)
        let pictures = try await StunnelProxy(before: door.port, certificates: folder.path)
        let place = ["--coordinator", "tls://127.0.0.1:\(calls.port)", "--tls-ca", folder.path + "/ca.pem"]
        let load = try ChildProcess(ServiceProcess.path("tintype"), ["load", door.deployment.url("/picture.png"), "--resize", "64x48", "--json"] + place)
        #expect(await load.finished() == 0, "\(load.errors)\n\(calls.log)")
        #expect(try JSON(parsing: Array(load.output.utf8))["state"]?.string == "succeeded", "\(load.output)")
        let (there, here) = try await large(door, "https://127.0.0.1:\(pictures.port)", ["--cacert", folder.path + "/ca.pem"])
        #expect(here.status == 200 && here.body == there && there.count > 4_000_000, "\(here.headers) \(pictures.log)")
    }

    @Test func `stunnel is a client of both ports with TLS, and its bytes are whole`() async throws {
        let folder = try await certificates()
        let files = ["--tls-cert", folder.path + "/cert.pem", "--tls-key", folder.path + "/key.pem", "--tls-client-ca", folder.path + "/ca.pem"]
        let door = try await PictureDoorDeployment(files)
        let coordinator = door.deployment.coordinators[0]
        let calls = try await StunnelProxy(toTLS: coordinator.rpcPort, certificates: folder.path, showing: "client")
        let pictures = try await StunnelProxy(toTLS: door.port, certificates: folder.path, showing: "client")
        let client = try RPCClient(port: calls.port)
        let answer = try await client.call("image.load", #"{"url":"\#(door.deployment.url("/picture.png"))","transform":[{"op":"resize","width":64}]}"#)
        #expect(answer.state == "succeeded", "\(answer) \(calls.log)")
        let (there, here) = try await large(door, "http://127.0.0.1:\(pictures.port)")
        #expect(here.status == 200 && here.body == there && there.count > 4_000_000, "\(here.headers) \(pictures.log)")
        // A client that has closed its side still gets its answer.
        let brief = try RawClient(port: calls.port)
        brief.send(#"{"jsonrpc":"2.0","id":1,"method":"system.ping"}"# + "\n")
        brief.finishSending()
        let last = String(decoding: await brief.untilClosed(), as: UTF8.self)
        #expect(last.hasPrefix(#"{"jsonrpc":"2.0","id":1,"result""#), "\(last) \(calls.log)")
        // Without a certificate of its own, none of its connections has an answer.
        let stranger = try await StunnelProxy(toTLS: coordinator.rpcPort, certificates: folder.path, showing: nil)
        let refused = try RPCClient(port: stranger.port)
        await #expect(throws: TestFailure.self) { try await refused.call("system.ping") }
    }
}
