import TintypeCore
import TintypeImages

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
