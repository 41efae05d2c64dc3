import TintypeCore

/// The parsed words of a command: its options in the given order, and the remaining words.
package struct Arguments: Sendable {
    private(set) var options: [(name: String, value: String)] = []
    private(set) var words: [String] = []

    /// - Throws: `UsageError` with every mistake: unknown options (with the nearest name), missing values, too many words.
    init(_ arguments: [String], of command: Command) throws(UsageError) {
        var mistakes: [String] = []
        for item in command.flags.items(arguments) {
            switch item {
            case .word(let word): words.append(word)
            case .end: continue
            case .flag(let name, let value):
                if command.option("--\(name)")?.isSwitch == true, !["true", "false"].contains(value) {
                    mistakes.append("--\(name) is a switch: it takes =true or =false, not \"\(RedactedText(value))\"")
                } else {
                    options.append((name, value))
                }
            case .mistake(.unknown(let argument, let nearest)):
                mistakes.append("unknown option \(argument.prefix { $0 != "=" })" + (nearest.map { "; did you mean \($0)?" } ?? ""))
            case .mistake(.missingValue(let name)): mistakes.append("--\(name) needs a value: \(command.option("--\(name)")?.usage ?? "")")
            case .mistake(.repeated(let name)): mistakes.append("--\(name) is given twice")
            }
        }
        if words.count < command.words.lowerBound { mistakes.append("missing: \(command.usage)") }
        if words.count > command.words.upperBound { mistakes.append("unexpected argument \"\(RedactedText(words[command.words.upperBound]))\"") }
        if !mistakes.isEmpty { throw UsageError(mistakes: mistakes) }
    }

    /// The value of an option that may be given once.
    package subscript(_ name: String) -> String? {
        options.last { $0.name == name }?.value
    }

    /// The value of an option, else that of a variable of the environment if it is not empty.
    func value(_ name: String, or variable: String) -> String? {
        self[name] ?? ProcessEnvironment.all()[variable].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Reads the file that an option or a variable of the environment names; nil when neither does.
    func file<Content>(
        _ name: String, or variable: String, _ read: (String) throws(SettingError) -> Content
    ) throws(UsageError) -> Content? {
        guard let path = value(name, or: variable) else { return nil }
        do throws(SettingError) { return try read(path) } catch { throw UsageError("\(self[name] == nil ? variable : "--\(name)"): \(error.message)") }
    }

    package func has(_ name: String) -> Bool {
        self[name].map { $0 == "true" } ?? false
    }

    /// All values of an option that may be repeated.
    func all(_ name: String) -> [String] {
        options.filter { $0.name == name }.map(\.value)
    }

    package var isJSON: Bool { has("json") }
}

/// A wrong command line, with a text for every mistake. Exit status 2.
package struct UsageError: Error {
    package let mistakes: [String]

    package init(_ mistakes: String...) {
        self.mistakes = mistakes
    }

    package init(mistakes: [String]) {
        self.mistakes = mistakes
    }
}
