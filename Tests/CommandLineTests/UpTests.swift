import Foundation
import TintypeTransport
import TestSupport
import Testing

@testable import TintypeUp

/// `tintype up` with a real private Redis. The two servers are stand-ins that print `ready` and record what happens to them, so that every order of
/// events is visible.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct UpTests {
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder("up")
        try await install(ServiceProcess.path("tintype"), as: "tintype")
        for name in ["tintype-coordinator", "tintype-worker"] {
            let script = """
                #!/usr/bin/env python3
                import os, signal, sys, time
                def say(what):
                    with open("\(folder.path)/story", "a") as f: f.write(f"\(name) {os.getpid()} {what}\\n")
                told = 0
                def end(*_):
                    # A worker that is asked so often before it stops.
                    global told
                    told += 1
                    if "\(name)" == "tintype-worker" and told < int(os.environ.get("ASKS", "1")): return say("told")
                    say("stopped"); sys.exit(0)
                signal.signal(signal.SIGTERM, end)
                if "\(name)" == os.environ.get("FAIL"): print("no luck", file=sys.stderr); sys.exit(3)
                say("started listen=" + os.environ.get("TINTYPE_LISTEN", "") + " redis=" + os.environ["TINTYPE_REDIS"] + " results=" + os.environ["TINTYPE_RESULTS"])
                print(f"ready rpc=127.0.0.1:4321 http=127.0.0.1:4322 worker=w pid={os.getpid()}", flush=True)
                while True: time.sleep(0.1)
                """
            try script.write(toFile: folder.path + "/script", atomically: true, encoding: .utf8)
            try await install(folder.path + "/script", as: name)
        }
    }

    /// Another process writes the executables, because a child of another test would inherit the open file. The kernel does not run a file
    /// that is open for writing ("text file busy").
    private func install(_ source: String, as name: String) async throws {
        let copy = try ChildProcess("install", ["-m", "755", source, folder.path + "/" + name])
        guard await copy.finished() == 0 else { throw TestFailure("install: \(copy.errors)") }
    }

    private func up(_ arguments: [String] = [], _ environment: [String: String] = [:]) throws -> ChildProcess {
        let own = ["--data", folder.path + "/data", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"]
        return try ChildProcess(folder.path + "/tintype", ["up"] + own + arguments, environment: environment)
    }

    @Loop private func listener() throws -> Listener {
        try Listener(.tcp(host: "127.0.0.1", port: 0)) { $0.close() }
    }

    private var story: [[String]] {
        let text = (try? String(contentsOfFile: folder.path + "/story", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    }

    private func isAlive(_ identifier: Int32) -> Bool {
        guard let text = try? String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8) else { return false }
        return !text.contains(") Z ")
    }

    /// Returns the processes whose command line names this test's folder.
    private func left() throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(Int32.init).filter { identifier in
            guard identifier != getpid(), isAlive(identifier) else { return false }
            return ((try? commandLine(identifier)) ?? "").contains(name(of: folder.path))
        }
    }

    private func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }

    private func until(_ what: String, _ test: () throws -> Bool) async throws {
        let limit = ContinuousClock.now + .seconds(20)
        while try !test() {
            guard ContinuousClock.now < limit else { throw TestFailure("never happened: \(what); \(story)") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test(arguments: [SIGTERM, SIGHUP])
    func `it prints the coordinator's ready line when all are ready, and stops workers before the coordinator`(signal: Int32) async throws {
        let up = try up(["--workers", "3"])
        let line = try await up.line(beginning: "ready ")
        #expect(line.contains("rpc=127.0.0.1:4321 http=127.0.0.1:4322"))
        #expect(story.filter { $0[2] == "started" }.count == 4)
        #expect(story.allSatisfy { $0.contains("redis=unix://\(folder.path)/data/redis/redis.sock") })
        let ping = try ChildProcess("redis-cli", ["-s", folder.path + "/data/redis/redis.sock", "config", "get", "appendonly"])
        #expect(await ping.finished() == 0)
        #expect(ping.output.contains("yes"))
        up.signal(signal)
        #expect(await up.finished() == 0)
        let stopped = story.filter { $0[2] == "stopped" }.map { $0[0] }
        #expect(stopped == ["tintype-worker", "tintype-worker", "tintype-worker", "tintype-coordinator"])
        #expect(try left().isEmpty)
    }

    @Test func `up keeps running under nohup when its terminal closes`() async throws {
        let own = ["--data", folder.path + "/data", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--workers", "1"]
        let up = try ChildProcess("nohup", [folder.path + "/tintype", "up"] + own)
        _ = try await up.line(beginning: "ready ")
        // Signals arrive in the order of their numbers. If it had received SIGHUP, it would have logged that.
        up.signal(SIGHUP)
        up.signal(SIGTERM)
        #expect(await up.finished() == 0)
        #expect(up.errors.contains("signal=15") && !up.errors.contains("signal=1\n") && !up.errors.contains("signal=1 "), "\(up.errors)")
        #expect(try left().isEmpty)
    }

    @Test func `a second signal hurries only the workers`() async throws {
        let up = try up(["--workers", "1"], ["ASKS": "2"])
        _ = try await up.line(beginning: "ready ")
        up.signal(SIGINT)
        try await until("the worker was told") { story.last?[2] == "told" }
        up.signal(SIGINT)
        #expect(await up.finished() == 0)
        #expect(story.dropFirst(2).map { "\($0[0]) \($0[2])" } == ["tintype-worker told", "tintype-worker stopped", "tintype-coordinator stopped"])
        #expect(!up.errors.contains("a process died"), "\(up.errors)")
        #expect(try left().isEmpty)
    }

    @Test func `a third signal kills all processes at once`() async throws {
        let up = try up(["--workers", "1"], ["ASKS": "100"])
        _ = try await up.line(beginning: "ready ")
        for count in 1...2 {
            up.signal(SIGINT)
            try await until("the worker was told \(count) times") { story.count { $0[2] == "told" } == count }
        }
        up.signal(SIGINT)
        #expect(await up.finished() == 0)
        #expect(story.count == 4, "\(story)")
        #expect(!up.errors.contains("a process died"), "\(up.errors)")
        #expect(try left().isEmpty)
    }

    @Test func `a server that dies is restarted, and the coordinator keeps its ports`() async throws {
        let up = try up(["--workers", "1"])
        _ = try await up.line(beginning: "ready ")
        for name in ["tintype-worker", "tintype-coordinator"] {
            let first = try #require(story.first { $0[0] == name }.flatMap { Int32($0[1]) })
            kill(first, SIGKILL)
            try await until("\(name) starts again") { story.filter { $0[0] == name && $0[2] == "started" }.count == 2 }
        }
        #expect(story.last { $0[0] == "tintype-coordinator" }?.contains("listen=127.0.0.1:4321") == true)
        #expect(up.errors.contains("a process died; restarting it"))
        up.signal(SIGINT)
        #expect(await up.finished() == 0)
        #expect(try left().isEmpty)
    }

    @Test func `the private Redis is restarted with its data when it dies`() async throws {
        let up = try up(["--workers", "1"])
        _ = try await up.line(beginning: "ready ")
        let socket = folder.path + "/data/redis/redis.sock"
        func redis(_ words: String...) async throws -> String {
            let child = try ChildProcess("redis-cli", ["-s", socket] + words)
            _ = await child.finished()
            return child.output
        }
        #expect(try await redis("set", "k", "v").contains("OK"))
        _ = try await redis("config", "set", "appendfsync", "always")
        _ = try await redis("set", "k", "kept")
        let identifier = try #require(
            try await redis("info", "server").split(whereSeparator: \.isNewline).first { $0.hasPrefix("process_id:") }
                .flatMap { Int32($0.dropFirst("process_id:".count).filter(\.isNumber)) })
        kill(identifier, SIGKILL)
        let limit = ContinuousClock.now + .seconds(20)
        while try await !redis("get", "k").contains("kept"), ContinuousClock.now < limit {}
        #expect(try await redis("get", "k").contains("kept"))
        up.signal(SIGTERM)
        #expect(await up.finished() == 0)
        #expect(try left().isEmpty)
    }

    @Test func `up shows four lines when a person starts it at a terminal`() async throws {
        let words = "stty -onlcr; exec \(folder.path)/tintype up --data \(folder.path)/data --listen 127.0.0.1:0 --http 127.0.0.1:0 --workers 1"
        let terminal = try ChildProcess("script", ["-qefc", words, "/dev/null"])
        _ = try await terminal.line(beginning: "  Stop: Ctrl-C")
        let shown = terminal.output.split(whereSeparator: \.isNewline).map(String.init)
        #expect(shown.count == 4, "\(shown)")
        #expect(shown.first?.hasPrefix("Tintype is up: a coordinator and one worker, data in \(folder.path)/data") == true)
        #expect(shown.dropFirst().first?.contains("JSON-RPC at 127.0.0.1:4321, pictures and health at http://127.0.0.1:4322") == true)
        #expect(shown.contains { $0.contains("tintype load --coordinator 127.0.0.1:4321 https://") })
        for identifier in try left() where (try? commandLine(identifier))?.hasPrefix("\(folder.path)/tintype\0up") == true { kill(identifier, SIGTERM) }
        #expect(await terminal.finished() == 0)
        #expect(try left().isEmpty)
    }

    @Test func `up shows the last lines of Redis at every log level when Redis does not start`() async throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/data/redis/appendonlydir", withIntermediateDirectories: true)
        try "no manifest".write(toFile: folder.path + "/data/redis/appendonlydir/appendonly.aof.manifest", atomically: true, encoding: .utf8)
        let up = try up(["--log-level", "error"])
        #expect(await up.finished() == 1)
        #expect(up.errors.contains("manifest") && up.errors.contains("its output is above"), "\(up.errors)")
        #expect(try left().isEmpty)
    }

    private func commandLine(_ identifier: Int32) throws -> String {
        try String(contentsOfFile: "/proc/\(identifier)/cmdline", encoding: .utf8)
    }

    @Test func `no process is left when up is killed by SIGKILL`() async throws {
        let up = try up()
        _ = try await up.line(beginning: "ready ")
        let running = try left()
        #expect(running.count == 5, "\(running.map { try? String(contentsOfFile: "/proc/\($0)/cmdline", encoding: .utf8) })")
        up.signal(SIGKILL)
        await up.exit()
        try await until("everything is gone") { try left().isEmpty }
    }

    @Test(arguments: ["tintype-coordinator", "tintype-worker"])
    func `up ends with the reason and leaves no process when a server does not start`(name: String) async throws {
        let up = try up([], ["FAIL": name])
        #expect(await up.finished() == 1)
        #expect(up.errors.contains("no luck"))
        #expect(up.errors.contains("ended with exit status 3 before it was ready"))
        #expect(try left().isEmpty)
    }

    @Test func `a taken port, a missing Redis, a folder in use and a wrong flag are reported`() async throws {
        let first = try up()
        _ = try await first.line(beginning: "ready ")
        let second = try up()
        #expect(await second.finished() == 1)
        #expect(second.errors.contains("another tintype up uses \(folder.path)/data"))
        first.signal(SIGTERM)
        #expect(await first.finished() == 0)

        let taken = try await listener()
        let port = try #require(await taken.address.description.split(separator: ":").last)
        let third = try ChildProcess(
            folder.path + "/tintype", ["up", "--data", folder.path + "/data", "--listen", "127.0.0.1:\(port)", "--http", "127.0.0.1:0"])
        #expect(await third.finished() == 1)
        #expect(third.errors.contains("127.0.0.1:\(port)"))
        #expect(third.errors.contains("choose another address with --listen"))

        await taken.close()
        let fourth = try up([], ["PATH": folder.path])
        #expect(await fourth.finished() == 1)
        #expect(fourth.errors.contains("redis-server is not installed"))
        let fifth = try up(["--workrs", "1"])
        #expect(await fifth.finished() == 2)
        let sixth = try ChildProcess(folder.path + "/tintype", ["up", "--data", ""])
        #expect(await sixth.finished() != 0 && sixth.errors.contains("--data"), "\(sixth.errors)")
        #expect(try left().isEmpty)
    }

    @Test(arguments: [(10 << 30, 512 << 20), (1 << 30, (1 << 30) / 20), (64 << 20, (64 << 20) / 20), (0, 0)])
    func `results leave 5 percent of the disk free, and at most half a gigabyte`(whole: Int, spared: Int) {
        #expect(UpFolder.spared(of: whole) == spared)
    }

    @Test func `results leave disk space for Redis unless another store is named`() async throws {
        for (arguments, results) in [
            ([], "results=file://\(folder.path)/data/results?minFree="), (["--results", "file:///tmp/elsewhere"], "results=file:///tmp/elsewhere"),
        ] {
            let up = try up(arguments)
            _ = try await up.line(beginning: "ready ")
            let told = story.compactMap { $0.first { $0.hasPrefix("results=") } }
            #expect(told.count == 3 && told.allSatisfy { $0.hasPrefix(results) && (arguments.isEmpty || $0 == results) }, "\(told)")
            up.signal(SIGTERM)
            #expect(await up.finished() == 0)
            try FileManager.default.removeItem(atPath: folder.path + "/story")
        }
    }

    @Test func `a named Redis is used, and its URL is on no command line`() async throws {
        let redis = try await RedisServer()
        let up = try up(["--workers", "1"], ["TINTYPE_REDIS": redis.url])
        _ = try await up.line(beginning: "ready ")
        #expect(story.count == 2 && story.allSatisfy { $0.contains("redis=\(redis.url)") })
        let commands = try left().map { try String(contentsOfFile: "/proc/\($0)/cmdline", encoding: .utf8) }
        #expect(commands.count == 3 && commands.allSatisfy { !$0.contains(redis.url) })
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/data/redis/redis.sock"))
        up.signal(SIGTERM)
        #expect(await up.finished() == 0)
    }
}
