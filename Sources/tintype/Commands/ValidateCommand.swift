import TintypeCore

/// `tintype validate`: checks the invariants of the queues.
enum ValidateCommand {
    static let command = Command(
        "validate", "", words: 0...0, "Checks the invariants of the queues in the running Redis.", options: Command.connection,
        notes: "The check reads page by page on a connection of its own, so work goes on meanwhile.",
        run: { arguments in
            let client = try await RPCClient.connect(arguments)
            defer { client.close() }
            let answer = try await client.call("system.validate")
            let violations = (answer["violations"]?.array ?? []).compactMap(\.string)
            if arguments.isJSON {
                try Output.json(answer)
            } else {
                try Output.lines(violations.isEmpty ? "every invariant holds" : violations.map(\.plain).joined(separator: "\n"))
            }
            return violations.isEmpty ? 0 : 1
        })
}
