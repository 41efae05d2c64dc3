import TintypeSettings
import TintypeCore

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
