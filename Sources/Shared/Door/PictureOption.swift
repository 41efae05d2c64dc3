import TintypeCore

/// The description of one option of imgproxy: names, arguments, and the change that it makes. Reading and documents come from it.
///
/// `DoorGap` lists the uses that have no operation here.
package struct PictureOption: Sendable {
    package let name: String
    package let aliases: [String]
    package let isPro: Bool
    let arguments: [OptionArgument]
    /// Whether the last arguments, so many of them, may be repeated.
    let repeats: Int
    /// Whether only a preset may have the option: the operator decides, not the maker of a URL.
    package let isOperators: Bool
    /// Whether a URL with the option needs a signature. Presets may have it anyway.
    let needsSignature: Bool
    /// The outcome, for documents; for an option that is not read, the reason.
    package let becomes: String
    /// nil: the option is not read at all.
    let change: (@Sendable (inout PictureOptions, OptionValues) throws(DoorRefusal) -> Void)?
    package var isRead: Bool { change != nil }

    init(
        _ name: String, _ aliases: [String] = [], isPro: Bool = false, _ arguments: [OptionArgument], repeats: Int = 0,
        isOperators: Bool = false, needsSignature: Bool = false, becomes: String,
        change: @escaping @Sendable (inout PictureOptions, OptionValues) throws(DoorRefusal) -> Void
    ) {
        (self.name, self.aliases, self.isPro, self.arguments, self.repeats) = (name, aliases, isPro, arguments, repeats)
        (self.isOperators, self.needsSignature, self.becomes, self.change) = (isOperators, needsSignature, becomes, change)
    }

    /// An option whose one argument is the value of a member.
    init<Value>(
        _ name: String, _ aliases: [String] = [], isPro: Bool = false, sets member: any WritableKeyPath<PictureOptions, Value> & Sendable,
        _ argument: String, _ type: MemberType<Value>, isOperators: Bool = false, becomes: String
    ) {
        let arguments = [OptionArgument(argument, type.type, required: true)]
        self.init(name, aliases, isPro: isPro, arguments, isOperators: isOperators, becomes: becomes) { options, values in
            if let value = type.value(values) { options[keyPath: member] = value }
        }
    }

    /// An option of imgproxy Pro that has nothing like it here: whatever its arguments, it is refused by its name.
    /// - Parameter reason: a clause for documents.
    init(unread name: String, _ aliases: [String] = [], because reason: String) {
        (self.name, self.aliases, isPro, arguments, repeats) = (name, aliases, true, [], 0)
        (isOperators, needsSignature, becomes, change) = (false, false, reason, nil)
    }

    /// Applies the option as it was written.
    /// - Throws: `notSupported`, `tooManyArguments`, `wrongArgument`.
    func apply(_ words: [String], to options: inout PictureOptions) throws(DoorRefusal) {
        guard let change else {
            throw DoorRefusal(.notSupported, option: name, "\(name) is an option of imgproxy Pro that has nothing like it here; leave it out")
        }
        let read = try values(words)
        do throws(DoorRefusal) {
            try change(&options, read)
        } catch {
            throw DoorRefusal(error.reason, option: error.option ?? name, at: error.position, error.message)
        }
    }

    private func values(_ words: [String]) throws(DoorRefusal) -> OptionValues {
        guard words.count <= arguments.count || repeats > 0 else {
            throw DoorRefusal(
                .tooManyArguments, option: name, "\(name) takes \(arguments.count == 1 ? "one argument" : "\(arguments.count) arguments"), not \(words.count)")
        }
        var values: [OptionValue?] = []
        for (index, word) in words.enumerated() {
            let argument = argument(index)
            if word.isEmpty {
                values.append(nil)
            } else if let value = argument.type.read(word) {
                values.append(value)
            } else {
                throw DoorRefusal(
                    .wrongArgument, option: name, "\(argument.name) of \(name) must be \(argument.type.expectation), not \(DoorRefusal.shown(word))")
            }
        }
        for (index, argument) in arguments.enumerated() where argument.isRequired && (index >= values.count || values[index] == nil) {
            throw DoorRefusal(.wrongArgument, option: name, "\(argument.name) of \(name) is missing: give \(argument.type.expectation)")
        }
        return OptionValues(values: values)
    }

    private func argument(_ index: Int) -> OptionArgument {
        guard index >= arguments.count else { return arguments[index] }
        return arguments[arguments.count - repeats + (index - arguments.count) % repeats]
    }

    /// The form for documents: `resize:TYPE:WIDTH…`.
    package var notation: String {
        ([name] + arguments.map { $0.name.uppercased().replacing(" ", with: "_") }).joined(separator: ":") + (repeats > 0 ? ":…" : "")
    }
}

extension DoorRefusal {
    /// The refusal of an argument within an option, which adds its name.
    static func wrongArgument(_ message: String) -> DoorRefusal { DoorRefusal(.wrongArgument, message) }
}
