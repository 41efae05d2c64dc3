import TintypeCore

/// The table of each tab, made from a snapshot. Pure.
enum TopTables {
    /// - Parameter now: seconds since 1970.
    static func table(_ tab: TopTab, _ snapshot: TopSnapshot, now: Double) -> TopTable {
        switch tab {
        case .queues: queues(snapshot)
        case .running: running(snapshot)
        case .hosts: hosts(snapshot, now)
        case .workers: workers(snapshot)
        case .dead: dead(snapshot, now)
        case .failures: failures(snapshot, now)
        case .blacklist: blacklist(snapshot, now)
        case .events: events(snapshot)
        }
    }

    typealias Cell = TopTable.Cell

    /// The columns of a bar in a table.
    private static let bar = 10

    private static func queues(_ snapshot: TopSnapshot) -> TopTable {
        var table = TopTable(
            [
                .init(title: "queue"), .init(title: "state"), .init(title: "queued", isRight: true), .init(title: "delayed", isRight: true),
                .init(title: "running", isRight: true), .init(title: "of limit", leaves: 1), .init(title: "dead", isRight: true),
                .init(title: "oldest", isRight: true), .init(title: "workers", isRight: true), .init(title: "per host", isRight: true, leaves: 3),
                .init(title: "waiting at most", isRight: true, leaves: 6), .init(title: "order", leaves: 4), .init(title: "limits of hosts", leaves: 5),
                .init(title: "throttled hosts", leaves: 2, isFlexible: true),
            ], whenEmpty: "no queues")
        for queue in snapshot.queues {
            let (limits, paused) = (queue["limits"], queue["paused"]?.bool == true)
            let (running, most, dead) = (queue["running"]?.int ?? 0, limits?["maxConcurrent"]?.int ?? 0, queue["dead"]?.int ?? 0)
            let oldest = queue["oldestQueuedSeconds"]?.double
            let name = queue["name"]?.string ?? ""
            let hostLimits = (limits?["hostLimits"]?.object?.members ?? []).map { "\($0.key) \($0.value.int.map(String.init) ?? "-")" }
            table.add(
                name, queue, Cell(name, .bold), paused ? Cell("paused", .warning) : Cell("open", .good), number(queue["queued"]), number(queue["delayed"]),
                Cell("\(running)/\(most)"), Cell(Chart.bar(most > 0 ? Double(running) / Double(most) : 0, columns: bar), .accent),
                dead > 0 ? Cell("\(dead)", .bad) : "0", oldest.map { Cell(Figure.age($0), $0 > 30 && !paused ? .warning : .usual) } ?? "-",
                queue["workers"]?.int == 0 ? Cell("0", .bad) : number(queue["workers"]), number(limits?["maxConcurrentPerHost"]),
                number(limits?["maxQueued"]), Cell(queue["order"]?.string ?? ""), Cell(hostLimits.joined(separator: ", ")),
                Cell((queue["heldHosts"]?.object?.members ?? []).map(\.key).joined(separator: " "), .warning))
        }
        return table
    }

    private static func running(_ snapshot: TopSnapshot) -> TopTable {
        var table = TopTable(
            [
                .init(title: "since", isRight: true), .init(title: "phase"), .init(title: "progress", leaves: 3),
                .init(title: "received", isRight: true, leaves: 2),
                .init(title: "attempt", isRight: true, leaves: 4), .init(title: "queue", leaves: 1), .init(title: "worker", leaves: 5),
                .init(title: "url", isFlexible: true),
            ], whenEmpty: "nothing runs")
        for run in snapshot.runs.items.sorted(by: { ($0["startedSeconds"]?.double ?? 0) > ($1["startedSeconds"]?.double ?? 0) }) {
            let (seconds, attempt) = (run["startedSeconds"]?.double ?? 0, run["attempt"]?.int ?? 1)
            table.add(
                run["fetch"]?.string ?? "", run, Cell(Figure.age(seconds), seconds > 10 ? .warning : .usual), Cell(run["phase"]?.string ?? "", .accent),
                Cell(run["fraction"]?.double.map { Chart.bar($0, columns: bar) } ?? "", .accent),
                Cell(run["receivedBytes"]?.int.map { Figure.bytes($0) } ?? "-"),
                Cell("\(attempt)", attempt > 1 ? .warning : .usual), Cell(run["queue"]?.string ?? ""), Cell(run["worker"]?.string ?? "-"),
                Cell(run["url"]?.string ?? run["host"]?.string ?? ""))
        }
        return table
    }

    private static func hosts(_ snapshot: TopSnapshot, _ now: Double) -> TopTable {
        var table = TopTable(
            [
                .init(title: "running", isRight: true), .init(title: "of limit", leaves: 1), .init(title: "failed", isRight: true),
                .init(title: "throttled", isRight: true), .init(title: "queue"), .init(title: "host", isFlexible: true),
            ], whenEmpty: "no host has work, has failed, or is throttled")
        for host in snapshot.hosts.items {
            let (running, most, failed) = (host["running"]?.int ?? 0, host["limit"]?.int ?? 0, host["failed"]?.int ?? 0)
            let held = host["heldUntil"]?.double.map { Figure.age($0 - now) }
            table.add(
                "\(host["queue"]?.string ?? "") \(host["host"]?.string ?? "")", host, Cell("\(running)/\(most)"),
                Cell(Chart.bar(most > 0 ? Double(running) / Double(most) : 0, columns: bar), .accent), failed > 0 ? Cell("\(failed)", .bad) : "0",
                held.map { Cell($0, .warning) } ?? "-", Cell(host["queue"]?.string ?? ""), Cell(host["host"]?.string ?? "", .bold))
        }
        return table
    }

    private static func workers(_ snapshot: TopSnapshot) -> TopTable {
        var table = TopTable(
            [
                .init(title: "worker"), .init(title: "state"), .init(title: "running", isRight: true), .init(title: "of permits", leaves: 1),
                .init(title: "pixels", isRight: true, leaves: 4), .init(title: "wait", isRight: true, leaves: 5),
                .init(title: "memory", isRight: true, leaves: 3), .init(title: "seen", isRight: true, leaves: 2), .init(title: "machine", isFlexible: true),
            ], whenEmpty: "no worker is alive")
        for worker in snapshot.workers.sorted(by: { ($0["id"]?.string ?? "") < ($1["id"]?.string ?? "") }) {
            let (running, most, state) = (worker["running"]?.int ?? 0, worker["slots"]?.int ?? 0, worker["state"]?.string ?? "")
            let style = state == "running" ? ScreenStyle.good : state == "lost" ? .bad : .warning
            let missing = (worker["missingQueues"]?.array ?? []).compactMap(\.string)
            let note = missing.isEmpty ? "" : ", no queue \(missing.joined(separator: ", "))"
            let id = worker["id"]?.string ?? ""
            let pixels = worker["pixels"]
            let waiting = pixels?["waiting"]?.int
            table.add(
                id, worker, Cell(id, .bold), Cell(state, style), Cell("\(running)/\(most)"),
                Cell(Chart.bar(most > 0 ? Double(running) / Double(most) : 0, columns: bar), .accent),
                Cell(pixels.map { "\($0["busy"]?.int ?? 0)/\($0["processes"]?.int ?? 0)" } ?? "-"),
                Cell(waiting.map(String.init) ?? "-", waiting ?? 0 > 0 ? .warning : .usual),
                Cell(worker["rssBytes"]?.int.map { Figure.bytes($0) } ?? "-"),
                Cell(worker["seenSeconds"]?.double.map { Figure.age($0) } ?? "-"),
                Cell((worker["host"]?.string ?? "") + note, missing.isEmpty ? .usual : .warning))
        }
        return table
    }

    private static func events(_ snapshot: TopSnapshot) -> TopTable {
        var table = TopTable(
            [
                .init(title: "time"), .init(title: "event"), .init(title: "queue", leaves: 2), .init(title: "receipt", leaves: 1),
                .init(title: "what", isFlexible: true),
            ], whenEmpty: "nothing has ended since this tab was opened")
        for (order, event) in snapshot.events {
            let type = event["type"]?.string ?? ""
            let style: ScreenStyle = type == "succeeded" ? .good : type == "failed" ? .bad : .warning
            table.add(
                "\(order)", event, Cell(event["at"]?.double.map { Timestamp.clock($0) } ?? "-"), Cell(type, style), Cell(event["queue"]?.string ?? "-"),
                Cell(event["receipt"]?.string ?? "-"), Cell(what(event)))
        }
        return table
    }

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
        if let bytes = rendition?["bytes"]?.int { words.append(Figure.bytes(bytes)) }
        if let total = result["metrics"]?["total"]?.double { words.append("in \(Figure.seconds(total))") }
        if let from = result["from"]?.string, from != "remote" { words.append("from \(from)") }
        if let url = result["source"]?["url"]?.string { words.append("\(RedactedURL(url))") }
        return words.joined(separator: " ")
    }

    static func number(_ value: JSON?) -> Cell { Cell(value?.int.map(String.init) ?? "-") }
}

extension Timestamp {
    /// The time of day in UTC, such as `04:12:31`.
    static func clock(_ seconds: Double) -> String {
        (0..<1e11).contains(seconds) ? String("\(Timestamp(seconds: seconds))".dropFirst(11).prefix(8)) : "-"
    }
}
