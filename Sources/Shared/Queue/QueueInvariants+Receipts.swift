import TintypeCore
import TintypeImages

// Q7, Q11 and Q12: receipts, and the callbacks and groups that stand for them.
extension QueueInvariants {
    mutating func receipts() {
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

    /// Q11: a callback is owed only after the end of its receipt and is due at some time, and no other key keeps its secret.
    mutating func callbacks() {
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

    /// Q12: a group that runs has a lease and exactly the requests that have not ended. A group that has ended keeps no request and expires. It has a
    /// lease only while requests that it began have to be cancelled. No end is counted twice.
    mutating func groups() {
        let leases = dump.scores("gl")
        for id in dump.names("g:") {
            let group = dump.hash("g:" + id)
            let requests = Set(dump.hash("gq:" + id).keys)
            let outcomes = Set(dump.hash("gr:" + id).keys)
            let begun = Set(dump.hash("gb:" + id).keys)
            // A group has 10,000 items at most; a larger number is wrong in any case.
            let total = min(Int(group["total"] ?? "") ?? -1, 2 * GroupRecord.mostItems)
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
}
