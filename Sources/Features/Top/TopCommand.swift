package import Console
import Glibc
import TintypeCore
import TintypeTransport

extension Command {
    /// `tintype top`: shows the service on a terminal, and lets an operator act on it.
    package static let top = Command(
        "top", "", words: 0...0, "Shows queues, running fetches, hosts, workers, failures and events, each second.",
        options: [
            Option("tab", TopCommand.tabs.joined(separator: "|"), "The tab to begin with. Default: queues."),
            Option("once", nil, "Prints the tab once as plain lines; with --json everything but events, as one object."),
        ] + Command.connection,
        notes: """
            Keys: 1 to 8, Tab or arrows change the tab, / filters, ? lists all keys, x or Ctrl-C leaves.
            In queues p pauses or resumes the chosen one, in workers q drains it or lets it claim again.
            In dead r retries it and d discards it, in failures r asks for it again, in blacklist d removes it.
            The colors follow NO_COLOR, COLORTERM and TERM. The token needs the role admin.
            Examples:
              tintype top --tab workers
              tintype top --once --json
            """,
        run: TopCommand.run)
}

/// The command `top`.
enum TopCommand {
    fileprivate static let tabs = TopTab.allCases.map(\.name)

    @Loop fileprivate static func run(_ arguments: Arguments) async throws -> Int32 {
        let word = arguments["tab"] ?? TopTab.queues.name
        guard let tab = TopTab.allCases.first(where: { $0.name == word }) else {
            throw UsageError("--tab takes \(tabs.joined(separator: ", ")), not \"\(word)\"\(NearestName.hint(word, among: tabs))")
        }
        let environment = ProcessEnvironment.all()
        let isOnce = arguments.has("once")
        guard isOnce || !arguments.isJSON else { throw UsageError("--json needs --once") }
        guard isOnce || Terminal.isThere else { throw UsageError("standard input and output are no terminal: use --once") }
        guard isOnce || !ScreenColors.isDumb(environment) else {
            throw UsageError("the terminal cannot move its cursor (TERM is \"\(environment["TERM"] ?? "")\"): use --once")
        }
        let feed = TopFeed(arguments)
        defer { feed.drop() }
        var model = TopModel(tab: tab)
        do {
            let tabs = isOnce && arguments.isJSON ? Set(TopTab.allCases).subtracting([.events]) : [tab]
            model.snapshot.take(try await feed.read(tabs, after: nil))
        } catch ClientFailure.refused(let refusal) where !isOnce && refusal.isRetryable {
            // An operator looks at a service that is in trouble. Any other failure is told as by every command, before the screen changes.
            model.link = .troubled(refusal.message)
        }
        model.address = feed.address.map { "\($0)" } ?? ""
        guard isOnce else {
            let screen = TopScreen(feed, model, ScreenColors(environment: environment))
            // Its timers and signals know it weakly.
            defer { withExtendedLifetime(screen) {} }
            return await screen.run()
        }
        if arguments.isJSON {
            try Output.json(model.snapshot.json)
        } else {
            try Output.lines(TopLayout.once(model, columns: columns(environment), now: WallClock.now).joined(separator: "\n"))
        }
        return 0
    }

    /// The columns of `--once`: those of the terminal, or of `COLUMNS`, or 120.
    @Loop private static func columns(_ environment: [String: String]) -> Int {
        if isatty(STDOUT_FILENO) == 1 { return ScreenSize(of: STDOUT_FILENO).columns }
        return environment["COLUMNS"].flatMap { Int($0) }.flatMap { (20...1000).contains($0) ? $0 : nil } ?? 120
    }
}
