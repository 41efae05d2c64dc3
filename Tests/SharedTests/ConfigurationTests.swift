import Foundation
import TintypeContracts
import TintypeCore
import TintypeQueue
import TintypeStores
import TintypeSettings
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ConfigurationTests {
    private func read<Root: SettingsGroup>(
        _ type: Root.Type, _ arguments: [String], _ environment: [String: String] = [:], file: String? = nil
    ) -> SettingsOutcome<Root> {
        SettingsReader<Root>.read(arguments: arguments, environment: environment) { path throws(SettingError) in
            guard let file, path == "a.conf" else { throw SettingError("cannot read \(path)") }
            return file
        }
    }

    private func worker(_ arguments: [String], _ environment: [String: String] = [:], file: String? = nil) throws -> WorkerSettings {
        guard case .run(let settings) = read(WorkerConfiguration.self, arguments, environment, file: file) else {
            throw TestError("refused: \(read(WorkerConfiguration.self, arguments, environment, file: file))")
        }
        return settings.core
    }

    private func refusal(_ arguments: [String], _ environment: [String: String] = [:], file: String? = nil) throws -> String {
        guard case .refuse(let text) = read(WorkerConfiguration.self, arguments, environment, file: file) else {
            throw TestError("not refused")
        }
        return text
    }

    private func answer<Root: SettingsGroup>(_ type: Root.Type, _ arguments: [String], _ environment: [String: String] = [:], file: String? = nil)
        throws -> String
    {
        guard case .answer(let text) = read(type, arguments, environment, file: file) else { throw TestError("no answer") }
        return text
    }

    private struct TestError: Error { let text: String; init(_ text: String) { self.text = text } }

    @Test func `flags win over the environment, and the environment over the file`() throws {
        let file = "fetches: 1 # few\nmemoryBudget: 64MiB\ngrace: \"2m\"\n\n# all\nlogLevel: debug"
        let environment = ["TINTYPE_FETCHES": "2", "TINTYPE_MEMORY_BUDGET": "128MiB", "TINTYPE_CONFIG": "a.conf"]
        let settings = try worker(["--fetches", "3"], environment, file: file)
        #expect(settings.fetches == 3)
        #expect(settings.memoryBudget == 128 << 20)
        #expect(settings.grace == .seconds(120))
        #expect(settings.common.logLevel == .debug)
        #expect(settings.queues == ["default"])
    }

    @Test func `every spelling of every setting is understood and the round trip through the environment loses nothing`() throws {
        var settings = WorkerConfiguration()
        settings.core = try worker([
            "--queues=default,bulk", "--pixels", "3", "--http", "[::1]:0", "--allow-addresses", "127.0.0.0/8,::1/128", "--results",
            "file:///tmp/a%20b?maxBytes=2MiB", "--redis", "redis://u:p@h:1/2", "--log-format", "json", "--grace", "1.5s",
        ])
        let again = try worker([], Dictionary(uniqueKeysWithValues: settings.environment().map { ($0.name, $0.value) }))
        #expect("\(again)" == "\(settings.core)")
        #expect(again.queues == ["default", "bulk"])
        #expect(again.grace == .milliseconds(1500))
        #expect(try ResultsURL(again.common.resultsURL) == .file(directory: "/tmp/a b", StoreLimits(bytes: 2 << 20)))
    }

    @Test func `results default to the Redis of the queue`() throws {
        #expect(try worker(["--redis", "unix:///r.sock"]).common.resultsURL == "unix:///r.sock")
    }

    @Test(arguments: [
        (#"fonts: "My #1" # the first"#, "My #1"), (#"fonts: My#1 # the first"#, "My#1"), (#"fonts:"a # b""#, "a # b"),
        (#"fonts: "a" # it's "b""#, "a"), (##"fonts: a "b" #c"##, #"a "b""#), (#"fonts: "a #b"#, "\"a"),
    ])
    func `a number sign in quotes is a part of the value`(line: String, value: String) throws {
        #expect(try worker(["--config", "a.conf"], file: line).common.fonts == [value])
    }

    @Test func `a file that is too long is refused, not cut`() throws {
        let folder = try TemporaryFolder("long")
        let path = folder.path + "/tokens"
        let line = String(repeating: "t", count: 1023) + "\n"
        for (lines, isTaken) in [(1024, true), (1025, false)] {
            try String(repeating: line, count: lines).write(toFile: path, atomically: true, encoding: .utf8)
            do throws(SettingError) {
                #expect(try ConfigurationFile.read(path).utf8.count == lines * 1024 && isTaken)
            } catch {
                #expect(!isTaken && error.message.contains("longer than 1MiB"), "\(error.message)")
            }
        }
    }

    @Test func `all mistakes are reported at once, with the nearest name`() throws {
        let text = try refusal(
            ["--fetchs", "3", "--pixels", "many", "surplus", "--grace"],
            ["TINTYPE_LOG_LEVEL": "loud", "TINTYPE_FETCHE": "3", "TINTYPE_CONFIG": "a.conf"],
            file: "nonsense\nqueus: a\nmemoryBudget: 1")
        #expect(text.contains("unknown flag --fetchs; did you mean --fetches?"))
        #expect(text.contains("--pixels: expected a whole number from 1 to 256, got \"many\""))
        #expect(text.contains("unexpected argument \"surplus\""))
        #expect(text.contains("--grace needs a value"))
        #expect(text.contains("TINTYPE_LOG_LEVEL: expected one of debug, info, notice, warning, error, got \"loud\""))
        #expect(text.contains("unknown variable TINTYPE_FETCHE; did you mean TINTYPE_FETCHES?"))
        #expect(text.contains("a.conf:1: expected `key: value`"))
        #expect(text.contains("a.conf:2: unknown key queus; did you mean queues?"))
        #expect(text.contains("a.conf:3: memoryBudget: expected at least 16MiB"))
    }

    @Test(arguments: [
        ["--redis", "http://h"], ["--redis", "redisss://h"], ["--results", "file://relative"], ["--results", "file:///a?max=1"], ["--http", "7412"],
        ["--http", "host:70000"], ["--memory-budget", "-1"], ["--memory-budget", "10XB"], ["--grace", "soon"], ["--grace", "2h"],
        ["--allow-addresses", "10.0.0.0/33"], ["--allow-addresses", "all"], ["--queues", "a b"], ["--queues", ","], ["--queues", "a,,b"],
        ["--queues", "a,b,a"], ["--log-format", "xml"], ["--nat64-prefix", "10.0.0.0/32"],
        ["--fetches", "0"], ["--fetches", "1", "--fetches", "1"], ["--tls-cert", "x"], ["--config", "gone.conf"],
    ]) func `a wrong value is refused`(arguments: [String]) throws {
        #expect(try refusal(arguments).contains("tintype-worker: "))
    }

    @Test func `files that settings name are checked with all other settings`() throws {
        let folder = try TemporaryFolder("files")
        for (name, text) in [("tokens", "short"), ("rules", "{"), ("good", "long-enough")] {
            try text.write(toFile: folder.path + "/" + name, atomically: true, encoding: .utf8)
        }
        let arguments = ["--token-file", folder.path + "/tokens", "--rules", folder.path + "/rules", "--http", "7412"]
        guard case .refuse(let text) = read(CoordinatorConfiguration.self, arguments + ["--print-config"]) else { throw TestError("not refused") }
        for word in ["--token-file: \(folder.path)/tokens:1: ", "--rules: ", "--http: "] { #expect(text.contains(word), "\(text)") }
        let keys = try refusal(["--decryption-keys", folder.path + "/none", "--tls-authorities", folder.path + "/nothing"])
        #expect(keys.contains("--decryption-keys: cannot open") && keys.contains("--tls-authorities: cannot open"), "\(keys)")
        for text in ["", "root:x:0:0", "-----BEGIN CERTIFICATE-----\nbm90aGluZw==\n-----END CERTIFICATE-----\n"] {
            try text.write(toFile: folder.path + "/ca.pem", atomically: true, encoding: .utf8)
            #expect(try refusal(["--tls-authorities", folder.path + "/ca.pem"]).contains("--tls-authorities: \(folder.path)/ca.pem has no certificate"))
        }
        guard case .run(let settings) = read(CoordinatorConfiguration.self, ["--token-file", folder.path + "/good", "--file-root", "/only/workers/have/it"])
        else {
            throw TestError("refused")
        }
        #expect(settings.core.tokenFile == folder.path + "/good")
    }

    @Test func `public channels are plain or sharded, and their usual way depends on Redis`() throws {
        for way in PublicChannels.allCases {
            guard case .run(let settings) = read(CoordinatorConfiguration.self, ["--public-channels", way.rawValue]) else { throw TestError("refused") }
            #expect(settings.core.publicChannels == way)
        }
        #expect(CoordinatorSettings().publicChannels == nil)
        guard case .refuse(let text) = read(CoordinatorConfiguration.self, ["--public-channels", "shards"]) else { throw TestError("not refused") }
        #expect(text.contains("--public-channels: expected one of plain, sharded") && text.contains("shards"), "\(text)")
    }

    @Test func `variables of other programs and of the cluster are ignored`() throws {
        let others = ["TINTYPE_COORDINATOR": "h:1", "TINTYPE_MAX_QUEUED": "x", "TINTYPE_PORT_7411_TCP": "tcp://1", "TINTYPE_FETCHES": ""]
        #expect(try worker([], others).fetches == 32)
    }

    @Test func `a switch is turned on by its flag alone`() throws {
        #expect(try worker(["--allow-invalid-tls", "--fetches", "3"], [:]).common.allowInvalidTLS)
        #expect(try worker(["--allow-invalid-tls", "--fetches", "3"], [:]).fetches == 3)
        #expect(try !worker(["--allow-invalid-tls=false"], ["TINTYPE_ALLOW_INVALID_TLS": "true"]).common.allowInvalidTLS)
        #expect(try worker([], ["TINTYPE_ALLOW_INVALID_TLS": "yes"]).common.allowInvalidTLS)
    }

    @Test func `help names every setting with its default, for every program`() throws {
        let helps = [
            (try answer(CoordinatorConfiguration.self, ["--help"]), CoordinatorConfiguration.settings.map(\.flag)),
            (try answer(WorkerConfiguration.self, ["-h"]), WorkerConfiguration.settings.map(\.flag)),
            (try answer(UpSettings.self, ["--help"]), UpSettings.settings.map(\.flag)),
        ]
        for (text, flags) in helps {
            #expect(Set(flags).count == flags.count)
            for flag in flags { #expect(text.contains("  --\(flag) ") || text.contains("  --\(flag)\n")) }
        }
        #expect(helps[0].0.contains("127.0.0.1:7411"))
        #expect(helps[0].0.contains("100MiB"))
        #expect(try answer(WorkerConfiguration.self, ["--version"]) == "tintype-worker \(TintypeVersion.current)")
    }

    @Test func `print-config shows values, where they came from, and no secret; and is a configuration file itself`() throws {
        let arguments = ["--print-config", "--fetches", "7", "--redis", "redis://user:hunter2@h:1/0"]
        let text = try answer(WorkerConfiguration.self, arguments, ["TINTYPE_GRACE": "9"], file: nil)
        #expect(!text.contains("hunter2"))
        #expect(text.contains("redis://h:1/0"))
        #expect(text.split(separator: "\n").contains { $0.hasPrefix("fetches: 7 ") && $0.hasSuffix("# flag") })
        #expect(text.split(separator: "\n").contains { $0.hasPrefix("grace: 9s ") && $0.hasSuffix("# environment TINTYPE_GRACE") })
        let reread = try worker(["--config", "a.conf"], file: text)
        #expect(reread.fetches == 7 && reread.tlsAuthorities == nil)
    }

    @Test func `a mistake in a secret-bearing value does not show the secret`() throws {
        #expect(try !refusal(["--redis", "redis://user:hunter2@:x/q"]).contains("hunter2"))
        #expect(try !refusal(["--results", "ftp://user:hunter2@h/"]).contains("hunter2"))
        #expect(try !refusal(["redis://user:hunter2@h/"]).contains("hunter2"))
    }

    @Test(arguments: [
        ("0", 0), ("1", 1), ("1KiB", 1024), ("1KB", 1000), ("1.5GiB", 1_610_612_736), ("100 MiB", 104_857_600),
    ]) func `sizes`(text: String, bytes: Int) {
        #expect(ByteSize.parse(text) == bytes)
        #expect(ByteSize.parse(ByteSize.text(bytes)) == bytes)
    }

    @Test(arguments: [("statsu", "status"), ("Load", "load"), ("wrokers", "workers"), ("xyzzy", nil), ("up", "up")])
    func `the nearest name`(word: String, nearest: String?) {
        #expect(NearestName.of(word, among: ["status", "load", "workers", "queues", "up"]) == nearest)
    }
}
