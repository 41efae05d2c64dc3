import Console
import TintypeCore
import TintypeSettings
import Testing

@testable import TintypeDoctor

/// The verdicts of `tintype doctor`.
@Suite struct DoctorTests {
    private typealias Verdict = Finding.Verdict

    private static func redis(_ changes: [String: String] = [:]) -> RedisFacts {
        var facts = RedisFacts()
        facts.info = [
            "redis_version": "7.2.4", "role": "master", "connected_slaves": "1", "maxmemory_policy": "noeviction", "maxmemory": "1000000000",
            "used_memory": "1000000", "aof_enabled": "1", "aof_last_write_status": "ok", "rdb_last_bgsave_status": "ok", "loading": "0",
        ].merging(changes) { $1 }
        (facts.latencies, facts.scripts) = ([0.0002, 0.0003, 0.004], 30)
        return facts
    }

    private func verdict(_ name: String, _ findings: [Finding]) -> Finding.Verdict? {
        let found = findings.filter { $0.name == name }.map(\.verdict)
        return found.contains(.fail) ? .fail : found.contains(.warn) ? .warn : found.first
    }

    @Test(
        arguments: [
            ([:], "redis version", "ok", "7.2.4"), (["redis_version": "6.2.14"], "redis version", "fail", "6.2.14"),
            (["redis_version": "7.0.0"], "redis version", "ok", "7.0.0"),
            (["redis_version": "10.1"], "redis version", "ok", "10.1"), (["redis_version": ""], "redis version", "fail", ""),
            ([:], "redis role", "ok", "primary with 1 replicas"),
            (["role": "slave", "master_host": "h", "master_port": "1"], "redis role", "fail", "a replica of h:1"),
            (["loading": "1"], "redis role", "fail", "still loads"), ([:], "redis eviction", "ok", "noeviction"),
            (["maxmemory_policy": "allkeys-lru"], "redis eviction", "fail", "allkeys-lru"),
            (["maxmemory_policy": "volatile-ttl"], "redis eviction", "fail", "volatile-ttl"),
            ([:], "redis memory", "ok", "1.0 MB of 1000 MB"), (["maxmemory": "0"], "redis memory", "warn", "no maxmemory"),
            (["used_memory": "800000000"], "redis memory", "warn", "800 MB of"), (["used_memory": "900000000"], "redis memory", "fail", "900 MB of"),
            ([:], "redis persistence", "ok", "append-only file"), (["aof_enabled": "0"], "redis persistence", "warn", "no append-only file"),
            (["aof_last_write_status": "err"], "redis persistence", "fail", "the last write"),
            (["rdb_last_bgsave_status": "err"], "redis persistence", "fail", "snapshot"),
            ([:], "redis latency", "ok", "300 µs, at most 4 ms"),
        ] as [([String: String], String, String, String)])
    func `Redis is judged by what it says of itself`(changes: [String: String], name: String, verdict: String, text: String) {
        let findings = Self.redis(changes).findings
        #expect(self.verdict(name, findings)?.rawValue == verdict, "\(findings)")
        #expect(findings.contains { $0.name == name && $0.found.contains(text) }, "\(findings)")
        #expect(findings.allSatisfy { ($0.verdict == .ok) == ($0.advice == nil) }, "what is not right says what to do")
    }

    @Test(
        arguments: [
            // (changes, bytes of --max-queue-bytes, replicas of --durable, check, verdict, a word of the line)
            ([:], 2_000_000, 0, "redis memory", "ok", "requests may fill 2.0 MB"), ([:], 1_000_000, 0, "redis memory", "fail", "raise --max-queue-bytes"),
            ([:], 1_100_000, 0, "redis memory", "warn", "raise --max-queue-bytes"),
            // Redis itself refuses at maxmemory, so a higher sum of the setting has no effect.
            (["used_memory": "1000000000"], 2_000_000_000, 0, "redis memory", "fail", "raise maxmemory"),
            (["used_memory": "900000000"], 2_000_000_000, 0, "redis memory", "warn", "Redis is full before that"),
            (["used_memory": "900000000"], 1_000_000_000, 0, "redis memory", "warn", "raise maxmemory"),
            (["maxmemory": "0"], 2_000_000, 0, "redis memory", "warn", "set maxmemory"), (["maxmemory": "0"], 1_000_000, 0, "redis memory", "fail", "refused"),
            ([:], nil, 1, "redis role", "ok", "primary with 1 replicas"), ([:], nil, 2, "redis role", "warn", "--durable waits for 2"),
            (["connected_slaves": "0"], nil, 1, "redis role", "warn", "start replicas"), (["connected_slaves": "0"], nil, 0, "redis role", "ok", "0 replicas"),
            (
                ["connected_slaves": "2", "slave0": "ip=h,port=1,state=online,offset=1,lag=0", "slave1": "ip=h,port=2,state=wait_bgsave,offset=0,lag=0"], nil,
                2, "redis role", "warn", "primary with 1 replicas"
            ),
            (["role": "slave"], nil, 2, "redis role", "fail", "a replica of"),
        ] as [([String: String], Int?, Int, String, String, String)])
    func `memory and replicas are judged by the settings too`(
        changes: [String: String], most: Int?, replicas: Int, name: String, verdict: String, text: String
    ) {
        var facts = Self.redis(changes)
        (facts.mostForRequests, facts.wantedReplicas) = (most, replicas)
        let finding = facts.findings.first { $0.name == name }
        #expect(finding?.verdict.rawValue == verdict && "\(finding?.found ?? "") \(finding?.advice ?? "")".contains(text), "\(facts.findings)")
    }

    @Test func `a slow Redis, refused scripts, other keys and a refused INFO are said`() {
        var facts = Self.redis()
        facts.latencies = [0.02, 0.001, 0.03]
        facts.scriptRefusal = "the script claim is refused: NOPERM"
        facts.objection = "the keys in this Redis are of schema 3"
        facts.address = "port 7"
        #expect(verdict("redis latency", facts.findings) == .warn && verdict("redis scripts", facts.findings) == .fail)
        #expect(verdict("redis keys", facts.findings) == .fail && facts.findings.allSatisfy { $0.found.hasPrefix("port 7: ") })
        facts.latencies = []
        facts.refusal = "NOPERM"
        #expect(
            verdict("redis latency", facts.findings) == .fail && verdict("redis info", facts.findings) == .warn
                && verdict("redis version", facts.findings) == nil)
        #expect(RedisFacts.info("# Server\r\nredis_version:7.0.1\r\nnonsense\r\nempty:\r\n") == ["redis_version": "7.0.1", "empty": ""])
    }

    @Test(
        arguments: [
            (RedisTopologyFacts.sentinels(primary: "h:1", named: 3, connected: 3), "ok", "3 of 3 sentinels answer, the primary is h:1"),
            (.sentinels(primary: "h:1", named: 3, connected: 2), "warn", "2 of 3"), (.sentinels(primary: nil, named: 3, connected: 0), "fail", "0 of 3"),
            (.cluster(["cluster_state": "ok", "cluster_slots_ok": "16384", "cluster_size": "3"]), "ok", "3 primaries"),
            (.cluster(["cluster_state": "fail", "cluster_slots_ok": "16384"]), "fail", "state fail"),
            (.cluster(["cluster_state": "ok", "cluster_slots_ok": "9"]), "fail", "9 of"),
        ] as [(RedisTopologyFacts, String, String)])
    func `sentinels and clusters are judged`(facts: RedisTopologyFacts, verdict: String, text: String) {
        #expect(facts.finding.verdict.rawValue == verdict && facts.finding.found.contains(text), "\(facts.finding)")
    }

    @Test(arguments: [(0.0, 0.001, "ok"), (-0.9, 0, "ok"), (1.5, 0.1, "warn"), (-1.5, 0.1, "warn"), (1.5, 1, "ok"), (90, 1, "fail"), (-90, 1, "fail")])
    func `the clock may differ by a second`(ahead: Double, uncertainty: Double, verdict: String) {
        let finding = ClockFacts(ahead: ahead, uncertainty: uncertainty).finding
        #expect(finding.verdict.rawValue == verdict && finding.found.contains(ahead < 0 ? "behind" : "ahead of"), "\(finding)")
    }

    @Test(
        arguments: [
            (0o600, 7, 7, "ok", "0600"), (0o640, 7, 7, "ok", "0640"), (0o100400, 0, 7, "ok", "0400"), (0o644, 7, 7, "fail", "every user can read"),
            (0o604, 7, 7, "fail", "0604"), (0o660, 7, 7, "fail", "others can replace"), (0o602, 7, 7, "fail", "replace"),
            (0o600, 8, 7, "warn", "belongs to uid 8"), (0o600, 8, 0, "warn", "belongs to uid 8"), (0o600, 0, 0, "ok", "0600"),
            (0o644, 8, 7, "fail", "every user can read"),
        ] as [(UInt32, UInt32, UInt32, String, String)])
    func `a secret is for its owner`(mode: UInt32, owner: UInt32, user: UInt32, verdict: String, text: String) {
        let finding = SecretFileFacts(flag: "token-file", path: "/t", mode: mode, owner: owner, user: user).finding
        #expect(finding.verdict.rawValue == verdict && finding.found.contains(text) && finding.name == "file --token-file")
    }

    @Test(
        arguments: [
            (100.0, nil, "ok", "in 100 days"), (13.9, nil, "warn", "in 13 days"), (-1, nil, "fail", "expired on"), (nil, nil, "warn", "nobody knows"),
            (90, "no key", "fail", "no key"),
        ] as [(Double?, String?, String, String)])
    func `a certificate is judged by the days that are left`(days: Double?, fault: String?, verdict: String, text: String) {
        let finding = CertificateFacts(flag: "tls-cert", path: "/c", expiry: days.map { 1_700_000_000 + $0 * 86_400 + 60 }, fault: fault).finding(
            now: 1_700_000_000)
        #expect(finding.verdict.rawValue == verdict && finding.found.contains(text), "\(finding)")
    }

    @Test(arguments: [(5 << 30, nil, "ok"), (100 << 20, nil, "warn"), (5 << 30, 6 << 30, "fail"), (6 << 30, 6 << 30, "ok")] as [(Int, Int?, String)])
    func `a disk needs room, and what its store leaves free`(free: Int, kept: Int?, verdict: String) {
        let finding = DiskFacts(name: "disk results", path: "/r", free: free, whole: 100 << 30, kept: kept).finding
        #expect(finding.verdict.rawValue == verdict && finding.found.contains("of 107.3 GB free at /r"), "\(finding)")
    }

    @Test(
        arguments: [
            // (what failed, whether the folder is there, the owner of what was judged, this user, the verdict, a word of the line)
            (nil, true, nil, 7, "ok", "at /r/a a probe was written, read and removed"), ("written", true, nil, 7, "fail", "could not be written: why"),
            (nil, true, 8, 0, "warn", "belongs to uid 8, and this is uid 0  root may write anywhere"), (nil, true, 0, 7, "warn", "give the folder to it"),
            ("written", true, 0, 7, "fail", "could not be written: why"), (nil, false, nil, 7, "ok", "/r/a is made at the first start"),
            (nil, false, 8, 0, "warn", "/r/a is made at the first start, but /r belongs to uid 8"),
            ("made", false, nil, 7, "fail", "/r/a is not there, and cannot be made in /r: why  make it for the user of the servers (this is uid 7)"),
        ] as [(String?, Bool, UInt32?, UInt32, String, String)])
    func `a folder is judged by its probe and its owner`(step: String?, isMade: Bool, owner: UInt32?, user: UInt32, verdict: String, text: String) {
        let judged = isMade ? "/r/a" : "/r"
        let probe = FolderProbe(
            path: "/r/a", judged: judged, failure: step.map { ($0, "why") }, foreign: owner.map { .init(path: judged, owner: $0) }, user: user)
        let finding = probe.finding("results", seconds: 0.01)
        let line = "\(finding.found)  \(finding.advice ?? "")".replacing("run this as the user of the servers: ", with: "")
        #expect(finding.verdict.rawValue == verdict && line.contains(text) && finding.name == "store results", "\(finding)")
    }

    @Test func `the files of downloads are judged in the words of a worker`() {
        func facts(_ answer: WorkerProgram.Answer) -> Finding { DownloadFileFacts(flag: "tls-profiles", path: "/p", answer: answer).finding }
        #expect(facts(.found(["tls-profiles": "/p:3: expected a"])) == .fail("file --tls-profiles", "/p:3: expected a", "correct it: no worker starts with it"))
        #expect(facts(.found(["source-buckets": "/b"])) == .ok("file --tls-profiles", "/p has the form that workers read"))
        #expect(facts(.missing("/w")).verdict == .warn && facts(.failed("signal 11")).verdict == .fail)
    }

    @Test func `stores and folders say what could not be done`() {
        #expect(
            StoreFacts(name: "results", place: "/r", failure: nil, seconds: 0.01).finding
                == .ok("store results", "at /r a probe was written, read and removed in 10 ms"))
        #expect(StoreFacts(name: "results", place: "p", failure: nil, seconds: 2).finding.verdict == .warn)
        let failed = StoreFacts(name: "sources", place: "p", failure: ("written", "Read-only file system"), seconds: 0).finding
        #expect(failed.verdict == .fail && failed.found == "at p the probe could not be written: Read-only file system")
        #expect(FolderFacts(name: "place a", path: "/a", need: .writing, fault: nil).finding == .ok("place a", "/a can be written"))
        #expect(FolderFacts(name: "f", path: "/a", need: .reading, fault: "No such file").finding.found == "/a cannot be read: No such file")
    }

    @Test func `codecs are compared with what the settings open`() {
        let answer: JSON = ["vips": "8.16.1", "decode": ["jpeg", "png"], "encode": ["jpeg"], "fonts": ["sans"]]
        let findings = CodecFacts(answer: .found(answer)).findings(wanted: ["jpeg", "png"], written: ["jpeg", "avif"], fonts: ["Sans", "Noto"])
        #expect(
            findings.map(\.verdict) == [.ok, .warn, .warn] && findings[1].found.contains("not avif") && findings[2].found == "not installed: Noto",
            "\(findings)")
        #expect(CodecFacts(answer: .missing("/w")).findings(wanted: [], written: [], fonts: []).map(\.verdict) == [.warn])
        #expect(CodecFacts(answer: .failed("signal 11")).findings(wanted: [], written: [], fonts: []).map(\.verdict) == [.fail])
    }

    @Test(
        arguments: [
            (false, false, 4, 8 << 30, nil, nil, "ok", "ok", "ok"), (true, false, 4, 1 << 30, 1000, nil, "warn", "warn", "ok"),
            (false, true, 4, 8 << 30, 20, nil, "fail", "ok", "fail"), (false, false, 4, 8 << 30, nil, 71, "ok", "ok", "fail"),
            (false, false, 4, 8 << 30, 1000, 71, "ok", "ok", "fail"), (false, false, 4, 8 << 30, 72, 72, "ok", "ok", "ok"),
            (false, false, 32, 80 << 30, nil, nil, "ok", "ok", "warn"),
        ] as [(Bool, Bool, Int, Int, Int?, Int?, String, String, String)])
    func `limits are compared with what the settings need`(
        isCut: Bool, isTooMuch: Bool, pixels: Int, memory: Int, processes: Int?, userProcesses: Int?, files: String, room: String, number: String
    ) {
        let facts = LimitFacts(
            descriptors: 1024, connections: 300, isCut: isCut, isTooMuch: isTooMuch, memory: memory,
            workerMemory: LimitFacts.ceiling(budget: 256 << 20, source: 256 << 20, pixels: pixels, maxPixels: 50_000_000), pixels: pixels, cores: 4,
            processes: processes, userProcesses: userProcesses)
        #expect(facts.findings.map(\.verdict.rawValue) == [files, room, number], "\(facts.findings)")
        // As docs/sizing.md counts: 256 MiB + 256 MiB + 4 × 768 MiB = 3.5 GiB.
        #expect(LimitFacts.ceiling(budget: 256 << 20, source: 256 << 20, pixels: 4, maxPixels: 50_000_000) == 7 << 29)
        #expect(LimitFacts.ceiling(budget: 0, source: 0, pixels: .max, maxPixels: .max / 4) == .max)
    }

    @Test func `settings that no server takes are listed with all their mistakes`() {
        func report(_ arguments: [String], _ environment: [String: String] = [:]) -> (SettingsReport<DoctorSettings>, [Finding]) {
            let report = SettingsReader<DoctorSettings>.report(arguments: arguments, environment: environment)
            var settings = report.root
            let conflicts = settings.prepare()
            return (
                report,
                SettingsFacts(mistakes: report.mistakes, conflicts: conflicts, given: report.given, file: report.file, visiblePasswords: []).findings
            )
        }
        #expect(report(["--lease", "20s"]).1 == [.ok("settings", "1 given, the others have their defaults")])
        #expect(report(["--leese", "20s"]).0.usage.first?.contains("did you mean --lease?") == true)
        let wrong = report(["--lease", "soon", "--pixels", "0"], ["TINTYPE_RSULTS": "x", "TINTYPE_MAX_QUEUED": "-1"]).1
        #expect(wrong.count == 4 && wrong.allSatisfy { $0.verdict == .fail }, "\(wrong)")
        #expect(wrong.contains { $0.found.contains("unknown variable TINTYPE_RSULTS; did you mean TINTYPE_RESULTS?") })
        let open = report(["--listen", "0.0.0.0:7411"]).1
        #expect(open.count == 1 && open[0].found.contains("is open to other machines without a token"), "\(open)")
        #expect(report(["--listen", "0.0.0.0:7411", "--open"]).1.map(\.verdict) == [.ok])
        #expect(report(["--purge-webhook-secret-file", "/etc/hostname"]).1.first?.found.contains("needs --purge-webhook") == true)
    }

    @Test func `no finding has a password in it`() {
        let url = "redis://user:hunter2@h:1/0"
        for finding in [Finding.ok("a", "x \(url) y"), .warn("a", url, url), .fail("a", "(\(url))", "see \(url)")] {
            #expect(!"\(finding.found) \(finding.advice ?? "") \(finding.json.text) \(Finding.text([finding]))".contains("hunter2"), "\(finding)")
        }
        let facts = SettingsFacts(mistakes: [], conflicts: [], given: 1, file: nil, visiblePasswords: ["--redis"])
        #expect(facts.findings.map(\.verdict) == [.warn] && facts.findings[0].found.contains("--redis"))
    }

    @Test func `each line has verdict, name, what was found and what to do`() {
        let findings: [Finding] = [.ok("one", "fine"), .warn("longer", "hm\u{1b}", "do this"), .fail("two", "bad", "do that")]
        #expect(
            Finding.text(findings)
                == "ok    one     fine\nwarn  longer  hm\\u001b  — do this\nfail  two     bad  — do that\n1 ok, 1 warn, 1 fail")
        let json = Finding.json(findings)
        #expect(json["failed"] == true && json["checks"]?[1]?["advice"] == "do this" && json["checks"]?[0]?["advice"] == nil)
        #expect(!Finding.hasFailed([.warn("a", "b", "c")]))
    }
}
