import TintypeCore

// Q1–Q6: fetches, the renditions that they owe, and the index that lets receipts join them.
extension QueueInvariants {
    mutating func fetches() {
        for id in dump.names("f:") {
            let fetch = dump.hash("f:" + id)
            let state = fetch["state"] ?? "none"
            placed(id, fetch, state)
            switch state {
            case "queued", "delayed", "running": live(id, fetch, state)
            case "succeeded", "failed", "cancelled", "dead": ended(id, fetch, state)
            default: require(false, "Q1", "fetch \(id) has state \(state)")
            }
        }
        for id in [run.keys, delay.keys, allInQueueOrder.keys, allInOwnOrder.keys].joined() {
            require(dump.entries["f:" + id] != nil, "Q1", "fetch \(id) is in a list and has no record")
        }
    }

    /// Q1: a fetch is in the structures of its state and in no others.
    private mutating func placed(_ id: String, _ fetch: [String: String], _ state: String) {
        let host = fetch["host"] ?? ""
        let own = fetch["order"] != nil
        let queued = state == "queued"
        require((allInQueueOrder[id] != nil) == (queued && !own), "Q1", "fetch \(id) \(state): aq")
        require((allInOwnOrder[id] != nil) == (queued && own), "Q1", "fetch \(id) \(state): ao")
        require((dump.scores("hq:" + host)[id] != nil) == (queued && !own), "Q1", "fetch \(id) \(state): hq:\(host)")
        require((dump.scores("ho:" + host)[id] != nil) == (queued && own), "Q1", "fetch \(id) \(state): ho:\(host)")
        require((delay[id] != nil) == (state == "delayed"), "Q1", "fetch \(id) \(state): delay")
        require((run[id] != nil) == (state == "running"), "Q1", "fetch \(id) \(state): run")
        let isParked = state == "delayed" && fetch["paused"] != nil
        require((delay[id] ?? 0 >= Self.parked) == isParked, "Q1", "fetch \(id) \(state) waits for ever: \(!isParked)")
        if state == "running", fetch["paused"] != nil {
            require(fetch["yields"]?.hasSuffix(" " + (fetch["token"] ?? "?")) == true, "Q3", "the worker of paused fetch \(id) is not asked to give it back")
        }
        require(dump.set("hr:" + host).contains(id) == (state == "running"), "Q1", "fetch \(id) \(state): hr:\(host)")
        require((dump.scores("dead")[id] != nil) == (state == "dead"), "Q1", "fetch \(id) \(state): dead")
        guard queued else { return }
        let score = Self.score(id, fetch)
        require((own ? allInOwnOrder : allInQueueOrder)[id] == score, "Q2", "fetch \(id) has a score that its priority and order do not give")
        require(dump.scores((own ? "ho:" : "hq:") + host)[id] == score, "Q2", "fetch \(id) has another score in the list of its host")
    }

    private static func score(_ id: String, _ fetch: [String: String]) -> Double {
        let sequence = Double(id.prefix { $0 != "-" }) ?? -1
        let base = (255 - (Double(fetch["priority"] ?? "") ?? 1000)) * band
        return switch fetch["order"] {
        case "lifo": base + middle - sequence
        case "fifo": base + middle + sequence
        default: base + sequence
        }
    }

    private mutating func live(_ id: String, _ fetch: [String: String], _ state: String) {
        let receipts = dump.hash("fr:" + id)
        let needs = dump.hash("n:" + id)
        require(dump.entries["f:" + id]?.timeToLive == nil, "Q4", "live fetch \(id) expires")
        require((fetch["token"] != nil) == (state == "running"), "Q3", "fetch \(id) \(state): token \(fetch["token"] ?? "none")")
        require(Int(fetch["deaths"] ?? "0") ?? 9 <= 4, "Q3", "fetch \(id) has killed \(fetch["deaths"] ?? "") workers and lives")
        if fetch["withdrawn"] != nil {
            require(state == "running", "Q3", "fetch \(id) is withdrawn but \(state)")
            require(receipts.isEmpty && needs.isEmpty, "Q3", "withdrawn fetch \(id) has receipts or renditions")
            require(fetch["overtaken"] != nil, "Q5", "withdrawn fetch \(id) would end the next fetch of its source with it")
            return
        }
        let isServed = state == "running" && receipts.isEmpty && needs.count == 1
        require(!receipts.isEmpty || isServed, "Q3", "fetch \(id) \(state) has no receipt")
        require(needs["source"] != nil, "Q3", "fetch \(id) has nothing for its worker")
        if fetch["overtaken"] == nil {
            require(dump.fetch(ofSource: fetch["source"] ?? "") == id, "Q5", "fetch \(id) cannot be joined")
        }
        wants(id, fetch, receipts, needs)
    }

    /// Q6: the renditions that a fetch owes, and its priority, are exactly what its receipts want.
    private mutating func wants(_ id: String, _ fetch: [String: String], _ receipts: [String: String], _ needs: [String: String]) {
        var wanted: [String: Int] = [:]
        var priorities: [String: Int] = [:]
        for (receipt, who) in receipts {
            let record = dump.hash("r:" + receipt)
            let words = who.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            let (priority, wish) = (words[0], words.dropFirst(2).first { $0 != "meta" })
            require(words.count > 1 && words[1] == record["coordinator"] ?? "", "Q7", "fetch \(id) knows receipt \(receipt) as \(who)")
            require(words.dropFirst(2).contains("meta") == (record["meta"] != nil), "Q7", "receipt \(receipt): meta")
            require(record["fetch"] == id && record["state"] == nil, "Q7", "receipt \(receipt) is not a live one of fetch \(id)")
            require(wish == nil || record["paused"] == nil, "Q6", "receipt \(receipt) is paused and hears of progress")
            require(wish == nil || fetch["progressInterval"] != nil, "Q6", "receipt \(receipt) wants progress, fetch \(id) does not know")
            require(wish != "previews" || fetch["previews"] != nil, "Q6", "receipt \(receipt) wants previews, fetch \(id) does not know")
            require(deadlines[receipt] ?? .infinity <= Double(fetch["deadline"] ?? "") ?? 0, "Q6", "fetch \(id) ends before receipt \(receipt)")
            let first = Double(fetch["firstDeadline"] ?? fetch["deadline"] ?? "") ?? .infinity
            require(deadlines[receipt] ?? -.infinity >= first, "Q6", "fetch \(id) does not know that receipt \(receipt) ends before \(first)")
            priorities[priority, default: 0] += 1
            for digest in Set((record["wanted"] ?? record["digests"] ?? "").split(separator: " ")) { wanted[String(digest), default: 0] += 1 }
        }
        let paused = receipts.keys.count { dump.hash("r:" + $0)["paused"] != nil }
        require(fetch["pausedReceipts"] ?? "0" == String(paused), "Q6", "fetch \(id) counts \(fetch["pausedReceipts"] ?? "0") paused receipts, not \(paused)")
        require((fetch["paused"] != nil) == (paused > 0 && paused == receipts.count), "Q6", "fetch \(id) is paused: \(fetch["paused"] != nil)")
        for (digest, text) in needs where digest != "source" {
            let count = text.prefix { $0 != " " }
            let kept: Int? = fetch["failing"] == nil ? nil : 0
            require(Int(count) == wanted[digest] ?? kept, "Q6", "fetch \(id) owes \(digest) to \(count), not \(wanted[digest] ?? 0)")
        }
        require(wanted.keys.allSatisfy { needs[$0] != nil }, "Q6", "fetch \(id) does not owe all that is wanted")
        if let highest = priorities.keys.compactMap({ WireNumber.integer($0).map { Int($0) } }).max() {
            require(fetch["priority"] == String(highest), "Q6", "fetch \(id) has priority \(fetch["priority"] ?? ""), its receipts \(highest)")
        }
        let counted = fetch.filter { $0.key.hasPrefix("priority:") }
        require(counted.count == priorities.count, "Q6", "fetch \(id) counts other priorities than its receipts have")
        for (priority, count) in priorities { require(counted["priority:" + priority] == String(count), "Q6", "fetch \(id) priority \(priority)") }
    }

    /// Q4: an ended fetch expires and keeps nothing else.
    private mutating func ended(_ id: String, _ fetch: [String: String], _ state: String) {
        require(dump.entries["f:" + id]?.timeToLive != nil, "Q4", "ended fetch \(id) is kept for ever")
        require(dump.entries["fr:" + id] == nil, "Q4", "ended fetch \(id) has receipts")
        let needs = dump.entries["n:" + id]
        require(needs == nil || state == "dead" && needs?.timeToLive != nil, "Q4", "ended fetch \(id) still has renditions")
    }

    mutating func index() {
        for start in dump.names("s:") {
            require(!dump.hash("s:" + start).isEmpty, "Q5", "sources that begin with \(start) lead to no fetch")
            for (rest, id) in dump.hash("s:" + start) {
                let fetch = dump.hash("f:" + id)
                let isLive = ["queued", "delayed", "running"].contains(fetch["state"] ?? "") && fetch["withdrawn"] == nil
                require(
                    isLive && fetch["source"] == start + rest && fetch["overtaken"] == nil, "Q5",
                    "source \(start + rest) leads to fetch \(id), which cannot be joined")
            }
        }
        for tag in dump.names("tg:") { require(dump.entries["tg:" + tag]?.timeToLive != nil, "Q4", "tag \(tag) is kept for ever") }
        for digest in dump.names("x:") { require(dump.entries["x:" + digest]?.timeToLive != nil, "Q4", "result \(digest) is kept for ever") }
    }
}
