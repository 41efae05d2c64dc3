import Glibc

/// The outcome of reading the settings.
package enum SettingsOutcome<Root: SettingsGroup>: Sendable {
    /// Run with these settings.
    case run(Root)
    /// The caller asked for a text (`--help`, `--version`, `--print-config`): print it, exit 0.
    case answer(String)
    /// Every mistake, one a line: print it to standard error, exit 2.
    case refuse(String)
}

/// The settings as far as they can be read, and every mistake in them: for a program that reports the mistakes and goes on.
package struct SettingsReport<Root: SettingsGroup>: Sendable {
    /// A setting with a mistake has its default.
    package let root: Root
    /// Mistakes in the words of the command line: unknown flags, missing values.
    package let usage: [String]
    /// Mistakes in values, and unknown names in the file and the environment.
    package let mistakes: [String]
    /// The number of settings with a value of their own.
    package let given: Int
    /// The file that was read; nil: none is named.
    package let file: String?
}

/// Reads the settings of one program: flags win over environment, environment over file; all mistakes are reported. Pure except for reading files.
package struct SettingsReader<Root: SettingsGroup> {
    private var root: Root
    private var origins: [String: SettingOrigin] = [:]
    private var mistakes: [String] = []
    private var flags: [(name: String, value: String)] = []
    private var configPath: String?
    private var asked: Set<String> = []

    private static var questions: [String] { ["help", "version", "print-config"] }

    private static var parser: FlagParser {
        FlagParser(
            Root.settings.map { .init($0.flag, isSwitch: $0.isSwitch) } + [.init("config", repeats: true)]
                + questions.map { .init($0, short: $0 == "help" ? "h" : nil, isSwitch: true, repeats: true) })
    }

    private init(_ defaults: Root) { root = defaults }

    /// Reads the arguments of `main`. `environment` has all variables; those of other programs are ignored.
    /// - Parameter defaults: the values of unset settings.
    package static func read(
        arguments: [String], environment: [String: String], defaults: Root = Root(),
        readFile: (String) throws(SettingError) -> String = ConfigurationFile.read
    ) -> SettingsOutcome<Root> {
        var reader = SettingsReader(defaults)
        reader.takeArguments(arguments)
        if reader.asked.contains("help") { return .answer(Root.help()) }
        if reader.asked.contains("version") { return .answer("\(Root.program) \(TintypeVersion.current)") }
        reader.apply(environment, readFile)
        guard reader.mistakes.isEmpty else {
            let lines = reader.mistakes.map { "\(Root.program): \($0)" } + ["\(Root.program) --help lists every setting"]
            return .refuse(lines.joined(separator: "\n"))
        }
        if reader.asked.contains("print-config") { return .answer(reader.root.shown(origins: reader.origins)) }
        return .run(reader.root)
    }

    /// Reads the settings as `read` does, and goes on behind mistakes.
    package static func report(
        arguments: [String], environment: [String: String], readFile: (String) throws(SettingError) -> String = ConfigurationFile.read
    ) -> SettingsReport<Root> {
        var reader = SettingsReader(Root())
        reader.takeArguments(arguments)
        let usage = reader.mistakes
        reader.mistakes = []
        reader.apply(environment, readFile)
        return SettingsReport(root: reader.root, usage: usage, mistakes: reader.mistakes, given: reader.origins.count, file: reader.file(environment))
    }

    private mutating func apply(_ environment: [String: String], _ readFile: (String) throws(SettingError) -> String) {
        applyFile(environment, readFile)
        applyEnvironment(environment)
        applyFlags()
    }

    /// The path of the configuration file; nil: none is named.
    private func file(_ environment: [String: String]) -> String? {
        (configPath ?? environment["TINTYPE_CONFIG"]).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Reads this process's arguments and environment; prints and exits if there is nothing to run. For `main` only.
    /// - Parameter arguments: the arguments after the program's name, without those that the program has used itself.
    package static func readOrExit(_ arguments: [String] = Array(CommandLine.arguments.dropFirst()), defaults: Root = Root()) -> Root {
        switch read(arguments: arguments, environment: ProcessEnvironment.all(), defaults: defaults) {
        case .run(let root):
            return root
        case .answer(let text):
            if StandardStream.write(Array((text + "\n").utf8), to: STDOUT_FILENO) { exit(0) }
            StandardStream.printError("\(Root.program): cannot write standard output: \(String(cString: strerror(errno)))")
            exit(1)
        case .refuse(let text):
            StandardStream.printError(text)
            exit(2)
        }
    }

    private mutating func takeArguments(_ arguments: [String]) {
        for item in Self.parser.items(arguments) {
            if case .flag(let name, let value) = item {
                if name == "config" { configPath = value } else if Self.questions.contains(name) { asked.insert(name) } else { flags.append((name, value)) }
            } else if let mistake = item.mistake {
                mistakes.append(mistake)
            }
        }
    }

    private mutating func applyFile(_ environment: [String: String], _ readFile: (String) throws(SettingError) -> String) {
        guard let path = file(environment) else { return }
        do throws(SettingError) {
            let file = ConfigurationFile(text: try readFile(path), path: path)
            mistakes += file.mistakes
            for entry in file.entries {
                guard let setting = Root.settings.first(where: { $0.fileKey == entry.key }) else {
                    if Root.family.contains(entry.key) { continue }  // one file may serve several programs
                    let hint = NearestName.hint(entry.key, among: Root.settings.map(\.fileKey))
                    mistakes.append("\(path):\(entry.line): unknown key \(entry.key)\(hint)")
                    continue
                }
                // An empty value counts as unset, as with variables.
                guard !entry.value.isEmpty else { continue }
                apply(setting, entry.value, .file(path, line: entry.line), named: "\(path):\(entry.line): \(entry.key)")
            }
        } catch {
            mistakes.append(error.message)
        }
    }

    private mutating func applyEnvironment(_ environment: [String: String]) {
        for setting in Root.settings {
            guard let value = environment[setting.variable], !value.isEmpty else { continue }
            apply(setting, value, .environment(setting.variable), named: setting.variable)
        }
        // A cluster sets variables of its own (TINTYPE_PORT=tcp://…), so only a likely misspelling counts.
        let own = Root.settings.map(\.variable)
        for name in environment.keys.sorted() where name.hasPrefix("TINTYPE_") && !Root.family.contains(name) {
            if let near = NearestName.of(name, among: own) { mistakes.append("unknown variable \(name); did you mean \(near)?") }
        }
    }

    private mutating func applyFlags() {
        for (name, value) in flags {
            guard let setting = Root.settings.first(where: { $0.flag == name }) else { continue }
            apply(setting, value, .flag, named: "--\(name)")
        }
    }

    private mutating func apply(_ setting: Setting<Root>, _ value: String, _ origin: SettingOrigin, named name: String) {
        do throws(SettingError) {
            try setting.apply(&root, value)
            origins[setting.flag] = origin
        } catch {
            mistakes.append("\(name): " + (setting.secret ? "the value is not valid" : error.message))
        }
    }
}
