import TintypeCore
import TintypeDoor
import TintypeImages
import TintypeQueue
import TintypeSettings

/// `tintype docs PAGE`: prints the parts of docs/ that are generated from descriptions in the code.
enum DocsCommand {
    private static let pages: [(name: String, summary: String, text: @Sendable () -> String)] = [
        ("protocol", "every method, parameter, event and error", { ProtocolDocument.markdown() }),
        ("settings", "every setting of the three programs", settings),
        ("metrics", "every metric, its labels and meaning", metrics),
        ("traces", "the environment variables of traces", traces),
        ("dashboard", "the methods behind the dashboard", { ProtocolDocument.dashboard() }),
        ("fields", "the fields of the records in Redis", { RecordKind.document }),
        ("options", "the options of imgproxy's URLs, and what becomes of them", { OptionDocument.markdown() }),
    ]

    /// The source text of a client library, which needs the name of a language.
    private static let clients = "clients"
    private static let names = pages.map(\.name) + [clients]
    private static let languages = ClientLanguage.allCases.map(\.rawValue)

    static let command = Command(
        "docs", "[" + names.joined(separator: "|") + "]", words: 0...1,
        "Prints a page of the documentation in Markdown; without a name, the list of pages.",
        options: [Option("language", languages.joined(separator: "|"), "For the page \(clients): the language of the client library.")],
        run: { arguments in
            guard !arguments.words.isEmpty else {
                var table = Table("page", "content")
                for page in pages { table.add(page.name, page.summary) }
                table.add(clients, "the types, methods and errors of a client library, as source text")
                try Output.lines(table.text)
                return 0
            }
            if arguments.words[0] == clients {
                try Output.bytes(Array(language(arguments).text.utf8))
                return 0
            }
            guard let page = pages.first(where: { $0.name == arguments.words[0] }) else {
                throw UsageError(
                    "no page \"\(arguments.words[0])\": \(names.joined(separator: ", "))\(NearestName.hint(arguments.words[0], among: names))")
            }
            try Output.bytes(Array(page.text().utf8))
            return 0
        })

    private static func language(_ arguments: Arguments) throws(UsageError) -> ClientLanguage {
        let name = arguments["language"] ?? ""
        guard let language = ClientLanguage(rawValue: name) else {
            throw UsageError("the page \(clients) needs --language, one of \(languages.joined(separator: ", "))\(NearestName.hint(name, among: languages))")
        }
        return language
    }

    private static func settings() -> String {
        """
        ### tintype-coordinator

        \(CoordinatorSettings.markdown())
        ### tintype-worker

        \(WorkerSettings.markdown())
        ### tintype up

        \(UpSettings.markdown())
        """
    }

    private static func traces() -> String {
        "| variable | meaning, and its default |\n|---|---|\n" + TraceVariable.allCases.map { "| `\($0.rawValue)` | \($0.help) |\n" }.joined()
    }

    private static func metrics() -> String {
        let rows = Metric.allCases.map { metric in
            let description = metric.description
            let labels = description.labels.map { "`\($0)`" }.joined(separator: ", ")
            return "| `\(description.name)` | \(description.kind.rawValue) | \(labels) | \(description.help) |\n"
        }
        return "| metric | kind | labels | what |\n|---|---|---|---|\n" + rows.joined()
    }
}
