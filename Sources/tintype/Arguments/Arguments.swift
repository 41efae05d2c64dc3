import TintypeCore

/// The words behind a command, taken apart: options in the order given, and the rest.
struct Arguments: Sendable {
    private(set) var options: [(name: String, value: String)] = []
    private(set) var words: [String] = []

    /// - Throws: `UsageError` with every mistake: unknown options (with the nearest name), missing values, too many words.
    init(_ arguments: [String], of command: Command) throws(UsageError) {
        var mistakes: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                words += rest
                break
            }
            guard argument.hasPrefix("-"), argument.count > 1 else {
                words.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let option = command.option(parts[0]) else {
                let names = command.options.map { "--\($0.name)" }
                mistakes.append("unknown option \(parts[0])\(NearestName.hint(parts[0], among: names))")
                // What follows may be its value, or the one word that the command needs.
                let isSpare = rest.count > 1 || words.count >= command.words.lowerBound
                if parts.count == 1, let next = rest.first, !next.hasPrefix("-"), isSpare { rest.removeFirst() }
                continue
            }
            if !option.repeats, options.contains(where: { $0.name == option.name }) { mistakes.append("--\(option.name) is given twice") }
            if option.placeholder == nil {
                let value = parts.count == 2 ? parts[1] : "true"
                if ["true", "false"].contains(value) {
                    options.append((option.name, value))
                } else {
                    mistakes.append("--\(option.name) is a switch: it takes =true or =false, not \"\(RedactedText(value))\"")
                }
            } else if let value = parts.count == 2 ? parts[1] : rest.popFirst() {
                options.append((option.name, value))
            } else {
                mistakes.append("--\(option.name) needs a value: \(option.usage)")
            }
        }
        if words.count < command.words.lowerBound { mistakes.append("missing: \(command.usage)") }
        if words.count > command.words.upperBound { mistakes.append("unexpected argument \"\(RedactedText(words[command.words.upperBound]))\"") }
        if !mistakes.isEmpty { throw UsageError(mistakes: mistakes) }
    }

    /// The value of an option that is given at most once.
    subscript(_ name: String) -> String? {
        options.last { $0.name == name }?.value
    }

    func has(_ name: String) -> Bool {
        self[name].map { $0 == "true" } ?? false
    }

    /// All values of an option that may be repeated.
    func all(_ name: String) -> [String] {
        options.filter { $0.name == name }.map(\.value)
    }

    var isJSON: Bool { has("json") }
}
