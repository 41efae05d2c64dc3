import TintypeCore

/// `tintype submit URL`: queues an image and returns its receipt at once. Exit status 1 when the receipt has failed by then: a receipt of this name
/// failed earlier, or the source is blacklisted.
enum SubmitCommand {
    static let command = Command(
        "submit", "URL", words: 1...1, "Queues an image and prints its receipt; tintype status shows its state later.",
        options: RequestText.pictureOptions + RequestText.fetchOptions + Command.connection,
        notes: "The request is detached, so the work goes on after this command ends. --detached=false turns this off.",
        run: { arguments in
            var params = try RequestText.params(url: arguments.words[0], arguments, pictures: true)
            if params["detached"] == nil { params["detached"] = true }
            let client = try await RPCClient.connect(arguments)
            defer { client.close() }
            let answer = try await client.call("image.submit", .object(params))
            let state = answer["state"]?.string ?? ""
            if arguments.isJSON {
                try Output.json(answer)
            } else {
                let position = answer["position"]?.int.map { ", position \($0)" } ?? ""
                try Output.lines("\((answer["receipt"]?.string ?? "").plain) \(state.plain)\(position)")
                if let error = answer["error"] { try Output.lines(TintypeError(json: error).sentence) }
            }
            return ["failed", "cancelled"].contains(state) ? 1 : 0
        })
}
