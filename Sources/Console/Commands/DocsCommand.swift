import Documents
import TintypeCore

/// `tintype docs PAGE`: prints the parts of docs/ that are generated from descriptions in the code.
enum DocsCommand {
    /// The source text of a client library, which needs the name of a language.
    private static let clients = "clients"
    private static let names = ReferencePage.allCases.map(\.rawValue) + [clients]
    private static let languages = ClientLanguage.allCases.map(\.rawValue)

    static let command = Command(
        "docs", "[" + names.joined(separator: "|") + "]", words: 0...1,
        "Prints a page of the documentation in Markdown; without a name, the list of pages.",
        options: [Option("language", languages.joined(separator: "|"), "For the page \(clients): the language of the client library.")],
        run: { arguments in
            guard !arguments.words.isEmpty else {
                var table = Table("page", "content")
                for page in ReferencePage.allCases { table.add(page.rawValue, page.summary) }
                table.add(clients, "the types, methods and errors of a client library, as source text")
                try Output.lines(table.text)
                return 0
            }
            if arguments.words[0] == clients {
                try Output.bytes(Array(language(arguments).text.utf8))
                return 0
            }
            guard let page = ReferencePage(rawValue: arguments.words[0]) else {
                throw UsageError("no page \"\(arguments.words[0])\": \(names.joined(separator: ", "))\(NearestName.hint(arguments.words[0], among: names))")
            }
            try Output.bytes(Array(page.text.utf8))
            return 0
        })

    private static func language(_ arguments: Arguments) throws(UsageError) -> ClientLanguage {
        let name = arguments["language"] ?? ""
        guard let language = ClientLanguage(rawValue: name) else {
            throw UsageError("the page \(clients) needs --language, one of \(languages.joined(separator: ", "))\(NearestName.hint(name, among: languages))")
        }
        return language
    }
}
