import Foundation
import TestSupport
import TintypeCore
import Testing

/// `tintype doctor` with real servers and files, whole and broken.
@Suite(.timeLimit(.minutes(3)), .serialized, .scoped) struct DoctorCommandTests {
    private struct Run {
        let status: Int32
        let output: String
        let errors: String

        /// The lines that begin with a verdict and a name.
        func lines(_ start: String) -> [String] { output.split(separator: "\n").map(String.init).filter { Run.words($0).hasPrefix(Run.words(start)) } }
        func has(_ start: String, _ text: String = "") -> Bool { lines(start).contains { text.isEmpty || $0.contains(text) } }

        /// A line without the spaces of its columns.
        static func words(_ line: String) -> String { line.split(separator: " ").joined(separator: " ") }
    }

    private func doctor(
        _ arguments: [String], environment: [String: String] = [:], program: String = ServiceProcess.path("tintype"), asNobody: Bool = false
    ) async throws -> Run {
        var words = [program, "doctor"] + arguments
        // Nothing is forbidden to root.
        if asNobody, geteuid() == 0 { words = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] + words }
        let child = try ChildProcess(words[0], Array(words.dropFirst()), environment: environment)
        return Run(status: await child.finished(), output: child.output, errors: child.errors)
    }

    private func write(_ text: String, _ path: String, mode: mode_t = 0o600) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, mode)
    }

    @Test func `a service that is well has no failed line, and its store is as it was`() async throws {
        let redis = try await RedisServer(appendOnly: true, options: ["--maxmemory", "200mb"])
        let folder = try TemporaryFolder("results")
        try write("sesame-sesame", folder.path + "/token")
        let place = folder.path + "/store"
        mkdir(place, 0o755)
        let arguments = ["--redis", redis.url, "--results", "file://\(place)?maxBytes=1MiB", "--token-file", folder.path + "/token"]
        let run = try await doctor(arguments)
        #expect(run.status == 0 && run.errors.isEmpty && !run.output.contains("\nfail"), "\(run)")
        for name in [
            "settings", "file --token-file", "redis", "redis latency", "redis version", "redis role", "redis eviction", "redis memory", "redis persistence",
            "redis scripts", "clock", "store results", "codecs read", "codecs written", "limit files",
        ] { #expect(run.has("ok \(name)") || run.has("warn \(name)"), "\(name): \(run.output)") }
        #expect(
            run.has("ok redis eviction", "noeviction") && run.has("ok codecs read", "jpeg") && run.has("ok redis scripts", "can be loaded"), "\(run.output)")
        #expect(TemporaryFolder.paths(below: place).allSatisfy { !$0.contains("doctor-") }, "the probe is gone")
        let json = try await doctor(arguments + ["--json"])
        let object = try JSON(parsing: Array(json.output.utf8))
        #expect(json.status == 0 && object["failed"] == false && (object["checks"]?.array?.count ?? 0) > 12, "\(json)")
        #expect(object["checks"]?.array?.allSatisfy { $0["verdict"] != nil && $0["name"] != nil && $0["found"] != nil } == true)
    }

    /// Everything below a folder, with owners, modes, sizes and times: a line for each name.
    private func tree(_ folder: String) throws -> [String] {
        try ([""] + FileManager.default.subpathsOfDirectory(atPath: folder).sorted()).map { name in
            var status = stat()
            guard lstat("\(folder)/\(name)", &status) == 0 else { throw TestFailure("\(name) cannot be seen") }
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            // A file that came and went changes the time of its folder.
            let time = isFolder ? "" : "\(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
            return "\(name) \(status.st_uid):\(status.st_gid) \(String(status.st_mode, radix: 8)) \(time)"
        }
    }

    @Test(arguments: ["empty", "unmade", "used", "trashless"]) func `a store has the same tree before and after`(kind: String) async throws {
        let redis = try await RedisServer(appendOnly: true, options: ["--maxmemory", "200mb"])
        let folder = try TemporaryFolder("tree")
        let place = folder.path + "/results"
        if kind != "unmade" { mkdir(place, 0o750) }
        if kind == "used" || kind == "trashless" {
            for name in ["tmp", "ab"] + (kind == "used" ? ["trash", "sources", "sources/tmp"] : []) { mkdir("\(place)/\(name)", 0o750) }
            for (name, age) in [("tmp/old", 7200), ("ab/abcdef", 9_000_000), ("tmp/new", 10)] {
                try write("some bytes", "\(place)/\(name)")
                let time = timeval(tv_sec: time(nil) - age, tv_usec: 0)
                _ = utimes("\(place)/\(name)", [time, time])
            }
        }
        let before = try tree(folder.path)
        // Limits by which a store would delete everything.
        let run = try await doctor(["--redis", redis.url, "--results", "file://\(place)?maxAge=1s&maxBytes=1MiB"])
        #expect(run.status == 0 && run.has("ok store results", kind == "unmade" ? "is made at the first start" : "written, read and removed"), "\(run)")
        #expect(run.has("ok store sources", kind == "used" ? "written, read and removed" : "is made at the first start"), "\(run.output)")
        #expect(try tree(folder.path) == before)
    }

    @Test(.enabled(if: geteuid() == 0, "only root may write in the folders of others"))
    func `root is told that a folder belongs to another user`() async throws {
        let redis = try await RedisServer(appendOnly: true, options: ["--maxmemory", "200mb"])
        let folder = try TemporaryFolder("foreign")
        let place = folder.path + "/results"
        mkdir(place, 0o755)
        chown(place, 65534, 65534)
        let arguments = ["--redis", redis.url, "--results", "file://\(place)"]
        let advice = "belongs to uid 65534, and this is uid 0  — run this as the user of the servers"
        let foreign = try await doctor(arguments)
        #expect(foreign.status == 0 && foreign.has("warn store results", "\(place) \(advice)"), "\(foreign)")
        #expect(foreign.has("warn store sources", "is made at the first start, but \(place) \(advice)"), "\(foreign.output)")
        // A folder that root has made inside shuts the servers out.
        mkdir(place + "/tmp", 0o750)
        chmod(folder.path, 0o755)
        chmod(redis.folder.path, 0o755)
        chmod(redis.socketPath, 0o777)
        let shut = try await doctor(arguments, asNobody: true)
        #expect(shut.status == 1 && shut.has("fail store results", "could not be written: Permission denied"), "\(shut)")
    }

    @Test func `files that a worker refuses are refused in its words, without their secrets`() async throws {
        let redis = try await RedisServer()
        let folder = try TemporaryFolder("downloads")
        let secret = "00112233445566778899aabbccddeeff"
        let files = [
            (
                "decryption-keys", "good: aes-256-gcm \(secret)\(secret) hosts=example.org\nbad: aes-256-gcm \(secret) hosts=example.org\n",
                ":2: expected a key of 64"
            ),
            ("source-buckets", "s3://photos \(secret)\n", ":1: expected an access key, a secret key"),
            ("tls-profiles", "corp: key=/dev/null\n", ":1: "),
        ]
        var arguments = ["--redis", redis.url, "--results", "file://\(folder.path)"]
        for (flag, text, _) in files {
            try write(text, "\(folder.path)/\(flag)")
            arguments += ["--\(flag)", "\(folder.path)/\(flag)"]
        }
        let wrong = try await doctor(arguments)
        #expect(wrong.status == 1 && !(wrong.output + wrong.errors).contains(secret), "\(wrong)")
        for (flag, _, words) in files {
            #expect(wrong.has("fail file --\(flag)", "\(folder.path)/\(flag)\(words)"), "\(flag): \(wrong.output)")
            // The worker itself says the same of its first mistake.
            let worker = try ChildProcess(ServiceProcess.path("tintype-worker"), ["--redis", redis.url, "--\(flag)", "\(folder.path)/\(flag)"])
            let status = await worker.finished()
            let line = Run.words(wrong.lines("fail file --\(flag)").last ?? "")
            let said = line.replacing("fail file --\(flag) ", with: "").split(separator: " — ").first ?? "?"
            #expect(status != 0 && Run.words(worker.errors).contains(said), "\(said) is not in \(worker.errors)")
        }
        try write("good: aes-256-gcm \(secret)\(secret) hosts=example.org\n", folder.path + "/decryption-keys")
        let right = try await doctor(["--redis", redis.url, "--results", "file://\(folder.path)", "--decryption-keys", folder.path + "/decryption-keys"])
        #expect(right.status == 0 && right.lines("ok file --decryption-keys").count == 2, "\(right.output)")
    }

    @Test func `durable work without its replicas has its line`() async throws {
        let redis = try await RedisServer()
        let folder = try TemporaryFolder("results")
        let arguments = ["--redis", redis.url, "--results", "file://\(folder.path)", "--durable-replicas", "1"]
        let alone = try await doctor(arguments + ["--durable", "detached,groups"])
        #expect(alone.has("warn redis role", "primary with 0 replicas, and --durable waits for 1"), "\(alone.output)")
        #expect(try await doctor(arguments).has("ok redis role"), "no request waits")
    }

    @Test func `each fault of a Redis has its line`() async throws {
        let redis = try await RedisServer()
        let folder = try TemporaryFolder("results")
        let store = ["--results", "file://\(folder.path)"]
        try await redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        let evicting = try await doctor(["--redis", redis.url] + store)
        #expect(evicting.status == 1 && evicting.has("fail redis eviction", "allkeys-lru  — a full Redis would delete queued work"), "\(evicting.output)")
        #expect(evicting.has("warn redis persistence", "no append-only file") && evicting.has("warn redis memory", "no maxmemory"), "\(evicting.output)")
        try await redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
        try await redis.command("HSET", "tintype:{default}:cfg", "v", "3")
        let foreign = try await doctor(["--redis", redis.url] + store)
        #expect(foreign.status == 1 && foreign.has("fail redis keys", "of schema 3"), "\(foreign.output)")
        let replica = try await redis.replica()
        let second = try await doctor(["--redis", replica.url] + store)
        #expect(second.status == 1 && second.has("fail redis role", "a replica of"), "\(second.output)")
        let port = try FreePort.find()
        for (url, environment) in [("redis://user:hunter2@127.0.0.1:\(port)", [:]), ("", ["TINTYPE_REDIS": "redis://:hunter2@127.0.0.1:\(port)/1"])] {
            let absent = try await doctor((url.isEmpty ? [] : ["--redis", url]) + store, environment: environment)
            #expect(absent.status == 1 && absent.has("fail redis ", "Redis is out of reach") && absent.has("ok store results"), "\(absent.output)")
            #expect(!absent.output.contains("hunter2") && absent.has("warn settings", "--redis") == !url.isEmpty, "\(absent.output)")
        }
        let alone = try await doctor(["--redis", "redis://127.0.0.1:\(port)"])
        #expect(
            alone.has("fail store results", "not tried: it is in the Redis that does not answer") && alone.has("fail store sources", "not tried"),
            "\(alone.output)")
        let locked = try await RedisServer(options: ["--requirepass", "sesame"], password: "sesame")
        try write("wrong-hunter2", folder.path + "/password")
        let refused = try await doctor(["--redis", locked.url, "--redis-password-file", folder.path + "/password"] + store)
        #expect(refused.status == 1 && refused.has("fail redis ", "WRONGPASS") && !refused.output.contains("hunter2"), "\(refused.output)")
        try write("sesame", folder.path + "/password")
        let admitted = try await doctor(["--redis", locked.url, "--redis-password-file", folder.path + "/password"] + store)
        #expect(admitted.status == 0 && !admitted.output.contains("sesame"), "\(admitted.output)")
    }

    @Test func `sentinels are counted, and one that is gone is missed`() async throws {
        let site = try await SentinelSite()
        let folder = try TemporaryFolder("results")
        let arguments = ["--redis", site.url, "--results", "file://\(folder.path)"]
        let whole = try await doctor(arguments)
        #expect(
            whole.status == 0 && whole.has("ok redis sentinels", "\(site.sentinels.count) of \(site.sentinels.count) sentinels answer, the primary is"),
            "\(whole.output)")
        await site.sentinels[0].kill9()
        let part = try await doctor(arguments)
        #expect(part.status == 0 && part.has("warn redis sentinels", "\(site.sentinels.count - 1) of \(site.sentinels.count)"), "\(part.output)")
    }

    @Test func `a cluster is asked for its slots`() async throws {
        let folder = try TemporaryFolder("results")
        let site = try await ClusterSite()
        let arguments = ["--redis", site.url, "--results", "file://\(folder.path)"]
        let whole = try await doctor(arguments)
        #expect(whole.status == 0 && whole.has("ok redis cluster", "state ok, 16384 of 16384 slots"), "\(whole.output)")
    }

    @Test func `files that others can read or replace, and certificates that end, have their lines`() async throws {
        let redis = try await RedisServer()
        let folder = try TemporaryFolder("files")
        try await TestAuthority.make(in: folder.path)
        try await TestAuthority.issue("old", names: "DNS:localhost", days: -1, in: folder.path)
        let token = folder.path + "/token"
        try write("sesame-sesame", token, mode: 0o644)
        chmod(folder.path + "/key.pem", 0o600)
        chmod(folder.path + "/old.key", 0o660)
        func run(_ more: [String]) async throws -> Run { try await doctor(["--redis", redis.url, "--results", "file://\(folder.path)/results"] + more) }
        let open = try await run(["--token-file", token, "--tls-cert", folder.path + "/cert.pem", "--tls-key", folder.path + "/key.pem"])
        #expect(
            open.status == 1 && open.has("fail file --token-file", "\(token) has the mode 0644: every user can read the secret  — chmod o="), "\(open.output)")
        #expect(
            open.has("ok file --tls-key", "0600") && open.has("warn certificate --tls-cert", "in 1 days") && !open.output.contains("sesame"), "\(open.output)")
        #expect(open.has("ok store results", "is made at the first start"), "\(open.output)")
        chmod(token, 0o600)
        let old = try await run(["--token-file", token, "--tls-cert", folder.path + "/old.pem", "--tls-key", folder.path + "/old.key"])
        #expect(old.status == 1 && old.has("ok file --token-file") && old.has("fail certificate --tls-cert", "expired on"), "\(old.output)")
        #expect(old.has("fail file --tls-key", "0660: others can replace"), "\(old.output)")
        let mixed = try await run(["--tls-cert", folder.path + "/cert.pem", "--tls-key", folder.path + "/old.key"])
        #expect(mixed.status == 1 && mixed.has("fail certificate --tls-cert", "no key of the certificate"), "\(mixed.output)")
    }

    @Test func `a folder that cannot be written has its line`() async throws {
        let redis = try await RedisServer()
        chmod(redis.folder.path, 0o755)
        chmod(redis.socketPath, 0o777)
        let folder = try TemporaryFolder("closed")
        let place = folder.path + "/results"
        mkdir(place, 0o555)
        chmod(place, 0o555)
        chmod(folder.path, 0o755)
        let arguments = ["--redis", redis.url, "--file-root", folder.path + "/nothing", "--places", "shop=file://\(place)"]
        let closed = try await doctor(arguments + ["--results", "file://\(place)"], asNobody: true)
        #expect(closed.status == 1 && closed.has("fail store results", "Permission denied"), "\(closed)")
        #expect(closed.has("fail place shop", "cannot be written: Permission denied"), "\(closed.output)")
        #expect(closed.has("fail folder --file-root", "cannot be read: No such file"), "\(closed.output)")
        let unmade = try await doctor(arguments + ["--results", "file://\(folder.path)/deep/er"], asNobody: true)
        #expect(unmade.has("fail store results", "cannot be made in \(folder.path): Permission denied"), "\(unmade.output)")
    }

    @Test func `settings that no server takes are all listed, and the other checks go on`() async throws {
        let redis = try await RedisServer()
        let folder = try TemporaryFolder("settings")
        try write("redis: \(redis.url)\nmaxQueued: none\nlogLvl: info\n", folder.path + "/config")
        let run = try await doctor(
            ["--config", folder.path + "/config", "--lease", "soon", "--listen", "0.0.0.0:7411", "--results", "file://\(folder.path)"],
            environment: ["TINTYPE_RSULTS": "x"])
        #expect(run.status == 1 && run.lines("fail settings").count == 5, "\(run.output)")
        for text in ["maxQueued", "unknown key logLvl; did you mean logLevel?", "--lease", "did you mean TINTYPE_RESULTS?", "is open to other machines"] {
            #expect(run.has("fail settings", text), "\(text): \(run.output)")
        }
        #expect(run.has("ok redis ") && run.has("ok store results"), "\(run.output)")
        let wrong = try await doctor(["--leese", "1"])
        #expect(wrong.status == 2 && wrong.output.isEmpty && wrong.errors.contains("did you mean --lease?"), "\(wrong)")
        let json = try await doctor(["--leese", "1", "--json"])
        #expect(json.status == 2 && json.output.contains(#""name":"usage""#), "\(json)")
    }

    @Test func `without the worker's program beside it, the codecs are unknown`() async throws {
        let redis = try await RedisServer()
        let folder = try TemporaryFolder("alone")
        let copy = try ChildProcess("install", ["-m", "755", ServiceProcess.path("tintype"), folder.path + "/tintype"])
        try #require(await copy.finished() == 0)
        let run = try await doctor(["--redis", redis.url], program: folder.path + "/tintype")
        #expect(run.status == 0 && run.has("warn codecs", "there is no ") && run.has("warn codecs", "/tintype-worker"), "\(run.output)")
        // The results are in the Redis of the queue.
        #expect(run.has("ok store results", "a probe was written, read and removed"), "\(run.output)")
        #expect(try await redis.command("DBSIZE") == "0", "nothing stays in Redis")
    }
}
