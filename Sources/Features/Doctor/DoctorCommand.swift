package import Console
import TintypeContracts
import TintypeCore
import TintypeSettings
import TintypeTransport

extension Command {
    /// `tintype doctor`: checks settings and everything that they name. Exit status 1 when a check has failed.
    package static let doctor = Command(ofSettings: "doctor", DoctorSettings.summary, help: DoctorCommand.help, run: DoctorCommand.run)
}

/// The command `doctor`.
enum DoctorCommand {
    private static let json = "--json"

    @Loop static func run(_ given: [String]) async throws -> Int32 {
        keepMemoryPrivate()
        let isJSON = given.contains(json)
        let arguments = given.filter { $0 != json }
        let environment = ProcessEnvironment.all()
        if case .answer(let text) = SettingsReader<DoctorSettings>.read(arguments: arguments, environment: environment) {
            try Output.lines(arguments.contains { $0 == "--help" || $0 == "-h" } ? help() : text)
            return 0
        }
        let report = SettingsReader<DoctorSettings>.report(arguments: arguments, environment: environment)
        guard report.usage.isEmpty else { throw UsageError(mistakes: report.usage) }
        let findings = await Doctor(report, arguments: arguments).examine()
        try isJSON ? Output.json(Finding.json(findings)) : Output.lines(Finding.text(findings))
        return Finding.hasFailed(findings) ? 1 : 0
    }

    static func help() -> String {
        DoctorSettings.help() + "\n\n" + """
            It takes the settings of both servers; --http is that of the coordinator. Run it as the user of the servers, on each machine.
            Each line is ok, warn or fail, what was checked, what was found, and what to do. --json prints one object instead.
            Exit status: 0 nothing has failed, 1 something has, 2 wrong usage.
            """
    }
}
