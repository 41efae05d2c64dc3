import TintypeCore

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
