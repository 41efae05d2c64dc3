/// One setting of a program. The flag, the environment variable, the key in the file, `--help`,
/// `--print-config` and docs/settings.md all come from this description.
package struct Setting<Root: Sendable>: Sendable {
    /// The flag without dashes: `max-queued`.
    package let flag: String
    /// The name of the value in `--help`; empty for a switch.
    package let placeholder: String
    /// The purpose, in one or two sentences, with units and limits.
    package let help: String
    /// The default if it is not a fixed value: "one per core".
    package let defaultNote: String?
    /// Whether the value is never shown, not even in part.
    package let secret: Bool
    let apply: @Sendable (inout Root, String) throws(SettingError) -> Void
    /// The value as text that reads back the same; nil if unset.
    let text: @Sendable (Root) -> String?
    let redact: @Sendable (String) -> String

    /// Whether the flag needs no value.
    var isSwitch: Bool { placeholder.isEmpty }
    /// The flag with the name of its value.
    package var usage: String { isSwitch ? "--\(flag)" : "--\(flag) \(placeholder)" }

    /// The environment variable: `TINTYPE_MAX_QUEUED`.
    package var variable: String {
        "TINTYPE_" + flag.uppercased().replacing("-", with: "_")
    }

    /// The key in a configuration file: `maxQueued`.
    package var fileKey: String {
        let words = flag.split(separator: "-")
        return words[0] + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// The value in a form that may be shown.
    package func shown(in root: Root) -> String? {
        text(root).map { secret ? "(hidden)" : redact($0) }
    }
}

extension Setting {
    /// A setting in `path`. Its default is the value in a new `Root`.
    package init<Value: Sendable>(
        _ flag: String, _ path: any WritableKeyPath<Root, Value> & Sendable, _ type: SettingType<Value>, secret: Bool = false,
        defaultNote: String? = nil, help: String
    ) {
        self.init(
            flag: flag, placeholder: type.placeholder, help: help, defaultNote: defaultNote, secret: secret,
            apply: { root, text throws(SettingError) in root[keyPath: path] = try type.parse(text) },
            text: { type.text($0[keyPath: path]) }, redact: type.shown)
    }

    /// An optional setting. `defaultNote` describes the unset value.
    package init<Value: Sendable>(
        _ flag: String, optional path: any WritableKeyPath<Root, Value?> & Sendable, _ type: SettingType<Value>,
        secret: Bool = false, defaultNote: String, help: String
    ) {
        self.init(
            flag: flag, placeholder: type.placeholder, help: help, defaultNote: defaultNote, secret: secret,
            apply: { root, text throws(SettingError) in root[keyPath: path] = try type.parse(text) },
            text: { $0[keyPath: path].map(type.text) }, redact: type.shown)
    }

    /// Returns the setting for a larger group that contains this one.
    package func lifted<Outer: Sendable>(_ path: any WritableKeyPath<Outer, Root> & Sendable) -> Setting<Outer> {
        let (apply, text) = (apply, text)
        return Setting<Outer>(
            flag: flag, placeholder: placeholder, help: help, defaultNote: defaultNote, secret: secret,
            apply: { outer, value throws(SettingError) in try apply(&outer[keyPath: path], value) },
            text: { text($0[keyPath: path]) }, redact: redact)
    }

    /// Returns the setting with another default.
    package func noting(default note: String) -> Setting<Root> {
        Setting(flag: flag, placeholder: placeholder, help: help, defaultNote: note, secret: secret, apply: apply, text: text, redact: redact)
    }
}

extension Array {
    /// Returns the settings with those of a part of their group behind the setting with this flag.
    package func adding<Root, Part>(
        _ settings: [Setting<Part>], at path: any WritableKeyPath<Root, Part> & Sendable, behind flag: String
    ) -> Self where Element == Setting<Root> {
        var all = self
        all.insert(contentsOf: settings.map { $0.lifted(path) }, at: firstIndex { $0.flag == flag }.map { $0 + 1 } ?? count)
        return all
    }
}
