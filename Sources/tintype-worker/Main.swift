import Glibc
package import TintypeContracts
import TintypeCore
package import TintypeTransport
import TintypeSettings
import TintypeCookieJars
import TintypePreviews
import TintypeSaving
import TintypeTextBodies
import TintypeTracing
package import Worker

/// The features of this worker, each with its own settings. A request that needs one that is missing fails with `forbidden`.
package func workerFeatures(_ settings: WorkerConfiguration = WorkerConfiguration()) -> [WorkerFeature] {
    [
        .cookieJars,
        .previews,
        .saving(settings.saving),
        .textBodies,
    ]
}

/// The features that take the spans of this worker. The first that the environment asks for has them all.
package let workerTracers: [TracerMaker] = [
    tracing
]

/// The worker: `tintype-worker` claims fetches from the queue. With `--role` it is one of its own helpers, such as a pixel process.
@main enum WorkerMain {
    static func main() async {
        keepMemoryPrivate()
        if let status = WorkerRole.run(Array(CommandLine.arguments.dropFirst())) { exit(status) }
        ignoreBrokenPipes()
        ignoreStraySignals()
        raiseDescriptorLimit()
        let settings: WorkerConfiguration = SettingsReader.readOrExit()
        exit(await run(settings))
    }

    /// Serves until SIGTERM or SIGINT. - Returns: the exit status.
    @Loop private static func run(_ settings: WorkerConfiguration) async -> Int32 {
        EventLog.write(to: settings.core.common.logger("worker"))
        PasswordArguments.warn(CommandLine.arguments, settings.core.common.logger("worker"))
        let service: WorkerService
        let ready: String
        do {
            service = try WorkerService(settings.core, features: workerFeatures(settings), tracers: workerTracers)
            ready = try await service.start()
        } catch {
            StandardStream.printError("tintype-worker: \(error)")
            return (error as? TintypeError)?.name == .invalidParams ? 2 : 1
        }
        let asked = OneShot<Void>()
        let stops = [SIGTERM, SIGINT].map { signal in
            SignalWatch(signal) { if !asked.complete(.success(())) { service.giveBack() } }
        }
        let hangUp = SignalWatch(SIGHUP) { service.reload() }
        StandardStream.printLine("ready \(ready)")
        try? await asked.wait()
        await service.drain()
        for watch in stops + [hangUp] { watch.cancel() }
        return 0
    }
}
