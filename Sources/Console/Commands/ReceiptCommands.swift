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
            let answer = try await RPCClient.show("image.submit", .object(params), arguments) { answer in
                let position = answer["position"]?.int.map { ", position \($0)" } ?? ""
                let error = answer["error"].map { "\n" + TintypeError(json: $0).sentence } ?? ""
                return "\((answer["receipt"]?.string ?? "").plain) \((answer["state"]?.string ?? "").plain)\(position)\(error)"
            }
            return ["failed", "cancelled"].contains(answer["state"]?.string) ? 1 : 0
        })
}

/// `tintype probe URL`: shows the properties of a source, and downloads no more of it than they need.
enum ProbeCommand {
    static let command = Command(
        "probe", "URL", words: 1...1, "Shows the size and format of a source without downloading all of it.",
        options: RequestText.fetchOptions + Command.connection,
        run: { arguments in
            let params = try RequestText.params(url: arguments.words[0], arguments, pictures: false)
            try await RPCClient.show("image.probe", .object(params), arguments) { answer in
                let traits = (answer["description"]?.object?.members ?? []).map { "\($0.key.plain): \(($0.value.string ?? $0.value.text).plain)" }
                return ([ResultText.source(ImageResult.Source(json: answer["source"] ?? [:]))] + traits).joined(separator: "\n")
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
            let answer = try await RPCClient.show("receipt.cancel", ["receipts": .array(arguments.words.map { .string($0) })], arguments) { answer in
                (answer["results"]?.array ?? []).map { result in
                    let outcome = result["cancelled"]?.bool == true ? "cancelled" : "not cancelled: \((result["reason"]?.string ?? "unknown").plain)"
                    return "\((result["receipt"]?.string ?? "").plain) \(outcome)"
                }.joined(separator: "\n")
            }
            return (answer["results"]?.array ?? []).allSatisfy { $0["cancelled"]?.bool == true } ? 0 : 1
        })
}
