/// The reason why a value was refused, with what to correct: `expected …, got "…"`.
package struct SettingError: Error, Sendable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }

    /// Returns the usual message. For secrets, the caller leaves `text` out.
    package static func expected(_ what: String, got text: String) -> SettingError {
        SettingError("expected \(what), got \"\(text)\"")
    }
}

/// One kind of value of a setting: how it is written, read and shown.
package struct SettingType<Value: Sendable>: Sendable {
    /// The name of the value in `--help`: `ADDRESS`, `SIZE`.
    package let placeholder: String
    /// Reads the value from text.
    package let parse: @Sendable (String) throws(SettingError) -> Value
    /// Writes the value so that `parse` reads it back.
    package let text: @Sendable (Value) -> String
    /// Returns the form that may be shown. It differs from the text if a value can contain a secret.
    package let shown: @Sendable (String) -> String

    package init(
        placeholder: String,
        parse: @escaping @Sendable (String) throws(SettingError) -> Value,
        text: @escaping @Sendable (Value) -> String,
        shown: @escaping @Sendable (String) -> String = { $0 }
    ) {
        self.placeholder = placeholder
        self.parse = parse
        self.text = text
        self.shown = shown
    }
}
