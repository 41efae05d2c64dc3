import TintypeCore
import TintypeTransport

/// A command: its words, its options and its action. It is also the doorway of a feature of the command line.
package struct Command: Sendable {
    let name: String
    /// The words of the command, as help shows them.
    let usage: String
    let summary: String
    let words: ClosedRange<Int>
    let options: [Option]
    /// Further text for the help page, such as examples.
    let notes: String
    /// The help page of a command whose options are settings of the servers; nil for others.
    let ofSettings: (@Sendable () -> String)?
    private let action: @Sendable @Loop (Command, [String]) async throws -> Int32

    package init(
        _ name: String, _ usage: String, words: ClosedRange<Int>, _ summary: String, options: [Option] = [], notes: String = "",
        run: @escaping @Sendable @Loop (Arguments) async throws -> Int32
    ) {
        (self.name, self.usage, self.words, self.summary) = (name, usage, words, summary)
        (self.options, self.notes, ofSettings) = (options, notes, nil)
        action = { command, given in
            if !given.contains("--help"), !given.contains("-h") { return try await run(Arguments(given, of: command)) }
            try Output.lines(command.help())
            return 0
        }
    }

    /// A command whose options are settings of the servers. It reads its words by itself, `--help` too.
    package init(
        ofSettings name: String, _ summary: String, help: @escaping @Sendable () -> String,
        run: @escaping @Sendable @Loop ([String]) async throws -> Int32
    ) {
        (self.name, usage, words, self.summary) = (name, "", 0...0, summary)
        (options, notes, ofSettings, action) = ([], "", help, { try await run($1) })
    }

    /// Runs the command, or prints its help. - Returns: the exit status.
    @Loop func run(_ given: [String]) async throws -> Int32 { try await action(self, given) }

    /// Returns the option that a word such as `--output` or `-o` names.
    func option(_ word: String) -> Option? {
        options.first { word == "--\($0.name)" || $0.short.map { word == "-\($0)" } ?? false }
    }

    /// The parser for the command's arguments.
    var flags: FlagParser {
        FlagParser(options.map { .init($0.name, short: $0.short, isSwitch: $0.isSwitch, repeats: $0.repeats) }, words: words.lowerBound)
    }

    func help() -> String {
        if let ofSettings { return ofSettings() }
        var text = "\(summary)\n\nUsage: tintype \(name)\(usage.isEmpty ? "" : " " + usage)\(options.isEmpty ? "" : " [options]")\n"
        if !options.isEmpty { text += "\nOptions:\n" }
        for option in options { text += "  \(option.usage)\n      \(option.help)\n" }
        return notes.isEmpty ? String(text.dropLast()) : text + "\n" + notes
    }

    /// The options of every command that calls a coordinator.
    package static let connection =
        [
            Option("coordinator", "HOST:PORT", "The address of the coordinator; tls://HOST:PORT for TLS. Default: $TINTYPE_COORDINATOR, else 127.0.0.1:7411."),
            ServiceToken.option,
            Option("json", nil, "Prints JSON: the result on success, {\"error\": …} on failure."),
        ] + ServiceTLS.options
}
