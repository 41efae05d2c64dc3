/// Why a value was refused, said so that it can be corrected: `expected …, got "…"`.
package struct SettingMistake: Error, Sendable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }

    /// The usual wording. `text` is left out for secrets by the caller.
    package static func expected(_ what: String, got text: String) -> SettingMistake {
        SettingMistake("expected \(what), got \"\(text)\"")
    }
}

/// One kind of value a setting can have: how it is written, read and shown.
package struct SettingType<Value: Sendable>: Sendable {
    /// What stands for the value in `--help`: `ADDRESS`, `SIZE`.
    package let placeholder: String
    /// Reads the value from text.
    package let parse: @Sendable (String) throws(SettingMistake) -> Value
    /// Writes it so that `parse` reads the same again.
    package let text: @Sendable (Value) -> String
    /// How it may be shown; differs from the text where a value can hold a secret.
    package let shown: @Sendable (String) -> String

    package init(
        placeholder: String,
        parse: @escaping @Sendable (String) throws(SettingMistake) -> Value,
        text: @escaping @Sendable (Value) -> String,
        shown: @escaping @Sendable (String) -> String = { $0 }
    ) {
        self.placeholder = placeholder
        self.parse = parse
        self.text = text
        self.shown = shown
    }
}
