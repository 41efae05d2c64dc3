import Glibc
import Shared

/// The command line of Tintype. Exit status: 0 success, 1 the work failed, 2 wrong usage.
@main enum TintypeMain {
    static func main() async {
        ignoreBrokenPipes()
        let status = await run(Array(CommandLine.arguments.dropFirst()))
        exit(status)
    }

    @Loop static func run(_ given: [String]) async -> Int32 {
        let arguments = commandFirst(given)
        guard let word = arguments.first else {
            StandardStream.printError(CommandTable.help())
            return 2
        }
        switch word {
        case "help" where arguments.count > 1:
            return help(of: arguments[1])
        case "help", "--help", "-h":
            StandardStream.printLine(CommandTable.help())
            return 0
        case "version", "--version":
            StandardStream.printLine("tintype \(TintypeVersion.current)")
            return 0
        case "up":
            return await UpCommand.run()
        default:
            guard let command = CommandTable.command(word) else {
                let hint = NearestName.hint(word, among: CommandTable.names)
                StandardStream.printError("tintype: unknown command \"\(word)\"\(hint)\ntintype help lists the commands")
                return 2
            }
            return await run(command, Array(arguments.dropFirst()))
        }
    }

    /// `tintype --coordinator h:1 load …` is the same as `tintype load … --coordinator h:1`.
    static func commandFirst(_ arguments: [String]) -> [String] {
        var rest = arguments[...]
        var leading: [String] = []
        while let word = rest.first, let option = Command.connection.first(where: { word == "--\($0.name)" || word.hasPrefix("--\($0.name)=") }) {
            leading.append(rest.removeFirst())
            if option.placeholder != nil, !word.contains("="), let value = rest.popFirst() { leading.append(value) }
        }
        guard let command = rest.popFirst() else { return arguments }
        return [command] + leading + rest
    }

    private static func help(of word: String) -> Int32 {
        if word == "up" {
            StandardStream.printLine(UpSettings.help())
            return 0
        }
        guard let command = CommandTable.command(word) else {
            StandardStream.printError("tintype: unknown command \"\(word)\"\(NearestName.hint(word, among: CommandTable.names))")
            return 2
        }
        StandardStream.printLine(command.help())
        return 0
    }

    @Loop private static func run(_ command: Command, _ arguments: [String]) async -> Int32 {
        if arguments.contains("--help") || arguments.contains("-h") {
            StandardStream.printLine(command.help())
            return 0
        }
        // Also where the words cannot be taken apart.
        let isJSON = arguments.contains("--json") || arguments.contains("--json=true")
        do {
            return try await command.run(Arguments(arguments, of: command))
        } catch {
            return FailureReport(error, command: command.name).print(json: isJSON)
        }
    }
}
