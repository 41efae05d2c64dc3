import TintypeCore

// Q8, Q9 and Q16: the order of hosts and clients, and the marker that wakes a worker.
extension QueueInvariants {
    /// Q8: `ready` has exactly the hosts with work, ranked by their best fetch. Hosts without room and throttled hosts come last.
    mutating func hosts() {
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

    /// Q9: work and room leave a marker, unless a worker has popped it and is about to claim.
    mutating func wakeUp() {
        let hasWork = dump.scores("ready").values.contains { $0 < .infinity } && settings["paused"] != "1" && run.count < maxConcurrent
        require(!hasWork || dump.entries["mark"] != nil, "Q9", "there is work and room, and no marker to wake a worker")
    }

    /// Q16: with several clients, each waiting or running fetch is listed under its client, and nothing else is.
    mutating func clients() {
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
}
