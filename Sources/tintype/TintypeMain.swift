import Glibc
import TintypeTransport

/// The command line of Tintype. Exit status: 0 success, 1 the work failed, 2 wrong usage.
@main enum TintypeMain {
    static func main() async {
        ignoreBrokenPipes()
        let status = await run(Array(CommandLine.arguments.dropFirst()))
        exit(status)
    }

    @Loop static func run(_ given: [String]) async -> Int32 {
        let (word, arguments) = CommandTable.split(given)
        // This also works where the words cannot be parsed.
        let isJSON = given.contains("--json") || given.contains("--json=true")
        do {
            switch word {
            case "up": return await UpCommand.run(arguments)
            case "doctor": return try await DoctorCommand.run(arguments)
            case nil where given.isEmpty:
                Output.note(CommandTable.help())
                return 2
            case nil: throw CommandTable.missing(given)
            case let word?:
                let command = try CommandTable.known(word)
                if arguments.contains("--help") || arguments.contains("-h") {
                    try Output.lines(command.help())
                } else {
                    return try await command.run(Arguments(arguments, of: command))
                }
            }
            return 0
        } catch {
            let known = word.flatMap { CommandTable.names.contains($0) ? $0 : nil }
            return FailureReport(error, command: known ?? "").print(json: isJSON)
        }
    }
}
