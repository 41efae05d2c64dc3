/// Splits a command line into flags and words, by the same rules for every program. Pure: the program interprets the items.
///
///     --name value   --name=value   -n value   --switch   --switch=false   word   -- only words
package struct FlagParser: Sendable {
    /// One flag that a program knows.
    package struct Flag: Sendable {
        /// Its name without dashes.
        let name: String
        /// The letter after one dash that stands for the flag.
        let short: Character?
        /// Whether the flag takes a value only after `=`.
        let isSwitch: Bool
        /// Whether the flag may be given more than once.
        let repeats: Bool

        package init(_ name: String, short: Character? = nil, isSwitch: Bool = false, repeats: Bool = false) {
            (self.name, self.short, self.isSwitch, self.repeats) = (name, short, isSwitch, repeats)
        }

        func isMeant(by word: String) -> Bool { word == "--\(name)" || short.map { word == "-\($0)" } ?? false }
    }

    /// One piece of a command line.
    package enum Item: Sendable, Hashable {
        /// A flag by its name, with its value: `true` for a switch without one.
        case flag(String, String)
        /// An argument that is neither a flag nor a value. `-` is a word.
        case word(String)
        /// `--`: all further arguments are words.
        case end
        case mistake(Mistake)
    }

    /// A mistake in the flag itself, whatever its value means.
    package enum Mistake: Sendable, Hashable {
        /// An unknown flag: the argument as given, and the flag with the most similar name.
        case unknown(String, nearest: String?)
        case repeated(String)
        case missingValue(String)
    }

    private let flags: [Flag]
    private let neededWords: Int

    /// - Parameter words: the number of words that the program needs. None of them is taken for the value of an unknown flag.
    package init(_ flags: [Flag], words: Int = 0) { (self.flags, neededWords) = (flags, words) }

    /// Returns the items of a command line, in order.
    package func items(_ arguments: [String]) -> [Item] {
        var items: [Item] = []
        var given: Set<String> = []
        var words = 0
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" { return items + [.end] + rest.map { .word($0) } }
            guard argument.hasPrefix("-"), argument.count > 1 else {
                words += 1
                items.append(.word(argument))
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let flag = flags.first(where: { $0.isMeant(by: parts[0]) }) else {
                items.append(.mistake(.unknown(argument, nearest: NearestName.of(parts[0], among: flags.map { "--\($0.name)" }))))
                // The next argument may be its value, or the one word that the program needs.
                let isSpare = rest.count > 1 || words >= neededWords
                if parts.count == 1, let next = rest.first, !next.hasPrefix("-"), isSpare { rest.removeFirst() }
                continue
            }
            if !given.insert(flag.name).inserted, !flag.repeats { items.append(.mistake(.repeated(flag.name))) }
            if let value = parts.count == 2 ? parts[1] : flag.isSwitch ? "true" : rest.popFirst() {
                items.append(.flag(flag.name, value))
            } else {
                items.append(.mistake(.missingValue(flag.name)))
            }
        }
        return items
    }
}

extension FlagParser.Item {
    /// The default message for an item that a program without words of its own cannot use; nil for a flag.
    package var mistake: String? {
        switch self {
        case .flag: nil
        case .word(let word): "unexpected argument \"\(RedactedText(word))\""
        case .end: "unexpected argument \"--\""
        case .mistake(.unknown(let argument, let nearest)):
            if argument.hasPrefix("--") {
                "unknown flag \(argument.prefix { $0 != "=" })" + (nearest.map { "; did you mean \($0)?" } ?? "")
            } else {
                "unexpected argument \"\(RedactedText(argument))\""
            }
        case .mistake(.repeated(let name)): "--\(name) is given twice"
        case .mistake(.missingValue(let name)): "--\(name) needs a value"
        }
    }
}
