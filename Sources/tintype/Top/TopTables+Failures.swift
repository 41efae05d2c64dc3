import TintypeCore

/// The tables of what has failed.
extension TopTables {
    static func dead(_ snapshot: TopSnapshot, _ now: Double) -> TopTable {
        var table = TopTable(
            [
                .init(title: "ago", isRight: true), .init(title: "queue", leaves: 3), .init(title: "attempts", isRight: true, leaves: 2), .init(title: "error"),
                .init(title: "retry"), .init(title: "id", leaves: 1), .init(title: "url", isFlexible: true),
            ], whenEmpty: "no dead letters")
        for letter in snapshot.dead.items.sorted(by: { ($0["at"]?.double ?? 0) > ($1["at"]?.double ?? 0) }) {
            let error = letter["error"]
            let status = error?["data"]?["status"]?.int.map { " \($0)" } ?? ""
            let id = letter["id"]?.string ?? ""
            table.add(
                "\(letter["queue"]?.string ?? "") \(id)", letter, Cell(letter["at"]?.double.map { Figure.age(now - $0) } ?? "-"),
                Cell(letter["queue"]?.string ?? ""), number(letter["attempts"]),
                Cell((error?["data"]?["name"]?.string ?? error?["message"]?.string ?? "") + status, .bad),
                letter["retryable"]?.bool == true ? Cell("yes", .good) : Cell("no", .faint), Cell(id), Cell(letter["url"]?.string ?? ""))
        }
        return table
    }

    static func failures(_ snapshot: TopSnapshot, _ now: Double) -> TopTable {
        var table = TopTable(
            [
                .init(title: "requests", isRight: true), .init(title: "ago", isRight: true, leaves: 1), .init(title: "error"), .init(title: "host"),
                .init(title: "queue", leaves: 2), .init(title: "crashes", isRight: true, leaves: 3), .init(title: "message", isFlexible: true),
            ], whenEmpty: "nothing has failed while somebody looked")
        for group in snapshot.failures.items {
            let (crashes, cause) = (group["crashes"]?.array?.count ?? 0, TopAct.cause(group))
            let (queue, host) = (group["queue"]?.string ?? "", group["host"]?.string ?? "")
            table.add(
                "\(queue) \(cause) \(host)", group, number(group["count"]), Cell(group["lastAt"]?.double.map { Figure.age(now - $0) } ?? "-"),
                Cell(cause, .bad), Cell(host, .bold), Cell(queue), crashes > 0 ? Cell("\(crashes)", .bad) : "0",
                Cell(group["sample"]?["message"]?.string ?? ""))
        }
        return table
    }

    static func blacklist(_ snapshot: TopSnapshot, _ now: Double) -> TopTable {
        var table = TopTable(
            [
                .init(title: "for", isRight: true), .init(title: "error"), .init(title: "refuses", leaves: 1), .init(title: "queue", leaves: 2),
                .init(title: "url", isFlexible: true),
            ], whenEmpty: "no source is blacklisted")
        for entry in snapshot.blacklist.items {
            let queue = entry["queue"]?.string ?? ""
            table.add(
                "\(queue) \(entry["id"]?.string ?? "")", entry, Cell(entry["until"]?.double.map { Figure.age($0 - now) } ?? "-"),
                Cell(TopAct.cause(entry), .bad), Cell(entry["refuses"]?.string ?? "-"), Cell(queue), Cell(entry["url"]?.string ?? ""))
        }
        return table
    }
}
