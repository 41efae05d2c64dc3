import TintypeContracts
import TintypeCore
import TintypeTransport

/// All commands, in the order in which help shows them.
package struct CommandTable {
    let commands: [Command]

    /// - Parameter features: Those with settings of the servers come first, and the others behind the commands for operators.
    package init(features: [Command]) {
        let plain: [Command] = [
            LoadCommand.command, SubmitCommand.command, StatusCommand.command, CancelCommand.command, ProbeCommand.command, ExplainCommand.command,
            BatchCommand.command, ConvertCommand.command, URLCommand.command,
            QueuesCommand.command, DeadCommand.command, CacheCommand.command, WorkersCommand.command,
        ]
        let last = [ValidateCommand.command, RPCCommand.command, DocsCommand.command, HelpCommand.command(features), VersionCommand.command]
        commands = features.filter { $0.ofSettings != nil } + plain + features.filter { $0.ofSettings == nil } + last
    }

    /// Runs the command that the words name.
    /// - Returns: the exit status: 0 success, 1 the work failed, 2 wrong usage.
    @Loop package func run(_ given: [String]) async -> Int32 {
        let (word, arguments) = split(given)
        // This also works where the words cannot be parsed.
        let isJSON = given.contains("--json") || given.contains("--json=true")
        do {
            guard let word else {
                guard given.isEmpty else { throw missing(given) }
                Output.note(help())
                return 2
            }
            return try await known(word).run(arguments)
        } catch {
            return FailureReport(error, command: names.first { $0 == word } ?? "").print(json: isJSON)
        }
    }

    private var names: [String] { commands.map(\.name) }

    /// - Throws: `UsageError` that suggests the nearest name.
    func known(_ name: String) throws(UsageError) -> Command {
        guard let command = commands.first(where: { $0.name == name }) else {
            throw UsageError("unknown command \"\(RedactedText(name))\"\(NearestName.hint(name, among: names))")
        }
        return command
    }

    /// Finds the command among the words: `tintype --coordinator h:1 load u` is the same as `tintype load --coordinator h:1 u`.
    ///
    /// The first word is the command unless it is an option. After options, the command is the first word that is a command's name and not the value of an
    /// option. All other words go to the command's parser, which reports their mistakes. `--help` and `--version` alone mean the commands of these names.
    /// - Returns: The command, which may be an unknown word. It is nil if there is no word, or if the only words
    ///   may be values of an unknown option.
    func split(_ given: [String]) -> (command: String?, arguments: [String]) {
        guard let first = given.first else { return (nil, []) }
        if !first.hasPrefix("-") { return (first, Array(given.dropFirst())) }
        var places: [Int] = []
        var isValue = false
        for (place, word) in given.enumerated() {
            if word.hasPrefix("-") {
                isValue = takesValue(word)
            } else {
                if !isValue { places.append(place) }
                isValue = false
            }
        }
        let stray = unknownOption(given) == nil ? places.first : nil
        guard let place = places.first(where: { names.contains(given[$0]) }) ?? stray else { return alone(given) }
        return (given[place], Array(given[..<place] + given[(place + 1)...]))
    }

    private func alone(_ options: [String]) -> (command: String?, arguments: [String]) {
        for (option, command) in [("--help", "help"), ("-h", "help"), ("--version", "version")] {
            guard let place = options.firstIndex(of: option) else { continue }
            return (command, Array(options[..<place] + options[(place + 1)...]))
        }
        return (nil, options)
    }

    /// Returns the mistake of words that name no command. An unknown option is reported first: it is the more likely mistake.
    func missing(_ given: [String]) -> UsageError {
        guard let unknown = unknownOption(given) else { return UsageError("missing: the command, such as tintype load URL") }
        let names = Set(commands.flatMap(\.options).map { "--\($0.name)" } + Self.standing).sorted()
        return UsageError("unknown option \(RedactedText(unknown))\(NearestName.hint(unknown, among: names))")
    }

    /// Options that stand for a command.
    private static let standing = ["--help", "--version"]

    private func unknownOption(_ given: [String]) -> String? {
        let spelt = given.filter { $0.hasPrefix("-") && $0.count > 1 }.map { String($0.prefix { $0 != "=" }) }
        return spelt.first { word in word != "-h" && !Self.standing.contains(word) && commands.allSatisfy { $0.option(word) == nil } }
    }

    /// Returns whether the word after this option is its value, in every command that has the option.
    private func takesValue(_ word: String) -> Bool {
        let known = commands.compactMap { $0.option(word) }
        return !known.isEmpty && !known.contains(where: \.isSwitch)
    }

    func help() -> String {
        let lines = commands.map { "  " + $0.name + String(repeating: " ", count: max(1, 14 - $0.name.count)) + $0.summary }
        return """
            Tintype loads images for other programs.

            Usage: tintype COMMAND [options]

            Commands:
            \(lines.joined(separator: "\n"))

            Try: tintype up &   then   tintype load URL --resize 400x300 --fit cover -o photo.webp   (URL: the address of any picture)
            Exit status: 0 success, 1 the work failed, 2 wrong usage.
            """
    }
}

/// `tintype version`, or `tintype --version`.
enum VersionCommand {
    static let command = Command(
        "version", "", words: 0...0, "Shows the version.", options: [Option("json", nil, "Prints JSON.")],
        run: { arguments in
            let version = TintypeVersion.current
            try Output.answer(["version": .string(version)], arguments, "tintype \(version)")
            return 0
        })
}

/// `tintype help COMMAND`, or `tintype --help`.
enum HelpCommand {
    /// - Parameter features: as the table of commands takes them.
    static func command(_ features: [Command]) -> Command {
        Command(
            "help", "[COMMAND]", words: 0...1, "Lists the commands, or every option of one command.",
            run: { arguments in
                let table = CommandTable(features: features)
                try Output.lines(arguments.words.first.map(table.known)?.help() ?? table.help())
                return 0
            })
    }
}
