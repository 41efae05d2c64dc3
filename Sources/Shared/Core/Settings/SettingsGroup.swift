/// All settings of one program as typed properties, with the table that describes them.
package protocol SettingsGroup: Sendable {
    /// A group with every setting at its default.
    init()
    /// The program's name on the command line.
    static var program: String { get }
    /// The purpose of the program, in one sentence.
    static var summary: String { get }
    static var settings: [Setting<Self>] { get }
    /// The variables, and the keys of a file, of all programs that one environment or file may serve.
    static var family: Set<String> { get }
}

extension SettingsGroup {
    /// Returns the settings as environment variables for a child process. Flags would be visible to
    /// every user of the machine, and a Redis URL may contain a password.
    package func environment() -> [(name: String, value: String)] {
        Self.settings.compactMap { setting in setting.text(self).map { (setting.variable, $0) } }
    }

    /// Returns the settings as a configuration file, with secrets hidden.
    func shown(origins: [String: SettingOrigin]) -> String {
        Self.settings.map { setting in
            let value = setting.shown(in: self) ?? ""
            let line = "\(setting.fileKey): \(value)"
            let note = origins[setting.flag].map(\.description) ?? setting.defaultNote.map { "default: \($0)" } ?? "default"
            return line + String(repeating: " ", count: max(1, 48 - line.count)) + "# " + note
        }
        .joined(separator: "\n")
    }

    /// Returns the text for `--help`.
    package static func help() -> String {
        let defaults = Self()
        var text = "\(summary)\n\nUsage: \(program) [settings]\n\nSettings:\n"
        for setting in settings {
            let fallback = setting.defaultNote ?? setting.shown(in: defaults) ?? ""
            text += "  \(setting.usage)\n      \(setting.help)"
            text += fallback.isEmpty ? "\n" : " Default: \(fallback).\n"
        }
        return text + """
              --config PATH
                  Reads settings from a file of `key: value` lines; # starts a comment.
              --print-config
                  Shows every setting and where its value came from, and exits.
              --version, --help

            Each setting has three spellings: --log-level info, TINTYPE_LOG_LEVEL=info and, in the file, logLevel: info.
            Flags win over the environment, the environment wins over the file.
            """
    }
}

/// The origin of a value.
package enum SettingOrigin: Sendable, Hashable, CustomStringConvertible {
    case flag
    case environment(String)
    case file(String, line: Int)

    package var description: String {
        switch self {
        case .flag: "flag"
        case .environment(let name): "environment \(name)"
        case .file(let path, let line): "\(path):\(line)"
        }
    }
}
