import Glibc
import TintypeCore
import TintypeTransport

/// `tintype batch FILE`: loads many images as one group. Exit status 1 when an item failed. A group outlives the client that started it, so an
/// interrupted command cancels the group by its id.
enum BatchCommand {
    static let command = Command(
        "batch", "FILE", words: 1...1, "Loads many images from a JSON array, or from lines with one ImageRequest or URL each; - reads standard input.",
        options: [
            Option("fail-fast", nil, "Cancels the other items when one fails. Default: every item is tried."),
            Option("concurrency", "N", "The number of items that run at once. Default: 64."),
            Option("quiet", short: "q", nil, "Shows no progress."),
        ] + Command.connection,
        notes: """
            Ctrl-C cancels the remaining items and prints the finished ones. To start a batch without waiting, use tintype rpc batch.start.
            Examples:
              tintype batch urls.txt
              echo '[{"url": "https://example.org/a.jpg", "transform": [{"op": "resize", "width": 320}]}]' | tintype batch - --json
            """,
        run: run)

    @Loop private static func run(_ arguments: Arguments) async throws -> Int32 {
        let items = try BatchText.items(try InputText.read(arguments.words[0]))
        var params: JSONObject = ["items": .array(items), "mode": .string(arguments.has("fail-fast") ? "failFast" : "settleAll")]
        if let text = arguments["concurrency"] {
            guard let number = Int64(text), number > 0 else { throw UsageError("--concurrency takes a number above 0, not \"\(text)\"") }
            params["concurrency"] = .int(number)
        }
        let display = ProgressDisplay(silent: arguments.isJSON || arguments.has("quiet"))
        let client = try await RPCClient.connect(arguments)
        defer { client.close() }
        client.onNotification = { method, event in
            if method == "group.event" { display.take(event) }
        }
        defer { display.finish() }
        let interruption = Interruption()
        let group = try await client.call("batch.start", .object(params))["group"] ?? .null
        let cancelling = TaskScope()
        defer { cancelling.cancelAll() }
        cancelling.run("cancel an interrupted batch") {
            guard await interruption.comes() else { return }
            display.finish()
            Output.note("tintype batch: canceling the remaining items of \((group.string ?? "").plain); interrupt again to end this command at once")
            do throws(ClientFailure) {
                _ = try await client.call("group.cancel", ["group": group])
            } catch {
                _ = FailureReport(error, command: "batch").print(json: arguments.isJSON)
                interruption.end()
            }
        }
        var answer = JSON.null
        repeat {
            answer = try await client.call("group.get", ["group": group, "wait": 600])
        } while answer["state"] == "running"
        answer = try await whole(answer, group, client)
        display.finish()
        try Output.answer(answer, arguments, GroupText.text(answer, items: items))
        if interruption.hasCome { interruption.end() }
        let isWell = answer["state"] == "succeeded" && (answer["results"]?.array ?? []).allSatisfy { $0["state"] == "succeeded" }
        return isWell ? 0 : 1
    }

    /// Returns the answer with all its results. A large group sends them in pages.
    @Loop private static func whole(_ answer: JSON, _ group: JSON, _ client: RPCClient) async throws -> JSON {
        guard var whole = answer.object, var next = whole["next"] else { return answer }
        var results = whole["results"]?.array ?? []
        while true {
            let page = try await client.call("group.get", ["group": group, "from": next])
            results += page["results"]?.array ?? []
            guard let more = page["next"] else { break }
            next = more
        }
        whole["results"] = .array(results)
        whole["next"] = nil
        return .object(whole)
    }
}
