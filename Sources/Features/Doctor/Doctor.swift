import Console
import Glibc
import TintypeContracts
import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeSettings
import TintypeStores
import TintypeTransport

/// Collects the facts of `tintype doctor`, as the servers would meet them. Lives on the loop.
///
/// It writes nothing but its probes, and removes them. It makes no folder, and deletes nothing else in a store.
@Loop
final class Doctor {
    private let settings: DoctorSettings
    private let facts: SettingsFacts
    private let given: SettingsReport<DoctorSettings>
    private let logger: Logger
    private let pool = BlockingPool(threads: 1, name: "doctor")
    private let topologies: RedisTopologies

    /// The longest wait for a connection, and for a probe.
    private nonisolated static let patience = Duration.seconds(5)
    private nonisolated static let pings = 20

    /// - Parameter arguments: the words of the command line.
    init(_ report: SettingsReport<DoctorSettings>, arguments: [String]) {
        var settings = report.root
        let conflicts = settings.prepare()
        (self.settings, given) = (settings, report)
        facts = SettingsFacts(
            mistakes: report.mistakes, conflicts: conflicts, given: report.given, file: report.file, visiblePasswords: PasswordArguments.flags(in: arguments))
        // Clients log their reconnects; the findings say what matters.
        logger = Logger(label: "doctor", level: .error, descriptor: open("/dev/null", O_WRONLY | O_CLOEXEC))
        topologies = RedisTopologies(tls: settings.common.redisTLS)
    }

    /// Returns all findings, in the order in which a server needs the things.
    func examine() async -> [Finding] {
        defer { pool.stop() }
        async let codecs = codecs()
        async let downloads = downloadFiles()
        let redis = await redis()
        // A store in the same Redis would wait as long, for the same reason.
        let stores = await stores(unless: redis.contains { $0.name == "redis" && $0.verdict == .fail } ? settings.common.redis : nil)
        return facts.findings + secrets + (await downloads) + certificates + folders + redis + stores + (await codecs) + limits
    }

    // MARK: Files

    private var secrets: [Finding] {
        let root = given.root
        let files: [(flag: String, path: String?)] = [
            ("config", hasPassword(given.file) ? given.file : nil), ("token-file", root.coordinator.core.tokenFile),
            ("redis-password-file", root.common.redisPasswordFile),
            ("sentinel-password-file", root.common.sentinelPasswordFile), ("key-secret-file", root.common.keySecretFile), ("tls-key", root.common.tlsKey),
            ("redis-key", root.common.redisKey),
        ]
        let ofWorkers: [(flag: String, path: String?)] = [
            ("decryption-keys", root.worker.core.decryptionKeys), ("source-buckets", root.worker.core.sourceBuckets),
        ]
        return (files + root.coordinator.secretFiles + ofWorkers).compactMap { flag, path in
            guard let path, let status = Self.status(path) else { return nil }
            return SecretFileFacts(flag: flag, path: path, mode: status.st_mode, owner: status.st_uid, user: geteuid()).finding
        }
    }

    /// The files that only workers read, in the words of a worker.
    private func downloadFiles() async -> [Finding] {
        let worker = settings.worker.core
        let files = [("decryption-keys", worker.decryptionKeys), ("source-buckets", worker.sourceBuckets), ("tls-profiles", worker.tlsProfiles)]
            .compactMap { flag, path in path.map { (flag: flag, path: $0) } }
        guard !files.isEmpty else { return [] }
        let answer = await WorkerProgram.ask("download-files", files.flatMap { ["--\($0.flag)", $0.path] })
        return files.map { DownloadFileFacts(flag: $0.flag, path: $0.path, answer: answer).finding }
    }

    /// Whether a configuration file has a password in some value. Without one, everybody may read the file.
    private func hasPassword(_ path: String?) -> Bool {
        guard let path, let text = try? ConfigurationFile.read(path) else { return false }
        return !PasswordArguments.flags(in: text.split(whereSeparator: \.isWhitespace).map(String.init)).isEmpty
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    private var certificates: [Finding] {
        let common = settings.common
        var found: [CertificateFacts] = []
        func note(_ flag: String, _ path: String, _ read: () throws(SettingError) -> Double?) {
            do throws(SettingError) {
                found.append(CertificateFacts(flag: flag, path: path, expiry: try read(), fault: nil))
            } catch {
                found.append(CertificateFacts(flag: flag, path: path, expiry: nil, fault: error.message))
            }
        }
        if let certificate = common.tlsCertificate, let key = common.tlsKey {
            note("tls-cert", certificate) { () throws(SettingError) in try TLSContext(TLSServerFiles(certificate: certificate, key: key)).expiry }
        }
        if let certificate = common.redisCertificate, common.redisKey != nil {
            note("redis-cert", certificate) { () throws(SettingError) in try TLSContext(common.redisTLS).expiry }
        }
        return found.map { $0.finding(now: WallClock.now) }
    }

    private var folders: [Finding] {
        var found: [FolderFacts] = []
        if let root = settings.common.fileRoot {
            found.append(FolderFacts(name: "folder --file-root", path: root, need: .reading, fault: Self.fault(access(root, R_OK | X_OK))))
        }
        for place in settings.worker.places {
            guard case .folder(let path) = place.location else { continue }
            found.append(FolderFacts(name: "place \(place.name)", path: path, need: .writing, fault: Self.fault(access(path, W_OK | X_OK))))
        }
        return found.map(\.finding)
    }

    private static func fault(_ result: Int32) -> String? { result == 0 ? nil : String(cString: strerror(errno)) }

    // MARK: Redis

    private func redis() async -> [Finding] {
        let url: RedisURL
        do throws(RedisError) {
            url = try RedisURL(settings.common.redis, tls: topologies.tls)
        } catch {
            return [.fail("redis", "\(error)", "correct --redis")]
        }
        let topology = topologies.topology(of: url, name: "doctor", logger: logger)
        let nodes = RedisNodes(topology, name: "doctor", logger: logger)
        nodes.start()
        defer { nodes.stop() }
        do throws(RedisError) {
            try await nodes.untilConnected(within: Self.patience)
        } catch {
            return [
                .fail("redis", "\(topology.redacted): \(nodes.failure ?? error)", "start it, or correct --redis and its password")
            ] + [Self.sentinels(url, topology)?.finding].compactMap(\.self)
        }
        var findings: [Finding] = [.ok("redis", "\(topology.redacted) answers")]
        let servers = nodes.servers
        for server in servers { findings += (await facts(of: server, among: servers.count, nodes)).findings }
        if let facts = Self.sentinels(url, topology) {
            findings.append(facts.finding)
        } else if case .cluster = url, let text = try? await servers.first?.command(["CLUSTER", "INFO"]).string {
            findings.append(RedisTopologyFacts.cluster(RedisFacts.info(text)).finding)
        }
        if let clock = await clock(servers.first) { findings.append(clock.finding) }
        return findings
    }

    private static func sentinels(_ url: RedisURL, _ topology: any RedisTopology) -> RedisTopologyFacts? {
        guard case .sentinels(let named) = url else { return nil }
        let status = topology.primaryStatus
        let connected = status.sentinels ?? 0
        return .sentinels(primary: status.primary.map { "\($0)" }, named: max(named.sentinels.count, connected), connected: connected)
    }

    private func facts(of server: RedisClient, among count: Int, _ nodes: RedisNodes) async -> RedisFacts {
        var facts = RedisFacts()
        let coordinator = settings.coordinator.core
        let durable = coordinator.durable
        (facts.mostForRequests, facts.wantedReplicas) = (coordinator.maxQueueBytes, durable.work.isEmpty ? 0 : durable.replicas)
        do throws(RedisError) {
            facts.info = RedisFacts.info(try await server.command(["INFO"]).string ?? "")
        } catch {
            facts.refusal = "\(error)"
        }
        if count > 1 { facts.address = "port \(facts.info["tcp_port"] ?? "?")" }
        for _ in 0..<Self.pings {
            let began = ContinuousClock.now
            guard (try? await server.command(["PING"])) != nil else { break }
            facts.latencies.append((ContinuousClock.now - began) / .seconds(1))
        }
        for script in QueueScripts.shipped.all where facts.scriptRefusal == nil {
            do throws(RedisError) {
                _ = try await server.command(["SCRIPT", "LOAD", .string(script.source)])
                facts.scripts += 1
            } catch {
                facts.scriptRefusal = "the script \(script.name) is refused: \(error)"
            }
        }
        let node = nodes.node(for: QueueKeys.shared)
        for check in QueueSchema.requirement.checks where facts.objection == nil {
            do throws(RedisError) {
                facts.objection = check.objection(try await node.command(check.command)).map { "\($0)" }
            } catch {
                if case .reply(let text) = error { facts.objection = check.objection(.error(text)).map { "\($0)" } }
            }
        }
        return facts
    }

    /// Asks for the time of Redis some times. The quickest answer tells it best.
    private func clock(_ server: RedisClient?) async -> ClockFacts? {
        guard let server else { return nil }
        var best: ClockFacts?
        for _ in 0..<Self.pings {
            let before = WallClock.now
            guard let words = try? await server.command(["TIME"]).array, words.count == 2, let seconds = words[0].int, let micros = words[1].int else { break }
            let after = WallClock.now
            let facts = ClockFacts(ahead: (before + after) / 2 - Double(seconds) - Double(micros) / 1e6, uncertainty: (after - before) / 2)
            if facts.uncertainty < best?.uncertainty ?? .infinity { best = facts }
        }
        return best
    }

    // MARK: Stores

    /// - Parameter away: the URL of a server that does not answer.
    private func stores(unless away: String?) async -> [Finding] {
        let (results, sources) = (settings.common.resultsURL, settings.common.sourcesURL)
        func found(_ name: String, _ url: String, _ shelf: StoreNamespace) async -> [Finding] {
            guard url == away else { return await store(name, url, shelf) }
            return [.fail("store \(name)", "not tried: it is in the Redis that does not answer", "see redis, above")]
        }
        async let ofSources = found("sources", sources, .sources)
        var findings = await found("results", results, .results)
        // The same folder has the same disk.
        findings += (await ofSources).filter { results != sources || !$0.name.hasPrefix("disk") }
        if let fallback = settings.coordinator.core.resultsFallback { findings.append(await self.fallback(fallback)) }
        return findings
    }

    private func store(_ name: String, _ url: String, _ shelf: StoreNamespace) async -> [Finding] {
        if case .file(let root, let limits)? = try? ResultsURL(url, tls: topologies.tls) {
            // As `ResultStores.open` names it.
            return await folder(name, shelf == .results ? root : "\(root)/\(shelf.rawValue)", in: root, limits)
        }
        let began = ContinuousClock.now
        var failure: (step: String, reason: String)?
        do throws(TintypeError) {
            failure = await probe(try ResultStores.open(url, shelf, redis: topologies, name: "doctor", pool: pool, logger: logger))
        } catch {
            failure = ("opened", Self.text(error))
        }
        return [StoreFacts(name: name, place: RedisURL.shown(url), failure: failure, seconds: (ContinuousClock.now - began) / .seconds(1)).finding]
    }

    private func folder(_ name: String, _ path: String, in root: String, _ limits: StoreLimits) async -> [Finding] {
        let began = ContinuousClock.now
        let store: Finding
        do {
            let probe = try await pool.run { FolderProbe.run(path) }
            store = probe.finding(name, seconds: (ContinuousClock.now - began) / .seconds(1))
        } catch {
            store = .fail("store \(name)", "\(path) was not tried: \(error)", "run this again")
        }
        return [store] + (Self.status(root) == nil ? [] : [Self.disk("disk \(name)", root, limits)].compactMap(\.self))
    }

    private func probe(_ store: any ResultStore) async -> (step: String, reason: String)? {
        defer { store.close() }
        let now = WallClock.now
        let key = "doctor-" + Digest.randomHex(bytes: 12)
        let image = StoredImage(
            key: key, contentType: "application/octet-stream", info: [:], source: [:], bytes: Array("a probe of tintype doctor".utf8), storedAt: now,
            expiresAt: now + 60)
        let limit = ContinuousClock.now + Self.patience
        var step = "written"
        do throws(TintypeError) {
            while true {
                do throws(TintypeError) {
                    try await store.put(image)
                    break
                } catch {
                    // A Redis connects behind our back.
                    guard error.isRetryable, ContinuousClock.now < limit, (try? await Loop.sleep(.milliseconds(100))) != nil else { throw error }
                }
            }
            step = "read"
            let found = try await store.get(key)
            guard found?.bytes == image.bytes else { return (step, found == nil ? "it is not there" : "it has other bytes") }
            step = "removed"
            try await store.remove(key)
            return nil
        } catch {
            _ = try? await store.remove(key)
            return (step, Self.text(error))
        }
    }

    private func fallback(_ url: String) async -> Finding {
        let place = RedisURL.shown(url)
        do throws(TintypeError) {
            let reader = try ResultStores.openToRead(url, redis: topologies, name: "doctor", logger: logger)
            defer { reader.close() }
            _ = try await reader.look(up: "doctor")
            return .ok("store fallback", "\(place) can be read")
        } catch {
            return .fail("store fallback", "\(place): \(Self.text(error))", "correct --results-fallback")
        }
    }

    private static func text(_ error: TintypeError) -> String {
        error.message + (error.details["cause"]?.string.flatMap { error.message.contains($0) ? nil : " (\($0))" } ?? "")
    }

    private static func disk(_ name: String, _ folder: String, _ limits: StoreLimits) -> Finding? {
        var facts = statvfs()
        guard statvfs(folder, &facts) == 0 else { return nil }
        let size = Int(facts.f_frsize)
        return DiskFacts(name: name, path: folder, free: Int(facts.f_bavail) * size, whole: Int(facts.f_blocks) * size, kept: limits.freeBytes).finding
    }

    // MARK: Machine

    private func codecs() async -> [Finding] {
        let formats = settings.worker.core.openedFormats
        let wanted = ImageFormat.openable.filter { formats.contains($0) }.map(\.rawValue)
        let fonts = settings.common.fonts
        let answer = await WorkerProgram.ask("codecs", ["--formats", wanted.joined(separator: ","), "--fonts", fonts.joined(separator: ",")])
        return CodecFacts(answer: answer).findings(wanted: wanted, written: ImageFormat.encodable.map(\.rawValue), fonts: fonts)
    }

    private var limits: [Finding] {
        raiseDescriptorLimit()
        let (worker, coordinator, descriptors) = (settings.worker.core, settings.coordinator, Descriptors.limit)
        let listeners = 2 + CoordinatorConfiguration.ports.count { coordinator[keyPath: $0.address] != nil }
        let plan = ConnectionPlan(coordinator.core.connections, descriptors: descriptors, listeners: listeners)
        let facts = LimitFacts(
            descriptors: descriptors, connections: plan.limits.total, isCut: plan.isCut, isTooMuch: plan.isTooMuch, memory: MachineMemory.usable(),
            workerMemory: LimitFacts.ceiling(
                budget: worker.memoryBudget, source: worker.maxSource, pixels: worker.pixels, maxPixels: worker.maxPixels),
            pixels: worker.pixels, cores: Cores.usable(), processes: ControlGroup.limit("pids.max"), userProcesses: Self.processesOfUser)
        return facts.findings
    }

    /// The most processes and threads of this user (`RLIMIT_NPROC`); nil: no limit, as for root.
    private static var processesOfUser: Int? {
        var limits = rlimit()
        guard geteuid() != 0, getrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &limits) == 0 else { return nil }
        return Int(exactly: limits.rlim_cur)
    }
}
