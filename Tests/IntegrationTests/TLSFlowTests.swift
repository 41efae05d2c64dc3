import Foundation
import TintypeCore
import TestSupport
import Testing

/// A whole service whose ports and Redis speak TLS, with whole processes and clients of other makers.
@Suite(.timeLimit(.minutes(2)), .serialized, .scoped) struct TLSFlowTests {
    private static func certificates() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder("tls")
        try await TestAuthority.make(in: folder.path)
        try await TestAuthority.issue("client", names: "DNS:client.example", in: folder.path)
        return folder
    }

    private static func files(_ folder: TemporaryFolder) -> [String] { ["--tls-cert", folder.path + "/cert.pem", "--tls-key", folder.path + "/key.pem"] }

    private func tintype(_ words: [String], _ environment: [String: String] = [:]) async throws -> (status: Int32, output: String, errors: String) {
        let child = try ChildProcess(ServiceProcess.path("tintype"), words, environment: environment)
        return (await child.finished(), child.output, child.errors)
    }

    @Test func `a picture over TLS has the bytes of one without, from memory and from a folder, and all ports speak TLS`() async throws {
        let folder = try await Self.certificates()
        let files = Self.files(folder)
        let deployment = try await Deployment(
            coordinatorArguments: files + ["--memory-cache", "0", "--images", "127.0.0.1:0", "--images-unsigned"], workerArguments: files)
        let (coordinator, worker) = (deployment.coordinators[0], deployment.workers[0])
        let trusted = ["--cacert", folder.path + "/ca.pem"]
        let place = ["--coordinator", "tls://127.0.0.1:\(coordinator.rpcPort)", "--tls-ca", folder.path + "/ca.pem"]
        let load = try await tintype(["load", deployment.url("/picture.png"), "--format", "png", "--json"] + place)
        #expect(load.status == 0, "\(load)")
        let result = try JSON(parsing: Array(load.output.utf8))
        let key = try #require(result["renditions"]?.array?.first?["key"]?.string, "\(load)")
        // Another coordinator of the same service, without TLS, and with results in memory.
        let plain = try await ServiceProcess.coordinator(redis: deployment.redis.url, ["--results", "file://\(deployment.results.path)"])
        let expected = try await HTTP.get("\(plain.base)/images/\(key)")
        #expect(expected.status == 200 && expected.body.count > 60_000)
        let secure = "https://127.0.0.1:\(coordinator.httpPort)/images/\(key)"
        for options in [[], ["--http1.0"], ["--limit-rate", "20M"]] {
            let answer = try await HTTP.get(secure, trusted + options)
            #expect(answer.status == 200 && answer.body == expected.body && answer.headers["etag"] == expected.headers["etag"], "\(options)")
        }
        let part = try await HTTP.get(secure, trusted + ["-r", "1000-50000"])
        #expect(part.status == 206 && part.body == expected.body[1000...50000])
        // In memory.
        let cached = try await ServiceProcess.coordinator(redis: deployment.redis.url, ["--results", "file://\(deployment.results.path)"] + files)
        for _ in 0..<2 { #expect(try await HTTP.get("https://127.0.0.1:\(cached.httpPort)/images/\(key)", trusted).body == expected.body) }
        // The picture door.
        let door = (coordinator.ready["images"] ?? "") + "/unsafe/w:10/plain/" + deployment.url("/picture.png")
        #expect(try await HTTP.get("https://" + door, trusted).status == 200)
        await #expect(throws: TestFailure.self) { try await HTTP.get("http://" + door) }
        // The worker's port.
        let health = "https://\(worker.ready["http"] ?? "")"
        #expect(try await HTTP.get(health + "/healthz", trusted).status == 200)
        let metrics = String(decoding: try await HTTP.get(health + "/metrics", trusted).body, as: UTF8.self)
        #expect(metrics.contains(#"tintype_tls_handshakes_total{listener="worker",outcome="succeeded"}"#))
        #expect(metrics.contains(#"tintype_tls_certificate_expiry_seconds{certificate="server"}"#))
        await #expect(throws: TestFailure.self) { try await HTTP.get("http://\(worker.ready["http"] ?? "")/healthz") }
        await #expect(throws: TestFailure.self) { try await HTTP.get(coordinator.base + "/healthz") }
    }

    @Test func `the command line speaks TLS to both ports, and shows its certificate where one is required`() async throws {
        let folder = try await Self.certificates()
        let files = Self.files(folder) + ["--tls-client-ca", folder.path + "/ca.pem"]
        let deployment = try await Deployment(coordinatorArguments: files, workerArguments: files + ["--tls-client", "optional"])
        let (rpc, http) = (deployment.coordinators[0].rpcPort, deployment.coordinators[0].httpPort)
        let trust = ["--tls-ca", folder.path + "/ca.pem"]
        let shown = trust + ["--tls-cert", folder.path + "/client.pem", "--tls-key", folder.path + "/client.key"]
        let ping = ["rpc", "system.ping", "--coordinator", "tls://localhost:\(rpc)"]
        let good = try await tintype(ping + shown)
        #expect(good.status == 0, "\(good)")
        #expect(try await tintype(ping + shown.dropFirst(2), ["TINTYPE_TLS_CA": folder.path + "/ca.pem"]).status == 0)
        let file = folder.path + "/out.webp"
        for more in [[], ["--http", "https://localhost:\(http)"], ["--http", "localhost:\(http)"]] {
            let load = try await tintype(
                ["load", deployment.url("/picture.png"), "--resize", "64x48", "--fit", "fill", "-o", file, "--coordinator", "tls://127.0.0.1:\(rpc)"] + shown
                    + more)
            #expect(load.status == 0, "\(load)")
            let picture = try #require(PictureBytes(try Data(contentsOf: URL(fileURLWithPath: file))))
            #expect(picture.format == "webp" && picture.width == 64 && picture.height == 48)
        }
        let without = try await tintype(ping + trust)
        #expect(without.status == 1 && without.output.isEmpty, "\(without)")
        let untrusted = try await tintype(ping)
        #expect(untrusted.status == 1 && untrusted.errors.contains("certificate verify failed"), "\(untrusted)")
        let plain = try await tintype(["rpc", "system.ping", "--coordinator", "localhost:\(rpc)"])
        #expect(plain.status == 1, "\(plain)")
        for words in [["--tls-ca", folder.path + "/ca.pem", "--coordinator", "localhost:\(rpc)"], ["--coordinator", "https://localhost:\(rpc)"]] {
            let refused = try await tintype(["rpc", "system.ping"] + words)
            #expect(refused.status == 2 && refused.errors.contains("tls://HOST:PORT"), "\(refused)")
        }
        let half = try await tintype(ping + trust + ["--tls-cert", folder.path + "/client.pem"])
        #expect(half.status == 2 && half.errors.contains("--tls-cert and --tls-key"), "\(half)")
        // A worker that only asks for a certificate serves clients without one.
        #expect(try await HTTP.get("https://\(deployment.workers[0].ready["http"] ?? "")/healthz", ["--cacert", folder.path + "/ca.pem"]).status == 200)
    }

    @Test func `a foreign page does nothing by the certificate of its reader, and the dashboard works with it`() async throws {
        let folder = try await Self.certificates()
        try Data("certificate=client.example name=ops\nsesame-sesame\n".utf8).write(to: URL(fileURLWithPath: folder.path + "/tokens"))
        let deployment = try await Deployment(
            workers: 0, coordinatorArguments: Self.files(folder) + ["--tls-client-ca", folder.path + "/ca.pem", "--token-file", folder.path + "/tokens"])
        let base = "https://localhost:\(deployment.coordinators[0].httpPort)"
        let shown = ["--cacert", folder.path + "/ca.pem", "--cert", folder.path + "/client.pem", "--key", folder.path + "/client.key"]
        let foreign = ["-H", "Origin: https://evil.example", "-H", "Sec-Fetch-Site: cross-site"]
        let own = ["-H", "Origin: \(base)", "-H", "Sec-Fetch-Site: same-origin"]
        func rpc(_ method: String, _ more: [String]) async throws -> HTTP.Response {
            try await HTTP.get(base + "/rpc", ["-d", #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":{"queue":"default"}}"#] + shown + more)
        }
        for page in [foreign, ["-H", "Host: evil.example", "-H", "Origin: https://evil.example"], ["-H", "Host: evil.example"]] {
            let refused = try await rpc("queue.pause", page)
            #expect(refused.status == 403 && String(decoding: refused.body, as: UTF8.self).contains("a certificate counts only"), "\(refused)")
            for path in ["/images/mine", "/uploads"] {
                #expect(try await HTTP.get(base + path, ["-X", "PUT", "--data-binary", "GIF89a"] + shown + page).status == 403, "\(path) \(page)")
            }
            #expect(try await HTTP.get(base + "/uploads/" + String(repeating: "0", count: 48), ["-X", "DELETE"] + shown + page).status == 403)
            #expect(try await HTTP.get(base + "/events?stats=1", ["--head"] + shown + page).status == 403)
        }
        #expect(try await rpc("queue.pause", own + ["-H", "Content-Type: text/plain"]).status == 415)
        let queue = try await rpc("queue.get", own)
        #expect(queue.status == 200 && String(decoding: queue.body, as: UTF8.self).contains(#""paused":false"#), "\(queue)")
        // A program sends neither header, and a token counts for any page.
        #expect(try await String(decoding: rpc("queue.pause", []).body, as: UTF8.self).contains(#""paused":true"#))
        #expect(try await rpc("queue.resume", foreign + ["-H", "Authorization: Bearer sesame-sesame"]).status == 200)
        // The dashboard.
        #expect(try await HTTP.get(base + "/", shown + ["-H", "Sec-Fetch-Site: none"]).status == 200)
        #expect(try await HTTP.get(base + "/events?stats=1", ["--head"] + shown + own).status == 200)
        #expect(try await HTTP.get(base + "/uploads", ["-X", "PUT", "--data-binary", "GIF89a"] + shown + own).status == 201)
    }

    @Test func `certificates are read again at SIGHUP, by coordinators and workers`() async throws {
        let folder = try await Self.certificates()
        let deployment = try await Deployment(coordinatorArguments: Self.files(folder), workerArguments: Self.files(folder))
        let places = [deployment.coordinators[0].rpcPort, deployment.coordinators[0].httpPort, deployment.workers[0].httpPort]
        func serials() async throws -> [String] {
            var found: [String] = []
            for port in places {
                let child = try ChildProcess("/bin/sh", ["-c", "openssl s_client -connect 127.0.0.1:\(port) 2>&1 | openssl x509 -noout -serial"])
                _ = await child.finished()
                found.append(child.output)
            }
            return found
        }
        let before = try await serials()
        #expect(Set(before).count == 1 && before[0].hasPrefix("serial="), "\(before)")
        try await TestAuthority.issue("cert", key: "key.pem", names: "IP:127.0.0.1", days: 40, in: folder.path)
        for process in deployment.coordinators + deployment.workers { process.process.signal(SIGHUP) }
        try await Gate.until("all ports show the new certificate") {
            let now = try await serials()
            return Set(now).count == 1 && now[0] != before[0]
        }
        // One that cannot be used changes nothing.
        try Data("nothing".utf8).write(to: URL(fileURLWithPath: folder.path + "/cert.pem"), options: .atomic)
        let coordinator = deployment.coordinators[0].process
        coordinator.signal(SIGHUP)
        #expect(await coordinator.errorText(containing: "the TLS certificates cannot be used"))
        #expect(Set(try await serials()).count == 1)
        #expect(!coordinator.errors.contains("PRIVATE KEY"))
    }

    @Test func `a service works with a Redis that speaks TLS and asks for certificates`() async throws {
        let folder = try await Self.certificates()
        let port = try FreePort.find()
        let redis = try await RedisServer(options: [
            "--tls-port", "\(port)", "--tls-cert-file", folder.path + "/cert.pem", "--tls-key-file", folder.path + "/key.pem",
            "--tls-ca-cert-file", folder.path + "/ca.pem",
        ])
        let url = "rediss://localhost:\(port)"
        let files = ["--redis-ca", folder.path + "/ca.pem", "--redis-cert", folder.path + "/client.pem", "--redis-key", folder.path + "/client.key"]
        // The results are in the same Redis.
        let coordinator = try await ServiceProcess.coordinator(redis: url, files)
        _ = try await ServiceProcess.worker(redis: url, files)
        let origin = try await ServiceProcess.origin()
        let client = try RPCClient(port: coordinator.rpcPort)
        let answer = try await client.call("image.load", #"{"url":"\#(origin.base)/picture.png"}"#)
        let path = try #require(answer.renditions.first?["url"]?.string, "\(answer)")
        #expect(try await HTTP.get(coordinator.base + path).status == 200)
        #expect(try await redis.command("CLIENT", "LIST").contains("name=worker:"))
    }

    @Test(arguments: [
        (["--tls-cert", "cert.pem"], "--tls-cert and --tls-key need each other"), (["--tls-client-ca", "ca.pem"], "--tls-client-ca needs"),
        (["--tls-cert", "cert.pem", "--tls-key", "client.key"], "no key of the certificate"), (["--redis-key", "key.pem"], "--redis-cert and --redis-key"),
        (["--tls-cert", "key.pem", "--tls-key", "key.pem"], "has no certificate in PEM form"),
    ])
    func `settings of TLS that do not fit are refused at the start`(words: [String], reason: String) async throws {
        let folder = try await Self.certificates()
        let arguments = words.map { $0.hasPrefix("--") ? $0 : "\(folder.path)/\($0)" }
        for program in [["tintype-coordinator", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"], ["tintype-worker"]] {
            let process = try ChildProcess(ServiceProcess.path(program[0]), program.dropFirst() + arguments)
            #expect(await process.finished() == 2)
            #expect(process.errors.contains(reason), "\(program[0]): \(process.errors)")
        }
    }
}
