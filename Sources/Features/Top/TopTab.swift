import Console
import TintypeCore

/// A page of `tintype top`: where its rows come from, its columns, and the keys that act on a row. A value.
struct TopTab: Sendable, Hashable, CaseIterable {
    /// The question for the rows.
    enum Source: Sendable {
        /// Asked in each round. The answer is the rows.
        case always(String)
        /// Asked while the page is shown, for one row more than these.
        case list(String, most: Int = 500)
        /// The dead letters of each queue.
        case dead
        /// Sent by the service without a question.
        case events
    }

    let name: String
    let source: Source
    /// The text of an empty page.
    let whenEmpty: String
    /// Names a row for as long as it is there, also when others come and go.
    let id: @Sendable (JSON) -> String
    let columns: [TopColumn]
    /// Whether a row stands before another; nil: the rows stay as they come.
    var order: (@Sendable (JSON, JSON) -> Bool)?
    /// The number beside the name.
    var count: @Sendable (TopSnapshot) -> Int? = { _ in nil }
    var keys: [TopKey] = []

    /// In the order of the keys 1 to 8.
    static let allCases: [TopTab] = [queues, running, hosts, workers, dead, failures, blacklist, events]

    static func == (one: TopTab, other: TopTab) -> Bool { one.name == other.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }

    var number: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }

    /// The page so many places to the right, around the end.
    func moved(_ places: Int) -> TopTab {
        let all = Self.allCases
        return all[(number - 1 + places + all.count) % all.count]
    }

    /// Returns the members of an item as a name for its row.
    private static func named(_ members: String...) -> @Sendable (JSON) -> String {
        { item in members.map { item[$0]?.string ?? "" }.joined(separator: " ") }
    }

    private static func isLater(_ member: String) -> @Sendable (JSON, JSON) -> Bool { { ($0[member]?.double ?? 0) > ($1[member]?.double ?? 0) } }
}

extension TopTab {
    static let queues: TopTab = .init(
        name: "queues", source: .always("queue.list"), whenEmpty: "no queues", id: named("name"),
        columns: [
            .text("queue", "name", style: .bold),
            TopColumn(title: "state") { queue, _ in queue["paused"]?.bool == true ? Cell("paused", .warning) : Cell("open", .good) },
            .number("queued", "queued"), .number("delayed", "delayed"), .running(of: "limits", "maxConcurrent"),
            .bar("of limit", of: "limits", "maxConcurrent"), .trouble("dead", { $0["dead"]?.int ?? 0 }),
            TopColumn(title: "oldest", isRight: true) { queue, _ in
                let isLate = queue["paused"]?.bool != true
                return queue["oldestQueuedSeconds"]?.double.map { Cell(HumanNumber.age($0), $0 > 30 && isLate ? .warning : .usual) } ?? "-"
            },
            TopColumn(title: "workers", isRight: true) { queue, _ in queue["workers"]?.int == 0 ? Cell("0", .bad) : .number(queue["workers"]) },
            .number("per host", "limits", "maxConcurrentPerHost", leaves: 3), .number("waiting at most", "limits", "maxQueued", leaves: 6),
            .text("order", "order", leaves: 4),
            TopColumn(title: "limits of hosts", leaves: 5) { queue, _ in
                let limits = queue["limits"]?["hostLimits"]?.object?.members ?? []
                return Cell(limits.map { "\($0.key) \($0.value.int.map(String.init) ?? "-")" }.joined(separator: ", "))
            },
            TopColumn(title: "throttled hosts", leaves: 2, isFlexible: true) { queue, _ in
                Cell((queue["heldHosts"]?.object?.members ?? []).map(\.key).joined(separator: " "), .warning)
            },
        ], count: { $0[.queues].items.count },
        keys: [TopKey(character: "p", brief: "pause or resume", meaning: "pauses a queue, or resumes it", act: TopAct.pause)])

    static let running: TopTab = .init(
        name: "running", source: .list("runs.list"), whenEmpty: "nothing runs", id: named("fetch"),
        columns: [
            TopColumn(title: "since", isRight: true) { run, _ in
                let seconds = run["startedSeconds"]?.double ?? 0
                return Cell(HumanNumber.age(seconds), seconds > 10 ? .warning : .usual)
            },
            .text("phase", "phase", style: .accent),
            TopColumn(title: "progress", leaves: 3) { run, _ in Cell(run["fraction"]?.double.map { Chart.bar($0, columns: Cell.bar) } ?? "", .accent) },
            TopColumn(title: "received", isRight: true, leaves: 2) { run, _ in .bytes(run["receivedBytes"]) },
            TopColumn(title: "attempt", isRight: true, leaves: 4) { run, _ in
                let attempt = run["attempt"]?.int ?? 1
                return Cell("\(attempt)", attempt > 1 ? .warning : .usual)
            },
            .text("queue", "queue", leaves: 1), .text("worker", "worker", or: "-", leaves: 5),
            TopColumn(title: "url", isFlexible: true) { run, _ in Cell(run["url"]?.string ?? run["host"]?.string ?? "") },
        ], order: isLater("startedSeconds"), count: { $0.sum("running") })

    static let hosts: TopTab = .init(
        name: "hosts", source: .list("hosts.list"), whenEmpty: "no host has work, has failed, or is throttled", id: named("queue", "host"),
        columns: [
            .running(of: "limit"), .bar("of limit", of: "limit"), .trouble("failed", { $0["failed"]?.int ?? 0 }),
            TopColumn(title: "throttled", isRight: true) { host, now in host["heldUntil"]?.double.map { Cell(HumanNumber.age($0 - now), .warning) } ?? "-" },
            .text("queue", "queue"), .text("host", "host", style: .bold, isFlexible: true),
        ])

    static let workers: TopTab = .init(
        name: "workers", source: .always("workers.list"), whenEmpty: "no worker is alive", id: named("id"),
        columns: [
            .text("worker", "id", style: .bold),
            TopColumn(title: "state") { worker, _ in
                let state = worker["state"]?.string ?? ""
                return Cell(state, state == "running" ? .good : state == "lost" ? .bad : .warning)
            },
            .running(of: "slots"), .bar("of permits", of: "slots"),
            TopColumn(title: "pixels", isRight: true, leaves: 4) { worker, _ in
                Cell(worker["pixels"].map { "\($0["busy"]?.int ?? 0)/\($0["processes"]?.int ?? 0)" } ?? "-")
            },
            TopColumn(title: "wait", isRight: true, leaves: 5) { worker, _ in
                let waiting = worker["pixels"]?["waiting"]
                return Cell(Cell.number(waiting).text, waiting?.int ?? 0 > 0 ? .warning : .usual)
            },
            TopColumn(title: "memory", isRight: true, leaves: 3) { worker, _ in .bytes(worker["rssBytes"]) },
            .age("seen", leaves: 2) { worker, _ in worker["seenSeconds"]?.double },
            TopColumn(title: "machine", isFlexible: true) { worker, _ in
                let missing = (worker["missingQueues"]?.array ?? []).compactMap(\.string)
                let note = missing.isEmpty ? "" : ", no queue \(missing.joined(separator: ", "))"
                return Cell((worker["host"]?.string ?? "") + note, missing.isEmpty ? .usual : .warning)
            },
        ], order: { ($0["id"]?.string ?? "") < ($1["id"]?.string ?? "") }, count: { $0[.workers].items.count },
        keys: [TopKey(character: "q", brief: "quiet or claim", meaning: "drains a worker, or lets it claim again", act: TopAct.quiet)])

    static let dead: TopTab = .init(
        name: "dead", source: .dead, whenEmpty: "no dead letters", id: named("queue", "id"),
        columns: [
            .age("ago") { letter, now in letter["at"]?.double.map { now - $0 } }, .text("queue", "queue", leaves: 3),
            .number("attempts", "attempts", leaves: 2),
            TopColumn(title: "error") { letter, _ in
                let (error, data) = (letter["error"], letter["error"]?["data"])
                let status = data?["status"]?.int.map { " \($0)" } ?? ""
                return Cell((data?["name"]?.string ?? error?["message"]?.string ?? "") + status, .bad)
            },
            TopColumn(title: "retry") { letter, _ in letter["retryable"]?.bool == true ? Cell("yes", .good) : Cell("no", .faint) },
            .text("id", "id", leaves: 1), .text("url", "url", isFlexible: true),
        ], order: isLater("at"), count: { $0.sum("dead") },
        keys: [
            TopKey(character: "r", brief: "retry", meaning: "retries a dead letter", act: TopAct.retry),
            TopKey(character: "d", brief: "discard", meaning: "discards a dead letter", act: TopAct.discard),
        ])

    static let failures: TopTab = .init(
        // The method takes no limit above 200.
        name: "failures", source: .list("failures.list", most: 199), whenEmpty: "nothing has failed while somebody looked",
        id: { "\($0["queue"]?.string ?? "") \(TopAct.cause($0)) \($0["host"]?.string ?? "")" },
        columns: [
            .number("requests", "count"), .age("ago", leaves: 1) { group, now in group["lastAt"]?.double.map { now - $0 } },
            TopColumn(title: "error") { group, _ in Cell(TopAct.cause(group), .bad) },
            .text("host", "host", style: .bold), .text("queue", "queue", leaves: 2),
            .trouble("crashes", { $0["crashes"]?.array?.count ?? 0 }, leaves: 3),
            TopColumn(title: "message", isFlexible: true) { group, _ in Cell(group["sample"]?["message"]?.string ?? "") },
        ], keys: [TopKey(character: "r", brief: "ask again", meaning: "asks for the sources of a group again", act: TopAct.askAgain)])

    static let blacklist: TopTab = .init(
        name: "blacklist", source: .list("blacklist.list"), whenEmpty: "no source is blacklisted", id: named("queue", "id"),
        columns: [
            .age("for") { entry, now in entry["until"]?.double.map { $0 - now } }, TopColumn(title: "error") { entry, _ in Cell(TopAct.cause(entry), .bad) },
            .text("refuses", "refuses", or: "-", leaves: 1), .text("queue", "queue", leaves: 2), .text("url", "url", isFlexible: true),
        ], keys: [TopKey(character: "d", brief: "remove", meaning: "takes a source off the blacklist", act: TopAct.pardon)])

    static let events: TopTab = .init(
        name: "events", source: .events, whenEmpty: "nothing has ended since this tab was opened", id: { $0["number"]?.int.map(String.init) ?? "" },
        columns: [
            TopColumn(title: "time") { event, _ in Cell(event["at"]?.double.map { Timestamp.clock($0) } ?? "-") },
            TopColumn(title: "event") { event, _ in
                let type = event["type"]?.string ?? ""
                return Cell(type, type == "succeeded" ? .good : type == "failed" ? .bad : .warning)
            },
            .text("queue", "queue", or: "-", leaves: 2), .text("receipt", "receipt", or: "-", leaves: 1),
            TopColumn(title: "what", isFlexible: true) { event, _ in Cell(what(event)) },
        ], count: { $0[.events].items.isEmpty ? nil : $0[.events].items.count })

    private typealias Cell = TopTable.Cell

    /// Returns what an event says, in one line.
    private static func what(_ event: JSON) -> String {
        if let worker = event["worker"] { return "\(worker["id"]?.string ?? "") on \(worker["host"]?.string ?? "") is \(worker["state"]?.string ?? "")" }
        if let error = event["error"] {
            let name = error["data"]?["name"]?.string ?? ""
            return [name, error["message"]?.string ?? ""].filter { !$0.isEmpty }.joined(separator: ": ")
        }
        guard let result = event["result"] else { return event["reason"]?.string ?? "" }
        let rendition = result["renditions"]?[0]
        var words: [String] = []
        if let width = rendition?["width"]?.int, let height = rendition?["height"]?.int { words.append("\(width)x\(height)") }
        if let format = rendition?["format"]?.string { words.append(format) }
        if let bytes = rendition?["bytes"]?.int { words.append(HumanNumber.bytes(bytes)) }
        if let total = result["metrics"]?["total"]?.double { words.append("in \(HumanNumber.seconds(total))") }
        if let from = result["from"]?.string, from != "remote" { words.append("from \(from)") }
        if let url = result["source"]?["url"]?.string { words.append("\(RedactedURL(url))") }
        return words.joined(separator: " ")
    }
}

extension Timestamp {
    /// The time of day in UTC, such as `04:12:31`.
    static func clock(_ seconds: Double) -> String {
        (0..<1e11).contains(seconds) ? String("\(Timestamp(seconds: seconds))".dropFirst(11).prefix(8)) : "-"
    }
}
