import TintypeCore
import TintypeImages

/// `tintype status RECEIPT`: shows the state of a receipt. Exit status 1 when it failed or was canceled.
enum StatusCommand {
    static let command = Command(
        "status", "RECEIPT", words: 1...1, "Shows the state of a receipt, and its result or error.",
        options: [Option("wait", "SECONDS", "Waits at most this long for the receipt to end. Default: no wait.")] + Command.connection,
        run: { arguments in
            var params: JSONObject = ["receipt": .string(arguments.words[0])]
            if let text = arguments["wait"] {
                guard let seconds = Double(text), seconds >= 0, seconds.isFinite else { throw UsageError("--wait takes seconds, not \"\(text)\"") }
                params["wait"] = JSON(seconds)
            }
            let client = try await RPCClient.connect(arguments)
            defer { client.close() }
            let answer = try await client.call("receipt.get", .object(params))
            let state = answer["state"]?.string ?? "unknown"
            if arguments.isJSON {
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

    private static func line(_ progress: JSON) -> String {
        var bar = ProgressBar()
        _ = bar.take(.object((progress.object ?? [:]).merging(["type": "progress"])))
        return bar.plain
    }
}
