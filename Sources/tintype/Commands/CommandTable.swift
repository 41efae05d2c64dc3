import TintypeCore
import TintypeSettings

/// All commands, in the order in which help shows them.
enum CommandTable {
    static let commands: [Command] = [
        LoadCommand.command, SubmitCommand.command, StatusCommand.command, CancelCommand.command, ProbeCommand.command, ExplainCommand.command,
        BatchCommand.command, ConvertCommand.command, URLCommand.command,
        QueuesCommand.command, DeadCommand.command, CacheCommand.command, WorkersCommand.command, TopCommand.command, ValidateCommand.command,
        RPCCommand.command,
        DocsCommand.command, HelpCommand.command, VersionCommand.command,
    ]

    /// The commands whose options are settings of the servers, with their help.
    static let ofSettings: [(name: String, summary: String, help: @Sendable () -> String)] = [
        ("up", UpSettings.summary, { UpSettings.help() }), ("doctor", DoctorSettings.summary, { DoctorCommand.help() }),
    ]

    static let names = ofSettings.map(\.name) + commands.map(\.name)

    static func command(_ name: String) -> Command? {
        commands.first { $0.name == name }
    }

    /// - Throws: `UsageError` that suggests the nearest name.
    static func known(_ name: String) throws(UsageError) -> Command {
        guard let command = command(name) else {
            throw UsageError("unknown command \"\(RedactedText(name))\"\(NearestName.hint(name, among: names))")
        }
        return command
    }

    /// Finds the command among the words: `tintype --coordinator h:1 load u` is the same as `tintype load --coordinator h:1 u`.
    ///
    /// The first word is the command unless it is an option. After options, the command is the first word that is a command's name and not the
    /// value of an option. All other words go to the command's parser, which reports their mistakes. `--help` and `--version` alone mean the
    /// commands of these names.
    /// - Returns: The command, which may be an unknown word. It is nil if there is no word, or if the only words
    ///   may be values of an unknown option.
    static func split(_ given: [String]) -> (command: String?, arguments: [String]) {
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

    private static func alone(_ options: [String]) -> (command: String?, arguments: [String]) {
        for (option, command) in [("--help", "help"), ("-h", "help"), ("--version", "version")] {
            guard let place = options.firstIndex(of: option) else { continue }
            return (command, Array(options[..<place] + options[(place + 1)...]))
        }
        return (nil, options)
    }

    /// Returns the mistake of words that name no command. An unknown option is reported first: it is the more likely mistake.
    static func missing(_ given: [String]) -> UsageError {
        guard let unknown = unknownOption(given) else { return UsageError("missing: the command, such as tintype load URL") }
        let names = Set(commands.flatMap(\.options).map { "--\($0.name)" } + standing).sorted()
        return UsageError("unknown option \(RedactedText(unknown))\(NearestName.hint(unknown, among: names))")
    }

    /// Options that stand for a command.
    private static let standing = ["--help", "--version"]

    private static func unknownOption(_ given: [String]) -> String? {
        let spelt = given.filter { $0.hasPrefix("-") && $0.count > 1 }.map { String($0.prefix { $0 != "=" }) }
        return spelt.first { word in word != "-h" && !standing.contains(word) && commands.allSatisfy { $0.option(word) == nil } }
    }

    /// Returns whether the word after this option is its value, in every command that has the option.
    private static func takesValue(_ word: String) -> Bool {
        let known = commands.compactMap { $0.option(word) }
        return !known.isEmpty && !known.contains(where: \.isSwitch)
    }

    static func help() -> String {
        let rows = ofSettings.map { ($0.name, $0.summary) } + commands.map { ($0.name, $0.summary) }
        let lines = rows.map { "  " + $0.0 + String(repeating: " ", count: max(1, 14 - $0.0.count)) + $0.1 }
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
    static let command = Command(
        "help", "[COMMAND]", words: 0...1, "Lists the commands, or every option of one command.",
        run: { arguments in
            try Output.lines(try page(of: arguments.words.first))
            return 0
        })

    private static func page(of word: String?) throws(UsageError) -> String {
        guard let word else { return CommandTable.help() }
        if let command = CommandTable.ofSettings.first(where: { $0.name == word }) { return command.help() }
        return try CommandTable.known(word).help()
    }
}
