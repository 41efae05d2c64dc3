import Shared

/// `tintype submit URL`: queues an image and returns at once with a receipt.
enum SubmitCommand {
    static let command = Command(
        "submit", "URL", words: 1...1, "Queues an image and prints its receipt; look later with tintype status.",
        options: RequestText.pictureOptions + RequestText.fetchOptions + Command.connection,
        notes: "The work goes on after this command has ended: it is submitted with detached, unless --detached=false.",
        run: { arguments in
            var params = try RequestText.params(url: arguments.words[0], arguments, pictures: true)
            if params["detached"] == nil { params["detached"] = true }
            let client = try await RPCClient.connect(arguments)
            defer { client.close() }
            let answer = try await client.call("image.submit", .object(params))
            if arguments.isJSON {
                StandardStream.printLine(answer.text)
            } else {
                let position = answer["position"]?.int.map { ", position \($0)" } ?? ""
                StandardStream.printLine("\(answer["receipt"]?.string ?? "") \(answer["state"]?.string ?? "")\(position)")
            }
            return 0
        })
}
