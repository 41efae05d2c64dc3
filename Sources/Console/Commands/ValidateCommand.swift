import TintypeCore

/// `tintype validate`: checks the invariants of the queues.
enum ValidateCommand {
    static let command = Command(
        "validate", "", words: 0...0, "Checks the invariants of the queues in the running Redis.", options: Command.connection,
        notes: "The check reads page by page on a connection of its own, so work goes on meanwhile.",
        run: { arguments in
            let answer = try await RPCClient.show("system.validate", [:], arguments) { answer in
                violations(answer).isEmpty ? "every invariant holds" : violations(answer).map(\.plain).joined(separator: "\n")
            }
            return violations(answer).isEmpty ? 0 : 1
        })

    private static func violations(_ answer: JSON) -> [String] { (answer["violations"]?.array ?? []).compactMap(\.string) }
}

/// `tintype explain URL`: shows how a request would be carried out, and which rule sets each part.
enum ExplainCommand {
    static let command = Command(
        "explain", "URL", words: 1...1, "Shows how a request would be carried out, and which rule sets each part.",
        options: RequestText.fetchOptions + RequestText.pictureOptions + Command.connection,
        notes: "No origin is asked and nothing is queued. Example:\n  tintype explain https://example.org/photo.jpg --resize 400x",
        run: { arguments in
            let params = try RequestText.params(url: arguments.words[0], arguments, pictures: true)
            try await RPCClient.show("request.explain", .object(params), arguments, text)
            return 0
        })

    private static func text(_ answer: JSON) -> String {
        var table = Table("what", "value", "by")
        for url in answer["urls"]?.array ?? [] {
            table.add("url", url["url"]?.string ?? "", (url["rules"]?.array ?? []).compactMap(\.string).joined(separator: " "))
            if let key = url["inKeys"]?.string { table.add("in keys", key, "") }
            if let access = url["access"] { table.add("access", access["value"]?.string ?? "", access["by"]?.string ?? "") }
        }
        for header in answer["headers"]?.array ?? [] { table.add("header", header["name"]?.string ?? "", header["by"]?.string ?? "") }
        for header in answer["omittedHeaders"]?.array ?? [] { table.add("not sent", header["name"]?.string ?? "", header["by"]?.string ?? "") }
        for bound in ["min", "max"] {
            if let seconds = answer["ttl"]?[bound] { table.add("ttl \(bound)", seconds.text, answer["ttl"]?["by"]?.string ?? "") }
        }
        if let rule = answer["response"]?["by"]?.string { table.add("response", "", rule) }
        if let profile = answer["tlsProfile"] { table.add("tls profile", profile["value"]?.string ?? "", profile["by"]?.string ?? "") }
        for option in answer["options"]?.array ?? [] {
            table.add(option["name"]?.string ?? "", option["value"].map { $0.string ?? $0.text } ?? "", option["by"]?.string ?? "")
        }
        table.add("source", answer["source"]?.string ?? "", "")
        for rendition in answer["renditions"]?.array ?? [] { table.add("key of \(rendition["name"]?.string ?? "")", rendition["key"]?.string ?? "", "") }
        return table.text
    }
}
