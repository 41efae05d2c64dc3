import TintypeCore
import TintypeTransport

/// One command: its words and options, and what it does.
struct Command: Sendable {
    let name: String
    /// The words it takes, as help shows them.
    let usage: String
    let summary: String
    let words: ClosedRange<Int>
    let options: [Option]
    /// More for its help page: examples.
    let notes: String
    /// Does it, on the loop; returns the exit status.
    let run: @Sendable @Loop (Arguments) async throws -> Int32

    init(
        _ name: String, _ usage: String, words: ClosedRange<Int>, _ summary: String, options: [Option] = [], notes: String = "",
        run: @escaping @Sendable @Loop (Arguments) async throws -> Int32
    ) {
        (self.name, self.usage, self.words, self.summary) = (name, usage, words, summary)
        (self.options, self.notes, self.run) = (options, notes, run)
    }

    /// The option a word such as `--output` or `-o` means.
    func option(_ word: String) -> Option? {
        options.first { word == "--\($0.name)" || $0.short.map { word == "-\($0)" } ?? false }
    }

    /// Takes its arguments apart.
    var flags: FlagParser {
        FlagParser(options.map { .init($0.name, short: $0.short, isSwitch: $0.isSwitch, repeats: $0.repeats) }, words: words.lowerBound)
    }

    func help() -> String {
        var text = "\(summary)\n\nUsage: tintype \(name)\(usage.isEmpty ? "" : " " + usage)\(options.isEmpty ? "" : " [options]")\n"
        if !options.isEmpty { text += "\nOptions:\n" }
        for option in options { text += "  \(option.usage)\n      \(option.help)\n" }
        return notes.isEmpty ? String(text.dropLast()) : text + "\n" + notes
    }

    /// What every command takes that talks to a coordinator.
    static let connection = [
        Option("coordinator", "HOST:PORT", "Where the coordinator is. Default: $TINTYPE_COORDINATOR, else 127.0.0.1:7411."),
        ServiceToken.option,
        Option("json", nil, "Prints JSON for programs: the result on success, {\"error\": …} on failure."),
    ]
}
