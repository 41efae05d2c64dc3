import TintypeCore
import TintypeImages

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

/// `tintype probe URL`: shows the properties of a source, and downloads no more of it than they need.
enum ProbeCommand {
    static let command = Command(
        "probe", "URL", words: 1...1, "Shows the size and format of a source without downloading all of it.",
        options: RequestText.fetchOptions + Command.connection,
        run: { arguments in
            let params = try RequestText.params(url: arguments.words[0], arguments, pictures: false)
            let client = try await RPCClient.connect(arguments)
            defer { client.close() }
            let answer = try await client.call("image.probe", .object(params))
            if arguments.isJSON {
                try Output.json(answer)
            } else {
                try Output.lines(ResultText.source(ImageResult.Source(json: answer["source"] ?? [:])))
                for member in answer["description"]?.object?.members ?? [] {
                    try Output.lines("\(member.key.plain): \((member.value.string ?? member.value.text).plain)")
                }
            }
            return 0
        })
}

/// `tintype cancel RECEIPT…`: cancels receipts. Exit status 1 when one of them could not be canceled.
enum CancelCommand {
    static let command = Command(
        "cancel", "RECEIPT…", words: 1...1000, "Cancels receipts. A fetch stops when no other receipt needs it.",
        options: Command.connection,
        run: { arguments in
            let client = try await RPCClient.connect(arguments)
            defer { client.close() }
            let answer = try await client.call("receipt.cancel", ["receipts": .array(arguments.words.map { .string($0) })])
            let results = answer["results"]?.array ?? []
            if arguments.isJSON {
                try Output.json(answer)
            } else {
                for result in results {
                    let outcome = result["cancelled"]?.bool == true ? "cancelled" : "not cancelled: \((result["reason"]?.string ?? "unknown").plain)"
                    try Output.lines("\((result["receipt"]?.string ?? "").plain) \(outcome)")
                }
            }
            return results.allSatisfy { $0["cancelled"]?.bool == true } ? 0 : 1
        })
}
