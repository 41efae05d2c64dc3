import Shared

/// Every command there is, in the order help shows them.
enum CommandTable {
    static let commands: [Command] = [
        LoadCommand.command, SubmitCommand.command, StatusCommand.command, CancelCommand.command, ProbeCommand.command, BatchCommand.command,
        QueuesCommand.command, DeadCommand.command, CacheCommand.command, WorkersCommand.command, ValidateCommand.command, RPCCommand.command,
        DocsCommand.command,
    ]

    static let names = ["up", "help", "version"] + commands.map(\.name)

    static func command(_ name: String) -> Command? {
        commands.first { $0.name == name }
    }

    static func help() -> String {
        let rows =
            [("up", UpSettings.summary)] + commands.map { ($0.name, $0.summary) } + [
                ("help COMMAND", "Shows every option of a command."), ("version", "Shows the version."),
            ]
        let lines = rows.map { "  " + $0.0 + String(repeating: " ", count: max(1, 14 - $0.0.count)) + $0.1 }
        return """
            Tintype loads images for other programs.

            Usage: tintype COMMAND [options]

            Commands:
            \(lines.joined(separator: "\n"))

            Try: tintype up &   then   tintype load https://example.org/photo.jpg --resize 400x300 --fit cover -o photo.webp
            Exit status: 0 success, 1 the work failed, 2 wrong usage.
            """
    }
}
