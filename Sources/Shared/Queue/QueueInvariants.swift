import TintypeCore
import TintypeImages

/// The rules that hold for every queue after every script, in any order of calls. Sources/Shared/queue.md numbers them.
package struct QueueInvariants {
    private let dump: QueueDump
    private let order: QueueOrder
    private let settings: [String: String]
    private let hostLimits: [String: String]
    private let ruleLimits: [String: String]
    private let run: [String: Double], delay: [String: Double], deadlines: [String: Double]
    private let allInQueueOrder: [String: Double], allInOwnOrder: [String: Double]
    private var violations: [String] = []

    /// Returns a sentence for each rule that does not hold; empty if all is well.
    package static func violations(in dump: QueueDump) -> [String] {
        var check = QueueInvariants(dump)
        check.fetches()
        check.hosts()
        check.index()
        check.receipts()
        check.wakeUp()
        check.blacklist()
        check.owners()
        check.callbacks()
        check.groups()
        if dump.isWhole { check.clients() }
        return check.violations
    }

    private init(_ dump: QueueDump) {
        self.dump = dump
        settings = dump.hash("cfg")
        order = settings["order"] == "lifo" ? .lifo : .fifo
        hostLimits = dump.hash("hlim")
        ruleLimits = dump.hash("hlim0")
        run = dump.scores("run")
        delay = dump.scores("delay")
        deadlines = dump.scores("dl")
        allInQueueOrder = dump.scores("aq")
        allInOwnOrder = dump.scores("ao")
    }

    private mutating func require(_ condition: Bool, _ rule: String, _ what: @autoclosure () -> String) {
        if !condition { violations.append("\(rule): \(what())") }
    }

    /// The width of a band of priorities, and its middle (`order.lua`).
    package static let band = 0x1p44
    package static let middle = 0x1p43
    /// Where paused fetches stand among the delayed ones, in ms: beyond all times.
    package static let parked = 8e15

    // MARK: Q1–Q4 fetches

    private mutating func fetches() {
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

    // MARK: Q5 index, Q8 room

    private mutating func index() {
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

    /// Q8: `ready` has exactly the hosts with work, ranked by their best fetch. Hosts without room and throttled hosts come last.
    private mutating func hosts() {
        let ready = dump.scores("ready")
        let held = dump.scores("held")
        require(held.isEmpty || settings["throttles"] == "1", "Q8", "hosts are throttled and the settings do not say so")
        let hosts = Set(dump.names("hq:") + dump.names("ho:") + dump.names("hr:")).union(ready.keys)
        for host in hosts {
            let ranks = dump.scores("hq:" + host).values.map(rank) + dump.scores("ho:" + host).values
            let hasRoom = dump.set("hr:" + host).count < limit(host) && held[host] == nil
            require(ready[host] == (hasRoom ? ranks.min() : ranks.min().map { _ in .infinity }), "Q8", "host \(host) is ranked \(ready[host] ?? -1)")
            for id in dump.set("hr:" + host) { require(run[id] != nil, "Q1", "fetch \(id) counts as running on \(host) and does not run") }
        }
    }

    private func rank(_ stored: Double) -> Double {
        let base = (stored / Self.band).rounded(.down) * Self.band
        return order == .fifo ? stored + Self.middle : base + Self.middle - (stored - base)
    }

    private func limit(_ host: String) -> Int {
        if let own = hostLimits[host].flatMap({ WireNumber.integer($0).map { Int($0) } }) ?? ruled(host) { return own }
        return host == "data:" ? maxConcurrent : settings["maxConcurrentPerHost"].flatMap { WireNumber.integer($0).map { Int($0) } } ?? 6
    }

    /// Returns the limit of the last rule about a host.
    private func ruled(_ host: String) -> Int? {
        guard !["data:", "file:"].contains(host) else { return nil }
        // Entries with a slash are paces.
        let about = ruleLimits.filter { $0.key == "*" || $0.key == host || $0.key.hasPrefix(".") && host.hasSuffix($0.key) }
        let rules = about.values.map { $0.split(separator: ":").compactMap { WireNumber.integer($0).map { Int($0) } } }.filter { $0.count == 2 }
        return rules.max { $0[0] < $1[0] }?[1]
    }

    private var maxConcurrent: Int { settings["maxConcurrent"].flatMap { WireNumber.integer($0).map { Int($0) } } ?? 64 }

    // MARK: Q7 receipts, Q9 wake-up, Q10 owners

    private mutating func receipts() {
        for id in dump.names("r:") {
            let record = dump.hash("r:" + id)
            let keeps = dump.entries["r:" + id]?.timeToLive != nil
            guard record["state"] == nil else {
                require(keeps && record["end"] != nil && deadlines[id] == nil, "Q7", "ended receipt \(id) has no end, does not expire or has a deadline")
                require(
                    !record.keys.contains { $0 == "wanted" || $0 == "description" || $0.hasPrefix("info:") }, "Q7", "ended receipt \(id) still wants something")
                continue
            }
            require(!keeps, "Q7", "live receipt \(id) expires")
            require(dump.hash("fr:" + (record["fetch"] ?? ""))[id] != nil, "Q7", "live receipt \(id) has no fetch")
            require(deadlines[id] != nil, "Q7", "live receipt \(id) has no deadline")
            let followers = (record["followers"] ?? "").split(separator: " ").map(String.init)
            require(
                Set(followers).count == followers.count && !followers.contains(record["coordinator"] ?? ""), "Q7", "receipt \(id) is followed by \(followers)")
            if let slot = record["supersedeKey"] { require(dump.text("sl:" + slot) == id, "Q7", "receipt \(id) is not the last one in its slot \(slot)") }
            let all = Set((record["digests"] ?? "").split(separator: " "))
            let wanted = Set((record["wanted"] ?? record["digests"] ?? "").split(separator: " "))
            require(!wanted.isEmpty && wanted.isSubset(of: all), "Q7", "receipt \(id) wants \(wanted)")
            require(all.subtracting(wanted).allSatisfy { record["info:" + $0] != nil }, "Q7", "receipt \(id) has lost a rendition")
        }
        for slot in dump.names("sl:") {
            let record = dump.hash("r:" + (dump.text("sl:" + slot) ?? ""))
            require(record["supersedeKey"] == slot && record["state"] == nil, "Q7", "slot \(slot) leads to no live receipt")
        }
        for id in deadlines.keys { require(dump.entries["r:" + id] != nil, "Q7", "deadline of an unknown receipt \(id)") }
    }

    /// Q9: work and room leave a marker, unless a worker has popped it and is about to claim.
    private mutating func wakeUp() {
        let hasWork = dump.scores("ready").values.contains { $0 < .infinity } && settings["paused"] != "1" && run.count < maxConcurrent
        require(!hasWork || dump.entries["mark"] != nil, "Q9", "there is work and room, and no marker to wake a worker")
    }

    /// Q13: the blacklist and its index have the same entries, apart from expired ones, and their number is limited.
    private mutating func blacklist() {
        let index = dump.scores("bl")
        require(index.count <= 10_000, "Q13", "the blacklist has \(index.count) entries")
        for (digest, until) in index where dump.isWhole && until > Double(dump.now) {
            require(dump.entries["b:" + digest] != nil, "Q13", "the index of the blacklist names \(digest), which is not on it")
        }
        for digest in dump.names("b:") {
            let until = dump.text("b:" + digest)?.split(separator: " ").dropFirst().first.flatMap { Double($0) }
            require(until != nil && index[digest] == until, "Q13", "\(digest) is on the blacklist and not in its index")
            require(dump.entries["b:" + digest]?.timeToLive != nil, "Q13", "\(digest) is on the blacklist for ever")
        }
    }

    /// Q10: no part is left without its whole, and every key and field is one that we know.
    private mutating func owners() {
        for prefix in ["n:", "fr:"] {
            for id in dump.names(prefix) { require(dump.entries["f:" + id] != nil, "Q10", "\(prefix)\(id) belongs to no fetch") }
        }
        let coordinators = dump.scores("co")
        for id in dump.hash("cseq").keys { require(coordinators[id] != nil, "Q10", "the channel of coordinator \(id) has no coordinator") }
        let seen = dump.scores("wseen")
        for id in Set(dump.hash("workers").keys).union(dump.set("quiet")) { require(seen[id] != nil, "Q10", "worker \(id) is known and was never seen") }
        for id in dump.names("id:") { require(dump.entries["id:" + id]?.timeToLive != nil, "Q10", "id \(id) belongs to a queue for ever") }
        for (key, entry) in dump.entries {
            require(entry.content != .foreign && Self.isKnown(key), "Q10", "key \(key) is not one of ours")
        }
        for kind in RecordKind.allCases {
            let records = kind == .settings ? ["cfg"] : dump.names(kind.rawValue).map { kind.rawValue + $0 }
            for key in records {
                for field in dump.hash(key).keys {
                    require(kind.describes(field), "Q10", "\(key) has a field \(field) that nobody knows")
                }
            }
        }
    }

    // MARK: Q16 clients

    /// Q16: with several clients, each waiting or running fetch is listed under its client, and nothing else is.
    private mutating func clients() {
        let several = settings["client"] == "*"
        var running: [String: Set<String>] = [:]
        for id in run.keys where several { running[client(of: id), default: []].insert(id) }
        let listed = Set(dump.names("cr:"))
        require(listed == Set(running.keys), "Q16", "runs are listed for clients \(listed.sorted()), not \(running.keys.sorted())")
        for (name, ids) in running { require(dump.set("cr:" + name) == ids, "Q16", "client \(name) runs \(ids.sorted())") }
        for (list, all) in [("cq:", allInQueueOrder), ("co:", allInOwnOrder)] {
            var noted: Set<String> = []
            for name in dump.names(list) {
                for (id, score) in dump.scores(list + name) {
                    let isRight = client(of: id) == name && all[id] == score
                    require(isRight, "Q16", "fetch \(id) is in \(list)\(name)")
                    noted.insert(id)
                }
                require(dump.scores("cl")[name] != nil, "Q16", "client \(name) waits and has no turn")
            }
            // Fetches from before the second client came may be too many to be listed.
            for id in all.keys where several && dump.hash("f:" + id)["client"] != nil {
                require(noted.contains(id), "Q16", "fetch \(id) waits without a client")
            }
            require(several || noted.isEmpty, "Q16", "the queue has one client and lists fetches by client")
        }
    }

    private func client(of id: String) -> String { dump.hash("f:" + id)["client"] ?? settings["firstClient"] ?? Submission.house }

    // MARK: Q11 callbacks

    /// Q11: a callback is owed only after the end of its receipt and is due at some time, and no other key keeps its secret.
    private mutating func callbacks() {
        var due: Set<String> = []
        let hosts = dump.scores("cbs")
        for host in Set(dump.names("cbh:")).union(hosts.keys) {
            let list = dump.scores("cbh:" + host)
            require(hosts[host] == list.values.min(), "Q11", "callbacks to \(host) are due at \(list.values.min() ?? 0), not \(hosts[host] ?? 0)")
        }
        for host in dump.names("cbh:", withContext: true) { due.formUnion(dump.scores("cbh:" + host).keys) }
        for id in dump.names("cb:") {
            let callback = dump.hash("cb:" + id)
            require(due.contains(id), "Q11", "the callback of receipt \(id) is owed and never due")
            require(callback["receiver"] != nil && callback["event"] != nil, "Q11", "the callback of receipt \(id) has no receiver or no event")
            let record = dump.hash("r:" + id)
            require(record.isEmpty || record["state"] != nil, "Q11", "the callback of receipt \(id) is owed before its end")
        }
        for id in due.sorted() { require(dump.entries["cb:" + id] != nil, "Q11", "a callback of receipt \(id) is due and unknown") }
        for id in dump.names("r:") {
            let record = dump.hash("r:" + id)
            require(record["state"] == nil || record["callback"] == nil, "Q11", "ended receipt \(id) keeps its callback's secret")
        }
    }

    // MARK: Q12 groups

    /// Q12: a group that runs has a lease and exactly the requests that have not ended. A group that has ended keeps no request and expires. It has a
    /// lease only while requests that it began have to be cancelled. No end is counted twice.
    private mutating func groups() {
        let leases = dump.scores("gl")
        for id in dump.names("g:") {
            let group = dump.hash("g:" + id)
            let requests = Set(dump.hash("gq:" + id).keys)
            let outcomes = Set(dump.hash("gr:" + id).keys)
            let begun = Set(dump.hash("gb:" + id).keys)
            // A group has 10,000 items at most; a larger number is wrong in any case.
            let total = min(Int(group["total"] ?? "") ?? -1, 2 * MethodCatalog.mostGroupItems)
            let expires = dump.entries["g:" + id]?.timeToLive != nil
            let ends = group.filter { $0.key == "failures" || $0.key.hasPrefix("from:") }
            let counted = ends.values.reduce(0) { $0 &+ (WireNumber.integer($1) ?? 0) }
            require(counted <= outcomes.count, "Q12", "group \(id) counts \(counted) ends of \(outcomes.count)")
            require(begun.isDisjoint(with: outcomes), "Q12", "group \(id) lists an ended request as begun")
            guard group["state"] == "running" else {
                require(expires && requests.isEmpty, "Q12", "group \(id) has ended and does not expire, or keeps requests")
                require((leases[id] != nil) == !begun.isEmpty, "Q12", "group \(id) has ended: lease \(leases[id] ?? 0), begun \(begun.count)")
                for part in ["gr:", "gb:"] where dump.entries[part + id] != nil {
                    require(dump.entries[part + id]?.timeToLive != nil, "Q12", "\(part)\(id) is kept for ever")
                }
                continue
            }
            require(!expires && leases[id] != nil && group["token"] != nil, "Q12", "group \(id) runs and no coordinator drives it")
            let all = Set((0..<max(0, total)).map(String.init))
            require(requests == all.subtracting(outcomes) && !requests.isEmpty, "Q12", "group \(id) runs with \(requests.count) requests of \(total)")
            require(begun.isSubset(of: requests), "Q12", "group \(id) has begun a request that it does not have")
        }
        for part in ["gq:", "gr:", "gb:"] {
            for id in dump.names(part) { require(dump.entries["g:" + id] != nil, "Q10", "\(part)\(id) belongs to no group") }
        }
    }

    static let prefixes = [
        "f:", "n:", "fr:", "r:", "s:", "x:", "tg:", "b:", "sl:", "hq:", "ho:", "hr:", "cq:", "co:", "cr:", "cb:", "cbh:", "g:", "gq:", "gr:", "gb:", "id:",
        "sh:",
    ]
    static let singles: Set<String> = [
        "aq", "ao", "ready", "held", "cl", "run", "delay", "dl", "dead", "bl", "mark", "cfg", "hlim", "hlim0", "seq", "cseq", "co", "workers", "wseen", "quiet",
        "cbs", "durable",
        "queues", "gl", "strays", "act", "pg", "pk", "lender",
    ]

    private static func isKnown(_ key: String) -> Bool { singles.contains(key) || prefixes.contains { key.hasPrefix($0) } }
}
