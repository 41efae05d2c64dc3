import Glibc
import TintypeCore
import TintypeTransport

/// A child process of `tintype up` that is restarted when it dies: after 0.2 s the first time, then after growing pauses.
@Loop
final class SupervisedChild {
    /// The command that starts the child. It is computed for each start, because a restart keeps the ports of the first start.
    struct Launch: Sendable {
        var path: String
        var arguments: [String]
        var environment: [String: String]
        var deathSignal = SIGKILL
    }

    let name: String
    private let launch: @Loop () -> Launch
    private let logger: Logger
    private let onLine: @Loop (String) -> Void
    private let scope = TaskScope()
    private var child: SpawnedProcess?
    private var isStopping = false

    private static let firstPause = Duration.milliseconds(200)
    private static let maxPause = Duration.seconds(10)
    /// A child that has lived this long starts over with the first pause.
    private static let stableAfter = Duration.seconds(30)

    init(_ name: String, logger: Logger, launch: @escaping @Loop () -> Launch, onLine: @escaping @Loop (String) -> Void) {
        self.name = name
        self.logger = logger
        self.launch = launch
        self.onLine = onLine
    }

    /// The process that runs now.
    var process: SpawnedProcess? { child }

    /// Starts the child for the first time. The caller waits until the child is ready and then calls `keepAlive`.
    func start() throws(UpFailure) {
        do throws(SpawnedProcess.Failure) {
            let launch = launch()
            child = try SpawnedProcess(
                path: launch.path, arguments: launch.arguments, environment: launch.environment, deathSignal: launch.deathSignal, onLine: onLine)
        } catch {
            throw UpFailure(error.description)
        }
    }

    /// Restarts the child from now on whenever it dies.
    func keepAlive() {
        scope.run("keep \(name) alive") { [weak self] in await self?.watch() }
    }

    private func watch() async {
        var pause = Self.firstPause
        while !isStopping {
            let started = ContinuousClock.now
            if let child {
                guard let end = try? await child.wait(), !isStopping else { return }
                logger.error("a process died; restarting it", ["process": name, "end": end])
            }
            if ContinuousClock.now - started > Self.stableAfter { pause = Self.firstPause }
            guard (try? await Loop.sleep(pause)) != nil, !isStopping else { return }
            pause = min(pause * 2, Self.maxPause)
            do throws(UpFailure) {
                try start()
                logger.notice("process restarted", ["process": name, "pid": child?.identifier ?? 0])
            } catch {
                child = nil
                logger.error("restart failed; trying again", ["process": name, "reason": error.message])
            }
        }
    }

    /// Sends a signal to the child, to speed up a stop that is under way.
    func send(_ signal: Int32) {
        child?.send(signal)
    }

    /// Makes the child's next death final.
    func giveUp() {
        isStopping = true
        scope.cancelAll()
    }

    /// Stops the child for good: SIGTERM, and SIGKILL after `grace`.
    func stop(grace: Duration) async {
        giveUp()
        guard let child, child.end == nil else { return }
        await child.stop(grace: grace)
        logger.info("stopped", ["process": name, "end": child.end.map(\.description) ?? "unknown"])
    }
}

/// The last lines that a child process wrote.
@Loop
final class LastLines {
    private(set) var kept: [String] = []
    private static let limit = 20

    func append(_ line: String) {
        if kept.count == Self.limit { kept.removeFirst() }
        kept.append(line)
    }
}
