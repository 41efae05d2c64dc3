import Testing
import TintypeTransport
import tintype

@testable import Console

/// The commands by their names, and features among them.
@Suite struct CommandTableTests {
    private let up = Command(ofSettings: "up", "Starts.", help: { "its settings" }, run: { Int32($0.count) })

    @Test(
        arguments: [
            ("--coordinator h:1 --json load u -o f", "load", "--coordinator h:1 --json u -o f"), ("--coordinator=h:1 queues", "queues", "--coordinator=h:1"),
            ("load --json", "load", "--json"), ("--http h:1 load u", "load", "--http h:1 u"), ("-q load u", "load", "-q u"),
            ("--json up", "up", "--json"), ("--workers 3 up", "up", "--workers 3"), ("--help load", "load", "--help"),
            // A value that equals the name of a command, and words that are not commands.
            ("--tag batch load u", "load", "--tag batch u"), ("--json lod", "lod", "--json"), ("--coordinator h:1 lod u", "lod", "--coordinator h:1 u"),
            ("lod status", "lod", "status"), ("--help", "help", ""), ("--version --json", "version", "--json"),
            ("--json", nil, "--json"), ("", nil, ""),
        ] as [(String, String?, String)])
    func `options may come before the command`(given: String, command: String?, rest: String) {
        let found = CommandTable(features: [up]).split(given.split(separator: " ").map(String.init))
        #expect(found.command == command && found.arguments.joined(separator: " ") == rest, "\(found)")
    }

    @Test func `the help of every command names each option once`() {
        let table = CommandTable(features: commandFeatures)
        for command in table.commands {
            let help = command.help()
            #expect(help.contains("Usage: tintype \(command.name)"))
            #expect(Set(command.options.map(\.name)).count == command.options.count, "\(command.name)")
            for option in command.options { #expect(help.contains("--\(option.name)") && !option.help.isEmpty) }
        }
        #expect(table.help().contains("load"))
    }

    @Test @Loop func `features have their places, and each command is there without them`() async {
        let toy = Command("toy", "", words: 0...0, "Plays.", run: { _ in 7 })
        let table = CommandTable(features: [toy, up])
        let names = table.commands.map(\.name)
        #expect(names.prefix(2) == ["up", "load"] && names.split(separator: "toy").first?.last == "workers")
        #expect(names.filter { $0 != "up" && $0 != "toy" } == CommandTable(features: []).commands.map(\.name))
        #expect(await table.run(["toy"]) == 7)
        // Settings are read by the command itself.
        #expect(await table.run(["up", "--workers", "3"]) == 2)
    }
}
