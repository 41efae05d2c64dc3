import TintypeCore

/// `tintype version`, or `tintype --version`.
enum VersionCommand {
    static let command = Command(
        "version", "", words: 0...0, "Shows the version.", options: [Option("json", nil, "Prints JSON.")],
        run: { arguments in
            let version = TintypeVersion.current
            try arguments.isJSON ? Output.json(["version": .string(version)]) : Output.lines("tintype \(version)")
            return 0
        })
}
