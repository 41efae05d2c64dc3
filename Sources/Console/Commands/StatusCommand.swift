import TintypeCore
import TintypeImages
import TintypeTransport

/// `tintype status RECEIPT`: shows the state of a receipt. Exit status 1 when it failed or was canceled.
enum StatusCommand {
    static let command = Command(
        "status", "RECEIPT", words: 1...1, "Shows the state of a receipt, and its result or error.",
        options: [
            Option("wait", "SECONDS", "Waits at most this long for the receipt to end. Default: no wait."),
            Option("trace", nil, "Shows the way of the receipt: its attempts, and how long each phase took."),
        ] + Command.connection,
        notes: """
            The phases of --trace are durations in their order. Waits between them are at the end, as other. Failed receipts have none.
            With --trace and --wait, the events that come meanwhile are shown too, if the token has the role admin.
            Example:
              tintype status --trace trip-1
            """,
        run: { arguments in
            var params: JSONObject = ["receipt": .string(arguments.words[0])]
            if let text = arguments["wait"] {
                guard let seconds = Double(text), seconds >= 0, seconds.isFinite else { throw UsageError("--wait takes seconds, not \"\(text)\"") }
                params["wait"] = JSON(seconds)
            }
            let client = try await RPCClient.connect(arguments)
            defer { client.close() }
            let events = arguments.has("trace") && params["wait"] != nil ? await heard(arguments.words[0], client) : TraceLog()
            let answer = try await client.call("receipt.get", .object(params))
            let state = answer["state"]?.string ?? "unknown"
            if arguments.has("trace") {
                let trace = ReceiptTrace(answer)
                try arguments.isJSON ? Output.json(trace.json(events.all)) : Output.lines(trace.text(events.all))
            } else if arguments.isJSON {
                try Output.json(answer)
            } else {
                let place = answer["position"]?.int.map { ", place \($0)" } ?? ""
                try Output.lines("\(arguments.words[0].plain) \(state.plain)\(place)")
                if let result = answer["result"] { try Output.lines(ResultText.text(ImageResult(json: result))) }
                if let error = answer["error"] { try Output.lines(TintypeError(json: error).sentence) }
                if let progress = answer["progress"], !progress.isNull { try Output.lines(line(progress)) }
            }
            return ["failed", "cancelled"].contains(state) ? 1 : 0
        })

    /// The events of a receipt, as they come.
    @Loop private final class TraceLog {
        var all = TraceEvents()
        /// A client that may subscribe hears some events twice: as its own, and by the subscription.
        var isSubscribed = false
    }

    /// Begins to listen to a receipt. A client that may not hears nothing.
    @Loop private static func heard(_ receipt: String, _ client: RPCClient) async -> TraceLog {
        let log = TraceLog()
        client.onNotification = { [weak log] method, event in
            guard let log, method == "image.event", event["receipt"]?.string == receipt, (event["subscription"] != nil) == log.isSubscribed else { return }
            log.all.take(event)
        }
        log.isSubscribed = (try? await client.call("events.subscribe", ["receipts": [.string(receipt)]])) != nil
        return log
    }

    private static func line(_ progress: JSON) -> String {
        var bar = ProgressBar()
        _ = bar.take(.object((progress.object ?? [:]).merging(["type": "progress"])))
        return bar.plain
    }
}
