import Console
import Glibc
import TintypeContracts
import TintypeCore
import TintypeTransport
import TintypeSettings

/// The processes of `tintype up`: starts them in order, keeps them alive, stops them in the opposite order.
@Loop
final class UpDeployment {
    private(set) var settings: UpSettings
    let folder: UpFolder
    /// Whether the ports speak TLS.
    let isSecure: Bool
    private let redis: PrivateRedis?
    private let logger: Logger
    private let environment: [String: String]
    private let programs: String
    private var children: [SupervisedChild] = []
    private var ready: [String: OneShot<String>] = [:]
    private var signals: [SignalWatch] = []
    private var signalCount = 0
    private let stopRequested = OneShot<Void>()
    /// The last lines that Redis wrote. A failed start shows them at every log level.
    private let lines = LastLines()

    init(_ settings: UpSettings, logger: Logger) throws(UpFailure) {
        var settings = settings
        do throws(SettingError) {
            try settings.coordinator.checkExposure()
            isSecure = try settings.common.tlsFiles() != nil
            try settings.takeRedisPassword()
        } catch {
            throw UpFailure(error.message)
        }
        self.settings = settings
        self.logger = logger
        environment = ProcessEnvironment.all()
        programs = WorkerProgram.folder
        folder = try UpFolder(settings.data, environment: environment)
        redis = settings.redis == nil ? try PrivateRedis(folder: folder.path, memory: settings.redisMemory, environment: environment) : nil
        let url = settings.redis ?? redis?.url ?? ""
        let spared = folder.spared
        let results = settings.common.results ?? "file://" + Self.escaped(folder.path + "/results") + (spared > 0 ? "?minFree=\(spared)" : "")
        for path in [\UpSettings.common, \UpSettings.coordinator.core.common, \UpSettings.worker.core.common] {
            self.settings[keyPath: path] = settings.common
            self.settings[keyPath: path].redis = url
            self.settings[keyPath: path].results = results
        }
    }

    /// Runs until SIGINT, SIGTERM or SIGHUP, and returns the exit status. SIGHUP means that the terminal was closed; under nohup it is ignored.
    /// - Throws: `UpFailure` when a process does not start. All started processes are stopped before it is thrown.
    /// - Parameter announcement: Makes the text for standard output from the coordinator's line `ready …`.
    func run(announcement: @Loop (String) -> String) async throws -> Int32 {
        ignoreStraySignals()
        let ends = SignalWatch.isIgnored(SIGHUP) ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
        signals = ends.map { signal in SignalWatch(signal) { [weak self] in self?.received(signal) } }
        let starting = TaskScope()
        let started = OneShot<String>()
        starting.run("start") { [self] in
            do {
                started.complete(.success(try await start()))
            } catch {
                started.complete(.failure(error))
            }
        }
        starting.run("signal while starting") { [self] in
            if (try? await stopRequested.wait()) != nil { started.complete(.failure(CancellationError())) }
        }
        defer { starting.cancelAll() }
        do {
            StandardStream.printLine(announcement(try await started.wait()))
            for child in children { child.keepAlive() }
            try await stopRequested.wait()
        } catch is CancellationError {
            // A signal arrived during the start: stop the processes that run.
        } catch {
            await stop()
            throw error
        }
        await stop()
        return 0
    }

    private func start() async throws(UpFailure) -> String {
        try checkPorts()
        if let redis { try await startRedis(redis) }
        let coordinator = add("coordinator", "tintype-coordinator") { [weak self] in self?.settings.coordinator.environment() ?? [] }
        let workers = (1...settings.workers).map { number in
            add("worker \(number)", "tintype-worker") { [weak self] in self?.settings.worker.environment() ?? [] }
        }
        try coordinator.start()
        for worker in workers { try worker.start() }
        let line = try await untilReady(coordinator)
        for worker in workers { _ = try await untilReady(worker) }
        keepPorts(line)
        logger.notice("up", ["workers": settings.workers, "data": folder.path])
        return line
    }

    /// Fails when a port is taken, before any process is started.
    private func checkPorts() throws(UpFailure) {
        let coordinator = settings.coordinator
        let ports: [(flag: String, address: SocketAddress?)] = [("listen", coordinator.core.listen), ("http", coordinator.core.http)]
        for (flag, address) in ports + CoordinatorConfiguration.ports.map({ ($0.flag, coordinator[keyPath: $0.address]) }) {
            guard let address else { continue }
            do throws(NetError) {
                try Listener(address) { $0.close() }.close()
            } catch {
                throw UpFailure("\(error); choose another address with --\(flag), or is another coordinator running?")
            }
        }
    }

    private func startRedis(_ redis: PrivateRedis) async throws(UpFailure) {
        unlink(redis.socket)
        let (environment, logger) = (environment, logger)
        let child = SupervisedChild(
            "redis", logger: logger,
            launch: { .init(path: redis.program, arguments: redis.arguments, environment: environment, deathSignal: SIGTERM) },
            onLine: { [lines] line in
                lines.append(line)
                logger.info("redis-server", ["line": line])
            })
        children.append(child)
        try child.start()
        guard let process = child.process else { return }
        do {
            try await redis.untilReady(process, logger: logger)
        } catch {
            for line in lines.kept where logger.level > .info { logger.error("redis-server", ["line": line]) }
            throw error
        }
    }

    private func add(_ name: String, _ program: String, _ own: @escaping @Loop () -> [(name: String, value: String)]) -> SupervisedChild {
        let (base, programs) = (environment.filter { !$0.key.hasPrefix("TINTYPE_") }, programs)
        let isReady = OneShot<String>()
        ready[name] = isReady
        let child = SupervisedChild(
            name, logger: logger,
            launch: {
                let variables = own().map { ($0.name, $0.value) }
                let environment = base.merging(variables) { _, new in new }
                return .init(path: "\(programs)/\(program)", arguments: [], environment: environment)
            },
            onLine: { line in
                if line.hasPrefix("ready ") { isReady.complete(.success(line)) }
            })
        children.append(child)
        return child
    }

    private func untilReady(_ child: SupervisedChild) async throws(UpFailure) -> String {
        guard let line = ready[child.name], let process = child.process else { throw UpFailure("\(child.name) was not started") }
        let scope = TaskScope()
        scope.run("death of \(child.name)") {
            guard let end = try? await process.wait() else { return }
            line.complete(.failure(UpFailure("the \(child.name) ended with \(end) before it was ready; its output is above")))
        }
        let timer = LoopTimer(after: .seconds(60)) {
            line.complete(.failure(UpFailure("the \(child.name) was not ready within a minute; its output is above")))
        }
        defer {
            timer.cancel()
            scope.cancelAll()
        }
        do {
            return try await line.wait()
        } catch {
            throw error as? UpFailure ?? UpFailure("interrupted")
        }
    }

    /// Remembers the ports of the first coordinator, so that a restarted one takes the same ports.
    private func keepPorts(_ line: String) {
        let places = Self.places(line).compactMapValues { try? SocketAddress($0) }
        if let address = places["rpc"] { settings.coordinator.core.listen = address }
        if let address = places["http"] { settings.coordinator.core.http = address }
        for port in CoordinatorConfiguration.ports {
            if let address = places[port.flag] { settings.coordinator[keyPath: port.address] = address }
        }
    }

    /// Returns the addresses in a coordinator's line `ready …` by the names of the ports.
    nonisolated static func places(_ line: String) -> [String: String] {
        let pairs = line.split(separator: " ").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { _, last in last }
    }

    private func received(_ signal: Int32) {
        signalCount += 1
        if signalCount == 1 {
            logger.notice("stopping", ["signal": signal])
            stopRequested.complete(.success(()))
        } else if signalCount == 2 {
            // The workers release their fetches at once. For this they need Redis, so the coordinator and Redis stop after them.
            for worker in workers { worker.send(SIGTERM) }
        } else {
            // Mark all children first: a child that dies without the mark would be restarted.
            for child in children { child.giveUp() }
            for child in children { child.send(SIGKILL) }
        }
    }

    private var workers: [SupervisedChild] { children.filter { $0.name.hasPrefix("worker") } }

    /// Stops the workers first, so that they can finish their runs; then the coordinator, and Redis last.
    private func stop() async {
        let stopping = TaskScope()
        for worker in workers { stopping.run("stop \(worker.name)") { [settings] in await worker.stop(grace: settings.worker.core.grace + .seconds(5)) } }
        await stopping.drain()
        for child in children.reversed() where !child.name.hasPrefix("worker") { await child.stop(grace: .seconds(15)) }
        signals = []
    }

    private static func escaped(_ path: String) -> String {
        PercentText.escaping(path.utf8) { "%?#".utf8.contains($0) }
    }
}
