import Coordinator
import Glibc
import TintypeContracts
import TintypeCore
import TintypeFeatures
import TintypeTransport
import TintypeSettings

/// `tintype-coordinator`: reads the settings, runs the service and handles signals.
@main
enum CoordinatorMain {
    static func main() async {
        keepMemoryPrivate()
        returnFreedMemory()
        ignoreBrokenPipes()
        ignoreStraySignals()
        raiseDescriptorLimit()
        let settings = SettingsReader<CoordinatorConfiguration>.readOrExit()
        await serve(settings)
    }

    @Loop
    private static func serve(_ settings: CoordinatorConfiguration) async {
        let logger = settings.core.common.logger("coordinator")
        EventLog.write(to: logger)
        PasswordArguments.warn(CommandLine.arguments, logger)
        let pool = BlockingPool(threads: 2, name: "files")
        let coordinator: Coordinator
        do {
            coordinator = try Coordinator(settings.core, features: Feature.all(settings), tracers: tracers, pool: pool, logger: logger)
        } catch let mistake as SettingError {
            StandardStream.printError("\(CoordinatorConfiguration.program): \(mistake.message)")
            exit(2)
        } catch {
            StandardStream.printError("\(CoordinatorConfiguration.program): \(error)")
            exit(1)
        }
        let stopRequested = OneShot<Void>()
        var times = 0
        let stop: @Loop () -> Void = {
            times += 1
            switch times {
            case 1: stopRequested.complete(.success(()))
            case 2: coordinator.hurry()
            // The third signal ends the process at once.
            default: exit(1)
            }
        }
        let reloads = TaskScope()
        let reload: @Loop () -> Void = { reloads.run("reload") { await coordinator.reload() } }
        let watches = [SIGTERM, SIGINT].map { SignalWatch($0, stop) } + [SignalWatch(SIGHUP, reload)]
        let images = coordinator.addresses["images"].map { " images=\($0)" } ?? ""
        StandardStream.printLine("ready rpc=\(coordinator.rpcAddress) http=\(coordinator.httpAddress)\(images) pid=\(getpid())")
        try? await stopRequested.wait()
        await coordinator.drain()
        pool.stop()
        for watch in watches { watch.cancel() }
        exit(0)
    }
}
