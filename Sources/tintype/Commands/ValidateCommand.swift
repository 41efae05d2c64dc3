import TintypeCore

/// `tintype validate`: whether every rule of the queues holds.
enum ValidateCommand {
    static let command = Command(
        "validate", "", words: 0...0, "Checks every rule of the queues on the live Redis.", options: Command.connection,
        notes: "It reads by pages, on a connection of its own: work goes on meanwhile.",
        run: { arguments in
            let client = try await RPCClient.connect(arguments)
            defer { client.close() }
            let answer = try await client.call("system.validate")
            let violations = (answer["violations"]?.array ?? []).compactMap(\.string)
            if arguments.isJSON {
                try Output.json(answer)
            } else {
                try Output.lines(violations.isEmpty ? "every rule holds" : violations.map(\.plain).joined(separator: "\n"))
            }
            return violations.isEmpty ? 0 : 1
        })
}
