import TintypeCore
import TintypeTransport

/// `tintype dead`: lists, retries and removes dead letters.
enum DeadCommand {
    static let command = Command(
        "dead", "[retry ID… | remove ID…]", words: 0...1000, "Shows dead letters, the fetches that failed for good; retries or removes them.",
        options: [
            Option("queue", "NAME", "The queue of the dead letters. Default: default."),
            Option("cursor", "TEXT", "Continues a list from the cursor that it printed."),
            Option("all", nil, "Retries or removes every dead letter of the queue."),
        ] + Command.connection, run: run)

    @Loop private static func run(_ arguments: Arguments) async throws -> Int32 {
        let queue = JSON.string(arguments["queue"] ?? "default")
        let ids = arguments.words.dropFirst().map { JSON.string($0) }
        let verb = arguments.words.first
        guard verb == nil || ["retry", "remove"].contains(verb) else {
            throw UsageError("unknown verb \"\(verb ?? "")\"\(NearestName.hint(verb ?? "", among: ["retry", "remove"]))")
        }
        guard verb != nil || !arguments.has("all") else { throw UsageError("--all is only for tintype dead retry and tintype dead remove") }
        guard verb == nil || arguments["cursor"] == nil else { throw UsageError("--cursor is only for tintype dead without a verb") }
        guard verb == nil || (arguments.words.count > 1) != arguments.has("all") else {
            throw UsageError("give either the ids of dead letters, which tintype dead lists, or --all")
        }
        guard let verb else {
            try await RPCClient.show("dead.list", list(queue, arguments["cursor"]), arguments, table)
            return 0
        }
        let client = try await RPCClient.connect(arguments)
        defer { client.close() }
        let wanted = arguments.has("all") ? try await all(of: queue, client) : ids
        let done = verb == "retry" ? "retried" : "removed"
        var count = 0
        for start in stride(from: 0, to: wanted.count, by: page) {
            let part = Array(wanted[start..<min(start + page, wanted.count)])
            count += Int(try await client.call("dead.\(verb)", ["queue": queue, "ids": .array(part)])[done]?.int ?? 0)
        }
        try Output.answer([done: JSON(count)], arguments, "\(count) \(verb == "retry" ? "queued again" : "removed")")
        return count == wanted.count ? 0 : 1
    }

    /// The number of dead letters that one call lists or names.
    private static let page = 100

    private static func list(_ queue: JSON, _ cursor: String?) -> JSON {
        var params: JSONObject = ["queue": queue, "limit": JSON(page)]
        params["cursor"] = cursor.map { .string($0) }
        return .object(params)
    }

    /// Returns the ids of all dead letters of the queue at this moment. The ids are read before the first retry, because a retried fetch may become
    /// a dead letter again.
    @Loop private static func all(of queue: JSON, _ client: RPCClient) async throws -> [JSON] {
        var (ids, cursor): ([JSON], String?) = ([], nil)
        repeat {
            let answer = try await client.call("dead.list", list(queue, cursor))
            ids += (answer["items"]?.array ?? []).compactMap { $0["id"] }
            cursor = answer["cursor"]?.string
        } while cursor != nil
        return ids
    }

    private static func table(_ answer: JSON) -> String {
        var table = Table("id", "attempts", "error", "url")
        for letter in answer["items"]?.array ?? [] {
            table.add(
                letter["id"]?.string ?? "", letter["attempts"]?.int.map(String.init) ?? "-", letter["error"]?["message"]?.string ?? "",
                letter["url"]?.string ?? "")
        }
        return table.text + (answer["cursor"]?.string.map { "\nthere are more: --cursor \($0.plain)" } ?? "")
    }
}
