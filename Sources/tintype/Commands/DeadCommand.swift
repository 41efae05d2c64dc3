import Shared

/// `tintype dead`: fetches that were given up; tries them again or throws them away.
enum DeadCommand {
    static let command = Command(
        "dead", "[retry ID… | remove ID…]", words: 0...1000, "Shows fetches that were given up; tries them again or throws them away.",
        options: [Option("queue", "NAME", "Whose. Default: default.")] + Command.connection, run: run)

    @Loop private static func run(_ arguments: Arguments) async throws -> Int32 {
        let queue = JSON.string(arguments["queue"] ?? "default")
        let ids = JSON.array(arguments.words.dropFirst().map { .string($0) })
        let verb = arguments.words.first
        guard verb == nil || ["retry", "remove"].contains(verb) else {
            throw UsageError("unknown verb \"\(verb ?? "")\"\(NearestName.hint(verb ?? "", among: ["retry", "remove"]))")
        }
        guard verb == nil || arguments.words.count > 1 else { throw UsageError("missing: the ids of dead letters; tintype dead lists them") }
        let client = try await RPCClient.connect(arguments)
        defer { client.close() }
        guard let verb else {
            let answer = try await client.call("dead.list", ["queue": queue])
            try arguments.isJSON ? Output.json(answer) : Output.lines(table(answer))
            return 0
        }
        let answer = try await client.call("dead.\(verb)", ["queue": queue, "ids": ids])
        let count = answer[verb == "retry" ? "retried" : "removed"]?.int ?? 0
        try arguments.isJSON ? Output.json(answer) : Output.lines("\(count) \(verb == "retry" ? "queued again" : "removed")")
        return count == arguments.words.count - 1 ? 0 : 1
    }

    private static func table(_ answer: JSON) -> String {
        var table = Table("id", "attempts", "error", "url")
        for letter in answer["items"]?.array ?? [] {
            table.add(
                letter["id"]?.string ?? "", letter["attempts"]?.int.map(String.init) ?? "-", letter["error"]?["message"]?.string ?? "",
                letter["url"]?.string ?? "")
        }
        return table.text + (answer["cursor"] == nil ? "" : "\nthere are more: see dead.list with a cursor")
    }
}
