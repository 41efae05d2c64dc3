package import Console
import Glibc
import TintypeContracts
import TintypeCore
import TintypeTransport
import TintypeSettings

extension Command {
    /// `tintype up`: runs the whole service on this machine until a signal arrives.
    package static let up = Command(ofSettings: "up", UpSettings.summary, help: { UpSettings.help() }, run: UpCommand.run)
}

/// The command `up`.
enum UpCommand {
    @Loop static func run(_ arguments: [String]) async -> Int32 {
        keepMemoryPrivate()
        let isTerminal = isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1
        var defaults = UpSettings()
        if isTerminal { defaults.common.logLevel = .warning }
        let settings = SettingsReader<UpSettings>.readOrExit(arguments, defaults: defaults)
        let logger = settings.common.logger("up")
        do {
            let deployment = try UpDeployment(settings, logger: logger)
            return try await deployment.run { line in
                guard isTerminal else { return line }
                return UpBanner(line, workers: settings.workers, folder: deployment.folder.path, isSecure: deployment.isSecure).text
            }
        } catch let error as UpFailure {
            StandardStream.printError("tintype up: \(error.message)")
            return 1
        } catch {
            StandardStream.printError("tintype up: \(error)")
            return 1
        }
    }
}

/// The reason why `tintype up` does not start, and the remedy.
struct UpFailure: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
