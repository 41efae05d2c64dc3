import Glibc
import TintypeCore
import TintypeTransport

/// `tintype batch FILE`: loads many images as one group. Exit status 1 when one of them failed. A group outlives whoever has started it, so
/// one that is interrupted is cancelled by name.
enum BatchCommand {
    static let command = Command(
        "batch", "FILE", words: 1...1, "Loads many images: a JSON array, or one ImageRequest or URL a line; - reads standard input.",
        options: [
            Option("fail-fast", nil, "The first failure withdraws the others. Default: all are tried."),
            Option("concurrency", "N", "How many run at once. Default: 64."),
            Option("quiet", short: "q", nil, "Shows no progress."),
        ] + Command.connection,
        notes: """
            Ctrl-C withdraws what is left and prints what was done. To leave a batch to itself, start it with tintype rpc batch.start.
            Examples:
              tintype batch urls.txt
              echo '[{"url": "https://example.org/a.jpg", "transform": [{"op": "resize", "width": 320}]}]' | tintype batch - --json
            """,
        run: run)

    @Loop private static func run(_ arguments: Arguments) async throws -> Int32 {
        let items = try BatchText.items(try InputText.read(arguments.words[0]))
        var params: JSONObject = ["items": .array(items), "mode": .string(arguments.has("fail-fast") ? "failFast" : "settleAll")]
        if let text = arguments["concurrency"] {
            guard let number = Int64(text), number > 0 else { throw UsageError("--concurrency takes a number, not \"\(text)\"") }
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
            Output.note("tintype batch: withdrawing what is left of \((group.string ?? "").plain); once more ends this command at once")
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
        try arguments.isJSON ? Output.json(answer) : Output.lines(GroupText.text(answer, items: items))
        if interruption.hasCome { interruption.end() }
        let isWell = answer["state"] == "succeeded" && (answer["results"]?.array ?? []).allSatisfy { $0["state"] == "succeeded" }
        return isWell ? 0 : 1
    }

    /// The answer with all results: those of a large group come in pages.
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
