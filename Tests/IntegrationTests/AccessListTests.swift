import Foundation
import TestSupport
import Testing

/// The users of deploy/users.acl at a real Redis, with the passwords that deploy/secrets makes.
@Suite(.timeLimit(.minutes(1)), .serialized) struct AccessListTests {
    private static let deploy = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../deploy").standardized.path

    private func secrets(_ folder: TemporaryFolder, environment: [String: String] = [:]) async throws {
        let made = try ChildProcess("\(Self.deploy)/secrets", [folder.path], environment: environment)
        #expect(await made.finished() == 0, "\(made.errors)")
    }

    private func file(_ folder: TemporaryFolder, _ name: String) throws -> String {
        try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8).trimmingCharacters(in: .newlines)
    }

    @Test func `a worker and a coordinator do all they need, and neither empties nor configures Redis`() async throws {
        let folder = try TemporaryFolder("secrets")
        try await secrets(folder)
        let redis = try await RedisServer(options: ["--aclfile", folder.path + "/users.acl"])
        func access(_ role: String) -> String { "unix://\(redis.socketPath)?user=tintype-\(role)" }
        // Results and sources lie in Redis too: that is most of what a worker asks of it.
        let coordinator = try await ServiceProcess.coordinator(redis: access("coordinator"), ["--redis-password-file", folder.path + "/redis-coordinator"])
        let worker = try await ServiceProcess.worker(redis: access("worker"), ["--redis-password-file", folder.path + "/redis-worker"])
        let origin = try await ServiceProcess.origin()
        let client = try RPCClient(port: coordinator.rpcPort)
        for path in ["/picture.png", "/picture.png?size=300x200"] {
            let answer = try await client.call(
                "image.load", #"{"url":"\#(origin.base)\#(path)","transform":[{"op":"resize","width":32}],"fetch":{"cookies":"jar"},"progressive":{}}"#)
            #expect(answer.error == nil, "\(answer.object)")
        }
        let failed = try await client.call("image.load", #"{"url":"\#(origin.base)/status/404"}"#)
        #expect(failed.error != nil)
        let batch = try await client.call("batch.start", #"{"items":[{"url":"\#(origin.base)/picture.png"}]}"#)
        let group = try #require(batch.fields["group"] as? String)
        #expect(try await client.call("group.get", #"{"group":"\#(group)","wait":20}"#).fields["state"] as? String == "succeeded")
        #expect((try await client.call("workers.list").result as? [[String: Any]])?.count == 1)
        #expect(try await client.call("cache.stats").error == nil)
        #expect(try await client.call("cache.trim").error == nil)
        #expect(try await client.call("system.validate").fields["ok"] as? Bool == true)
        #expect(try await client.call("cache.clear").error == nil)
        for process in [coordinator.process, worker.process] { #expect(!process.errors.contains("NOPERM"), "\(process.errors)") }
        await worker.stop()
        await coordinator.stop()
        #expect(!worker.process.errors.contains("NOPERM") && !coordinator.process.errors.contains("NOPERM"))

        for role in ["coordinator", "worker"] {
            let password = try file(folder, "redis-\(role)")
            for command in [
                ["FLUSHALL"], ["FLUSHDB"], ["CONFIG", "SET", "maxmemory", "1"], ["CONFIG", "GET", "*"], ["SHUTDOWN"], ["KEYS", "*"], ["ACL", "LIST"],
                ["SCRIPT", "FLUSH"], ["SET", "other", "1"], ["GET", "other"], ["PUBLISH", "other", "1"], ["EVAL", "return redis.call('SET','other','1')", "0"],
                ["CLIENT", "KILL", "TYPE", "normal"], ["FUNCTION", "FLUSH"], ["MONITOR"], ["REPLICAOF", "127.0.0.1", "1"], ["MODULE", "LIST"],
            ] {
                let cli = try ChildProcess(
                    "redis-cli", ["-s", redis.socketPath, "--user", "tintype-\(role)"] + command, environment: ["REDISCLI_AUTH": password])
                _ = await cli.finished()
                let answer = cli.output + cli.errors
                #expect(
                    answer.contains("NOPERM") || answer.contains("can't access") || answer.contains("No permissions"),
                    "\(role) \(command): \(cli.output)\(cli.errors)")
            }
        }
        // A stranger may ask whether Redis is there, and no more.
        #expect(try await redis.command("PING") == "PONG")
        #expect(try await redis.command("GET", "tintype:{default}:cfg").contains("NOPERM"))
        await origin.kill9()
        await redis.kill9()
    }

    @Test func `secrets are made once, are nobody else's to read, and may be given`() async throws {
        let folder = try TemporaryFolder("secrets")
        try await secrets(folder)
        let (token, password) = (try file(folder, "token"), try file(folder, "redis-worker"))
        #expect(token.count == 64 && password.count == 64 && token != password)
        for name in ["token", "redis-worker", "redis-coordinator"] {
            #expect(try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(name)")[.posixPermissions] as? Int == 0o600)
        }
        try await secrets(folder, environment: ["REDIS_WORKER_PASSWORD": "one of mine"])
        #expect(try file(folder, "token") == token && file(folder, "redis-worker") == "one of mine")
        #expect(try !file(folder, "users.acl").contains("one of mine") && !file(folder, "users.acl").contains("DIGEST"))
    }

    @Test func `a container's coordinator makes a token, asks for it beyond loopback, and does not start open by itself`() async throws {
        let (folder, redis) = (try TemporaryFolder("secrets"), try await RedisServer())
        let path = ServiceProcess.productsFolder + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        let words = ["tintype-coordinator", "--redis", redis.url, "--listen", "0.0.0.0:0", "--http", "127.0.0.1:0"]
        let started = try ChildProcess("\(Self.deploy)/start", words, environment: ["TINTYPE_SECRETS": folder.path, "PATH": path])
        let ready = try await started.line(beginning: "ready ")
        let port = try #require(ready.components(separatedBy: "rpc=0.0.0.0:").last?.split(separator: " ").first.flatMap { UInt16($0) })
        let client = try RPCClient(port: port)
        #expect(try await client.call("system.ping").errorName == "unauthenticated")
        #expect(try await client.call("session.authenticate", #"{"token":"\#(file(folder, "token"))"}"#).error == nil)
        #expect(try await client.call("system.ping").result as? String == "pong")
        started.signal(SIGTERM)
        await started.exit()

        let bare = try ChildProcess(ServiceProcess.path("tintype-coordinator"), Array(words.dropFirst()))
        #expect(await bare.finished() == 2)
        #expect(bare.errors.contains("--token-file") && bare.errors.contains("--open"), "\(bare.errors)")
        let open = try await ServiceProcess("tintype-coordinator", Array(words.dropFirst()) + ["--open"])
        await open.stop()
        await redis.kill9()
    }
}
