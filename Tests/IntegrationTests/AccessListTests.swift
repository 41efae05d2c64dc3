import Foundation
import TintypeCore
import TintypeSettings
import TestSupport
import Testing

/// The users of deploy/users.acl at a real Redis, with the passwords that deploy/secrets makes.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct AccessListTests {
    private static let deploy = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../deploy").standardized.path

    private func secrets(_ folder: TemporaryFolder, environment: [String: String] = [:]) async throws {
        let made = try ChildProcess("\(Self.deploy)/secrets", [folder.path], environment: environment)
        #expect(await made.finished() == 0, "\(made.errors)")
    }

    /// PATH with the programs of this build before all others.
    private static var searchPath: String { ServiceProcess.productsFolder + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "") }

    private func file(_ folder: TemporaryFolder, _ name: String) throws -> String {
        try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8).trimmingCharacters(in: .newlines)
    }

    @Test func `workers and coordinators can do all they need, and cannot empty or configure Redis`() async throws {
        let folder = try TemporaryFolder("secrets")
        try await secrets(folder)
        let redis = try await RedisServer(options: ["--aclfile", folder.path + "/users.acl"], isCluster: false)
        func access(_ role: String) -> String { "unix://\(redis.socketPath)?user=tintype-\(role)" }
        // Results and sources are in Redis too: they need most of a worker's commands.
        let coordinator = try await ServiceProcess.coordinator(redis: access("coordinator"), ["--redis-password-file", folder.path + "/redis-coordinator"])
        let worker = try await ServiceProcess.worker(redis: access("worker"), ["--redis-password-file", folder.path + "/redis-worker"])
        let origin = try await ServiceProcess.origin()
        let client = try RPCClient(port: coordinator.rpcPort)
        for path in ["/picture.png", "/picture.png?size=300x200"] {
            let answer = try await client.call(
                "image.load", #"{"url":"\#(origin.base)\#(path)","transform":[{"op":"resize","width":32}],"fetch":{"cookies":"jar"},"progressive":{}}"#)
            #expect(answer.error == nil, "\(answer)")
        }
        // A cookie jar is written, then read.
        for path in ["/cookie?set=id%3Dx", "/cookie?set=id%3Dy"] {
            let answer = try await client.call("image.load", #"{"url":"\#(origin.base)\#(path)","as":"bytes","fetch":{"cookies":"jar"}}"#)
            #expect(answer.error == nil, "\(answer)")
        }
        let failed = try await client.call("image.load", #"{"url":"\#(origin.base)/status/404"}"#)
        #expect(failed.error != nil)
        let submitted = try await client.call("image.submit", #"{"url":"\#(origin.base)/picture.png?durable","durable":true}"#)
        #expect(submitted.result?["durable"] == false, "no replica: \(submitted)")
        let batch = try await client.call("batch.start", #"{"items":[{"url":"\#(origin.base)/picture.png"}]}"#)
        let group = try #require(batch.group)
        #expect(try await client.call("group.get", #"{"group":"\#(group)","wait":20}"#).state == "succeeded")
        #expect(try await client.call("workers.list").result?.array?.count == 1)
        #expect(try await client.call("cache.stats").error == nil)
        #expect(try await client.call("cache.trim").error == nil)
        #expect(try await client.call("system.validate")["ok"]?.bool == true)
        #expect(try await client.call("cache.clear").error == nil)
        for process in [coordinator.process, worker.process] { #expect(!process.errors.contains("NOPERM"), "\(process.errors)") }
        #expect(!worker.process.errors.contains("cookie jar"), "\(worker.process.errors)")
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
        // Without a password nothing is answered, and nobody is the default user.
        for command in [["PING"], ["GET", "tintype:{default}:cfg"], ["AUTH", "default", ""]] {
            let answer = try await redis.command(command)
            #expect(answer.contains("NOAUTH") || answer.contains("WRONGPASS"), "\(command): \(answer)")
        }
    }

    /// Redis reads its append-only file as the default user, and checks the rights of that user for each transaction (redis/redis#14541).
    @Test func `a Redis with these users comes back with its queue`() async throws {
        let folder = try TemporaryFolder("secrets")
        try await secrets(folder)
        let redis = try await RedisServer(appendOnly: true, options: ["--aclfile", folder.path + "/users.acl"], isCluster: false)
        func coordinator() async throws -> ServiceProcess {
            try await ServiceProcess.coordinator(
                redis: "unix://\(redis.socketPath)?user=tintype-coordinator", ["--redis-password-file", folder.path + "/redis-coordinator"])
        }
        let first = try await coordinator()
        let client = try RPCClient(port: first.rpcPort)
        let submitted = try await client.call("image.submit", #"{"url":"http://192.0.2.1/a.png","receipt":"kept","detached":true,"deadline":600}"#)
        #expect(submitted.error == nil, "\(submitted)")
        // A coordinator that lived on would submit the request again.
        await first.stop()
        await redis.kill9()
        try await redis.restart()
        let second = try await coordinator()
        try await Gate.until("the coordinator is ready") { try await HTTP.get(second.base + "/readyz").status == 200 }
        let found = try await RPCClient(port: second.rpcPort).call("receipt.get", #"{"receipt":"kept"}"#)
        #expect(found.state == "queued", "\(found)")
    }

    @Test func `secrets are made once or given, and only their owner can read them`() async throws {
        let folder = try TemporaryFolder("secrets")
        try await secrets(folder)
        let (token, password) = (try file(folder, "token"), try file(folder, "redis-worker"))
        #expect(token.count == 64 && password.count == 64 && token != password)
        for name in ["token", "redis-worker", "redis-coordinator"] {
            #expect(try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(name)")[.posixPermissions] as? Int == 0o600)
        }
        try await secrets(folder, environment: ["REDIS_WORKER_PASSWORD": "one of mine"])
        #expect(try file(folder, "token") == token && file(folder, "redis-worker") == "one of mine")
        for name in ["users.acl", "replica.conf", "sentinel.conf"] {
            let text = try file(folder, name)
            #expect(!text.contains("one of mine") && !text.contains("_DIGEST") && !text.contains("_PASSWORD"), "\(name)")
        }
    }

    @Test func `workers and Redis get folders with only the secrets that they need`() async throws {
        let (folder, worker, redis) = (try TemporaryFolder("secrets"), try TemporaryFolder("secrets"), try TemporaryFolder("secrets"))
        let sentinel = try TemporaryFolder("secrets")
        let environment = [
            "TINTYPE_SECRETS": folder.path, "TINTYPE_WORKER_SECRETS": worker.path, "TINTYPE_REDIS_SECRETS": redis.path,
            "TINTYPE_SENTINEL_SECRETS": sentinel.path,
            "TINTYPE_REDIS_PASSWORD_FILE": folder.path + "/redis-coordinator", "REDIS_WORKER_PASSWORD": "one of mine", "PATH": Self.searchPath,
        ]
        // Twice: the second start finds the files of the first.
        for _ in 0..<2 {
            let started = try ChildProcess("\(Self.deploy)/start", ["tintype-coordinator", "--help"], environment: environment)
            #expect(await started.finished() == 0, "\(started.errors)")
        }
        func names(_ folder: TemporaryFolder) throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
        #expect(try names(worker) == ["redis-worker", "sentinel"] && names(redis) == ["replica.conf", "users.acl"] && names(sentinel) == ["sentinel.conf"])
        #expect(try file(worker, "redis-worker") == "one of mine" && file(redis, "users.acl") == file(folder, "users.acl"))
        func mode(_ path: String) throws -> Int? { try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int }
        #expect(try mode(worker.path + "/redis-worker") == 0o600 && mode(redis.path + "/users.acl") == 0o644)
    }

    /// The blocks of docker-compose.yml: name → its lines without their indentation. A service's name begins with two spaces, that of a shared part with none.
    private func blocks() throws -> [String: [String]] {
        let text = try String(contentsOfFile: "\(Self.deploy)/../docker-compose.yml", encoding: .utf8)
        var (blocks, top, name) = ([String: [String]](), "", "")
        for line in text.split(separator: "\n").map(String.init) where !line.trimmingCharacters(in: .whitespaces).hasPrefix("#") {
            if !line.hasPrefix(" ") {
                top = String(line.prefix { $0 != ":" })
                name = top
            } else if ["services", "volumes"].contains(top), !line.hasPrefix("   ") {
                name = "\(top):" + line.dropFirst(2).prefix { $0 != ":" }
            } else {
                blocks[name, default: []].append(line.trimmingCharacters(in: .whitespaces))
            }
        }
        return blocks
    }

    /// The services of docker-compose.yml: name → its lines.
    private func services() throws -> [String: [String]] {
        let found = try blocks().filter { $0.key.hasPrefix("services:") }
        return Dictionary(uniqueKeysWithValues: found.map { (String($0.key.dropFirst("services:".count)), $0.value) })
    }

    /// The parts that services share, such as `x-worker`: name → its lines.
    private func extensions() throws -> [String: [String]] { try blocks().filter { $0.key.hasPrefix("x-") } }

    @Test func `no container but the coordinators' mounts their secrets`() throws {
        let services = try services()
        #expect(
            services.keys.sorted() == [
                "alertmanager", "coordinator", "coordinator-1", "coordinator-2", "ha-worker", "prometheus", "proxy", "redis", "redis-1", "redis-2", "redis-3",
                "sentinel-1", "sentinel-2", "sentinel-3", "worker",
            ])
        /// Returns the mounts of a service: volume or folder → path, with `:ro` if it is read-only.
        func mounts(_ service: String) -> [String: String] {
            let lines = services[service]?.drop { $0 != "volumes:" }.dropFirst().prefix { $0.hasPrefix("- ") } ?? []
            let pairs = lines.map { $0.dropFirst(2).split(separator: ":", maxSplits: 1).map(String.init) }
            return Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) })
        }
        let coordinators = services.keys.filter { $0.hasPrefix("coordinator") }
        for name in coordinators { #expect(mounts(name)["secrets"] == "/var/lib/tintype/secrets", "\(name)") }
        for name in services.keys where !coordinators.contains(name) {
            #expect(mounts(name)["secrets"] == nil && !mounts(name).keys.contains { $0.contains("/secrets") }, "\(name)")
        }
        for name in ["worker", "ha-worker"] {
            #expect(mounts(name) == ["results": "/var/lib/tintype/results", "worker-secrets": "/var/lib/tintype/secrets:ro"], "\(name)")
            // The worker does not get its secrets, or the coordinator's password, from its environment either.
            #expect(services[name]?.contains { $0.hasPrefix("REDIS_") || $0.contains("*coordinator-settings") } == false, "\(name)")
        }
        for name in services.keys where name.hasPrefix("redis") {
            #expect(mounts(name)["redis-secrets"] == "/secrets:ro" && mounts(name)["worker-secrets"] == nil, "\(name)")
        }
        for number in 1...3 {
            #expect(mounts("sentinel-\(number)") == ["sentinel-\(number)": "/data", "sentinel-secrets": "/secrets:ro"])
        }
        // The coordinators fill the folders that the others read.
        let settings = try extensions()["x-coordinator-settings"] ?? []
        for name in coordinators {
            #expect(services[name]?.contains("<<: *coordinator-settings") == true, "\(name)")
            #expect(settings.contains("TINTYPE_WORKER_SECRETS: \(mounts(name)["worker-secrets"] ?? "")"), "\(name)")
            #expect(settings.contains("TINTYPE_REDIS_SECRETS: \(mounts(name)["redis-secrets"] ?? "")"), "\(name)")
        }
        for name in ["coordinator-1", "coordinator-2"] {
            #expect(services[name]?.contains("TINTYPE_SENTINEL_SECRETS: \(mounts(name)["sentinel-secrets"] ?? "")") == true, "\(name)")
        }
        let workers = try extensions()["x-worker-settings"] ?? []
        #expect(workers.contains("TINTYPE_REDIS_PASSWORD_FILE: /var/lib/tintype/secrets/redis-worker"))
        #expect(!workers.contains { $0.hasPrefix("REDIS_") })
    }

    @Test func `each service has one profile, and either form is whole without the other`() throws {
        let services = try services(), extensions = try extensions()
        /// Returns the lines of a service after those of the parts that it takes over.
        func lines(_ name: String) -> [String] {
            var (found, parts) = ([String](), services[name] ?? [])
            while let line = parts.first {
                parts.removeFirst()
                found.append(line)
                if line.hasPrefix("<<: *"), let more = extensions["x-" + line.dropFirst(5)] { parts += more }
            }
            return found
        }
        var forms: [String: Set<String>] = [:]
        for name in services.keys {
            let profiles = lines(name).filter { $0.hasPrefix("profiles: ") }
            #expect(profiles.count == 1, "\(name): \(profiles)")
            forms[profiles.first ?? "", default: []].insert(name)
        }
        #expect(forms.keys.sorted() == ["profiles: [ha]", "profiles: [observability]", "profiles: [single]"])
        #expect(forms["profiles: [single]"] == ["coordinator", "redis", "worker"])
        #expect(forms["profiles: [observability]"] == ["alertmanager", "prometheus"])
        for (form, names) in forms {
            // One service builds the image, one has the ports of the host, and all depend on services of their own form.
            #expect(names.filter { services[$0]?.contains { $0.hasPrefix("build: ") } == true }.count == 1)
            if form != "profiles: [observability]" { #expect(names.filter { services[$0]?.contains("ports:") == true }.count == 1) }
            for name in names {
                let needed = lines(name).drop { $0 != "depends_on:" }.dropFirst().prefix { $0.hasPrefix("- ") }.map { String($0.dropFirst(2)) }
                #expect(names.isSuperset(of: needed), "\(name): \(needed)")
            }
        }
        // Without a profile of the command line, `.env` chooses.
        let environment = try String(contentsOfFile: "\(Self.deploy)/../.env", encoding: .utf8)
        #expect(environment.split(separator: "\n").contains("COMPOSE_PROFILES=single"))
    }

    @Test func `detached work waits for all replicas of the profile ha, unless the operator says otherwise`() throws {
        let services = try services()
        let replicas = services.keys.count { $0.hasPrefix("redis-") } - 1
        for name in ["coordinator-1", "coordinator-2"] {
            let lines = services[name] ?? []
            // An empty value is one: it waits for nothing.
            #expect(lines.contains("TINTYPE_DURABLE: ${TINTYPE_DURABLE-\(DurableWork.names.joined(separator: ","))}"), "\(name)")
            #expect(lines.contains("TINTYPE_DURABLE_REPLICAS: ${TINTYPE_DURABLE_REPLICAS:-\(replicas)}"), "\(name)")
        }
        #expect(try blocks().allSatisfy { !$0.key.hasPrefix("x-") || !$0.value.contains { $0.hasPrefix("TINTYPE_DURABLE") } }, "one Redis has no replicas")
    }

    @Test func `a container's coordinator makes a token, requires it beyond loopback, and never starts open by itself`() async throws {
        let (folder, redis) = (try TemporaryFolder("secrets"), try await RedisServer())
        let words = ["tintype-coordinator", "--redis", redis.url, "--listen", "0.0.0.0:0", "--http", "127.0.0.1:0"]
        let started = try ChildProcess("\(Self.deploy)/start", words, environment: ["TINTYPE_SECRETS": folder.path, "PATH": Self.searchPath])
        let ready = try await started.line(beginning: "ready ")
        let port = try #require(ready.components(separatedBy: "rpc=0.0.0.0:").last?.split(separator: " ").first.flatMap { UInt16($0) })
        let client = try RPCClient(port: port)
        #expect(try await client.call("system.ping").error?.name == "unauthenticated")
        #expect(try await client.call("session.authenticate", #"{"token":"\#(file(folder, "token"))"}"#).error == nil)
        #expect(try await client.call("system.ping").result?.string == "pong")
        started.signal(SIGTERM)
        await started.exit()

        let bare = try ChildProcess(ServiceProcess.path("tintype-coordinator"), Array(words.dropFirst()))
        #expect(await bare.finished() == 2)
        #expect(bare.errors.contains("--token-file") && bare.errors.contains("--open"), "\(bare.errors)")
        _ = try await ServiceProcess("tintype-coordinator", Array(words.dropFirst()) + ["--open"])
    }
}
