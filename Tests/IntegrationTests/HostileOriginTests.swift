import Foundation
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

/// Attacks of servers and URLs on whole processes. Each of these once ended a worker, blocked another host, bypassed a rule, or showed a password.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct HostileOriginTests {
    private static let whole = [UInt8](repeating: 7, count: 200_000)

    /// A server whose own answers contain its address.
    @Loop private final class Place { var server: CannedServer? }

    /// Begins a body and breaks off. The answer to a resuming request claims that the range ends at the largest possible number.
    @Loop private func breaking() throws -> (CannedServer, Place) {
        let place = Place()
        let server = try CannedServer { [weak place] _, stream in
            let asked = place?.server?.requests.last?.lowercased().split(separator: "\r\n").first { $0.hasPrefix("range: bytes=") }
            if let first = asked.flatMap({ Int($0.dropFirst("range: bytes=".count).dropLast()) }) {
                let range = "Content-Range: bytes \(first)-9223372036854775807/*"
                stream.write(Array("HTTP/1.1 206 Partial\r\nETag: \"a\"\r\nContent-Type: image/png\r\n\(range)\r\n\r\n".utf8) + Self.whole.dropFirst(first))
            } else {
                stream.write(
                    Array("HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Type: image/png\r\nContent-Length: \(Self.whole.count)\r\n\r\n".utf8)
                        + Self.whole.prefix(60_000))
            }
            return .close
        }
        place.server = server
        return (server, place)
    }

    @Test @Loop func `a range that ends at the largest number fails its own download and no worker`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let (server, place) = try breaking()
        for _ in 0..<2 {
            let answer = try await client.call("image.load", #"{"url":"\#(server.base)/a.png","as":"bytes","fetch":{"retry":{"base":0.01}}}"#)
            #expect(["connectionLost", "httpStatus"].contains(answer.error?.name ?? ""), "\(answer)")
        }
        #expect(server.requests.contains { $0.lowercased().contains("range: bytes=60000-") }, "the rest was asked for")
        #expect(place.server === server)
        let info = try await client.call("image.load", #"{"url":"\#(deployment.url("/picture.png"))"}"#)
        #expect(info.state == "succeeded", "the same worker goes on: \(info)")
        #expect(deployment.workers[0].process.exitStatus == nil)
        #expect(try await deployment.violations(client) == [])
        server.close()
    }

    @Test @Loop func `no spelling of a URL throttles another host`() async throws {
        let deployment = try await Deployment()
        let client = try deployment.client()
        let place = Place()
        let server = try CannedServer { [weak place] target, stream in
            let port = place?.server?.port ?? ""
            let answer =
                target.hasPrefix("/busy") || target.contains("victim")
                ? "HTTP/1.1 429 Wait\r\nRetry-After: 60\r\nContent-Length: 0\r\n\r\n"
                : "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:\(port)/\u{301}@victim.example/x\r\nContent-Length: 0\r\n\r\n"
            stream.write(Array(answer.utf8))
            return .keep
        }
        place.server = server
        let direct = try await client.call("image.load", #"{"url":"\#(server.base)/\#u{301}@victim.example/x","fetch":{"retry":{"attempts":1}}}"#)
        #expect(direct.error?.name == "invalidURL", "\(direct)")
        // A server may spell a redirect in this way too: its bytes are escaped, and the host that has answered is throttled.
        let redirected = try await client.call("image.load", #"{"url":"\#(server.base)/go","fetch":{"retry":{"attempts":1}}}"#)
        let data = redirected.error?.data
        #expect(redirected.error?.name == "httpStatus" && data?["host"]?.string == "127.0.0.1", "\(redirected)")
        #expect(server.requests.last?.contains("GET /%CC%81@victim.example/x ") == true, "\(server.requests)")
        let held = try await client.call("queue.get", #"{"queue":"default"}"#)["heldHosts"]?.doubles
        #expect(held.map { Array($0.keys) } == ["127.0.0.1"] && place.server === server, "\(held as Any)")
        server.close()
    }

    @Test @Loop func `no character after a slash bypasses a rule or shows a password`() async throws {
        let folder = try TemporaryFolder("rules")
        let file = folder.path + "/rules.json"
        try Data(#"{"rules":[{"paths":["/admin/","/*/drafts/*"],"access":"deny"}]}"#.utf8).write(to: URL(fileURLWithPath: file))
        let deployment = try await Deployment(coordinatorArguments: ["--rules", file])
        let client = try deployment.client()
        for path in ["/admin/x", "/admin/%CC%81x", "/admin/%cc%81x", "/a/drafts/%CC%81y", "/%61dmin/x"] {
            #expect(try await client.call("image.load", #"{"url":"\#(deployment.url(path))"}"#).error?.name == "denied", "\(path)")
        }
        for path in ["/admin/\u{301}x", "/a/drafts/\u{301}y", "/a/\u{200d}drafts/y"] {
            #expect(try await client.call("image.load", #"{"url":"\#(deployment.url(path))"}"#).error?.name == "invalidURL", "\(path)")
        }
        // By a redirect: Location is escaped first, and then judged.
        let location = "http://127.0.0.1:\(deployment.origin.httpPort)/admin/\u{301}x".addingPercentEncoding(withAllowedCharacters: .urlHostAllowed) ?? ""
        let redirected = try await client.call("image.load", #"{"url":"\#(deployment.url("/status/302?with=Location:+\(location)"))"}"#)
        #expect(redirected.error?.name == "denied", "\(redirected)")
        let seen = try await deployment.counts()["counts"]?.integers
        #expect(seen?.keys.contains { $0.contains("admin") && !$0.contains("status") || $0.contains("drafts") } == false, "\(seen as Any)")

        for url in [
            "http://user:hunter2pass@\u{301}127.0.0.1:9/p", "http://user:hunter2pass\u{20e3}@127.0.0.1:9/p", "http:/\u{200d}/user:hunter2pass@127.0.0.1:9/",
        ] {
            let answer = try await client.call("image.load", #"{"url":"\#(url)","fetch":{"retry":{"attempts":1}}}"#)
            #expect(answer.error?.name != nil && !"\(answer)".contains("hunter2pass"), "\(answer)")
        }
        for process in deployment.coordinators + deployment.workers { #expect(!process.process.errors.contains("hunter2pass")) }
    }

    @Test @Loop func `clients learn no inner address of a name, and the log has it`() async throws {
        // A worker without allowed addresses: `localhost` counts as inside the operator's network then.
        let deployment = try await Deployment(workers: 0)
        let worker = try await ServiceProcess("tintype-worker", ["--redis", deployment.redis.url, "--results", "file://\(deployment.results.path)"])
        let client = try deployment.client()
        let url = "http://localhost:\(deployment.origin.httpPort)/picture.png"
        let answer = try await client.call("image.load", #"{"url":"\#(url)","progress":{},"fetch":{"retry":{"attempts":1}}}"#)
        #expect(answer.error?.name == "denied", "\(answer)")
        #expect(answer.error?.data["which"]?.string == "address", "\(answer)")
        // Nowhere: not in the message, the details, a cause or an event.
        let told = ([answer] + client.notifications).map { $0.json.text }
        #expect(told.count > 1, "the events came before the answer")
        for text in told { #expect(!text.contains("127.0.0.") && !text.contains("::1"), "\(text)") }
        // The log has it, with the address that the name resolved to last.
        #expect(await worker.process.errorText(containing: " is loopback"), "\(worker.process.errors)")
        #expect(worker.process.errors.contains("address 127.0.0.1 is loopback") || worker.process.errors.contains("address ::1 is loopback"))
    }
}
