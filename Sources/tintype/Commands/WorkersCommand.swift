import Shared

/// `tintype workers`: who works.
enum WorkersCommand {
    static let command = Command(
        "workers", "", words: 0...0, "Shows the workers.", options: Command.connection,
        run: { arguments in
            let client = try await RPCClient.connect(arguments)
            defer { client.close() }
            let answer = try await client.call("workers.list")
            guard !arguments.isJSON else {
                try Output.json(answer)
                return 0
            }
            var table = Table("worker", "host", "running", "slots", "memory", "seen", "state")
            for worker in answer.array ?? [] {
                table.add(
                    worker["id"]?.string ?? "", worker["host"]?.string ?? "", worker["running"]?.int.map(String.init) ?? "-",
                    worker["slots"]?.int.map(String.init) ?? "-", worker["rssBytes"]?.int.map { Figure.bytes($0) } ?? "-",
                    worker["seenSeconds"]?.double.map { Figure.seconds($0) + " ago" } ?? "-", worker["state"]?.string ?? "")
            }
            try Output.lines(table.text)
            return 0
        })
}
