import TintypeCore
import TintypeTransport
import TintypeQueue
import TestSupport

extension QueueModel {
    /// After each step, checks the published messages, then the stored state.
    func check() async throws {
        // Entries expire by the real clock, not by the model's. GT leaves entries without an expiry alone: such a mistake must be found.
        let lasting = "for _, k in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('PEXPIRE', k, 3600000, 'GT') end"
        _ = try await harness.redis.command(["EVAL", .string(lasting), "0", .string(queue.keys.prefix + "[bx]:*")])
        let messages = try await harness.messages()
        let after = try await queue.dump()
        let published = try publicEvents(messages)
        try channelEvents(messages, published)
        try control(messages, after)
        try records(after)
        try callbacks(after)
        try mirrors(after)
        let violations = QueueInvariants.violations(in: after)
        try require(violations.isEmpty, violations.joined(separator: "; "))
        if step.isMultiple(of: 10) {
            let lasting = QueueInvariants.violations(in: try await queue.dump(isWhole: false))
            try require(lasting.isEmpty, "without what expires: " + lasting.joined(separator: "; "))
            // No reaper runs here each second.
            let paged = try await QueueInspection.violations(of: queue).filter { !$0.hasPrefix("Q14") }
            try require(paged.isEmpty, "page by page: " + paged.joined(separator: "; "))
        }
        before = after
    }

    private struct Numbered: Hashable {
        let receipt: String
        let seq: Int
    }

    /// Numbers without gaps, one terminal event, valid JSON.
    private func publicEvents(_ messages: [(channel: String, payload: [UInt8])]) throws -> [Numbered: String] {
        let all = queue.keys.publicEvents
        var published: [Numbered: String] = [:]
        var terminal: [[UInt8]] = []
        var announced: [[UInt8]] = []
        for (channel, payload) in messages where channel.hasPrefix(all) {
            if channel == all {
                announced.append(payload)
                continue
            }
            let id = String(channel.dropFirst(all.count + 1))
            guard let event = try? JSON(parsing: payload), let type = event["type"]?.string, let seq = event["seq"]?.int else {
                throw fail("not an event: \(String(decoding: payload, as: UTF8.self))")
            }
            guard var track = tracks[id] else { throw fail("an event of an unknown receipt \(id)") }
            try require(event["receipt"]?.string == id && event["queue"] == "default" && event["at"]?.double != nil, "event \(event.text)")
            try require((event["tag"] != nil) == !track.submission.meta.isEmpty, "tag of \(event.text)")
            try require(seq == track.seq + 1, "receipt \(id): event \(seq) after \(track.seq)")
            try require(track.terminal == nil, "receipt \(id): \(type) after \(track.terminal ?? "")")
            let isWanted = track.submission.wantsProgress && !track.isPaused
            try require(isWanted || type != "progress" && type != "response" && type != "preview", "unwanted \(type) to \(id)")
            track.seq = seq
            if ReceiptState(rawValue: type)?.isTerminal == true {
                track.terminal = type
                terminal.append(payload)
                if track.submission.callback != nil { owed[id] = Owed(event: String(decoding: payload, as: UTF8.self), due: queue.clock ?? 0) }
                ended.append(id)
                count(type)
                try result(event, of: track)
                if isLate(id) { try require(event["error"]?["code"] == 1042, "receipt \(id) is late, and ends \(event.text)") }
            }
            tracks[id] = track
            published[Numbered(receipt: id, seq: seq)] = type
        }
        try require(terminal == announced, "the queue's channel told other ends than the receipts' channels")
        return published
    }

    private func result(_ event: JSON, of track: Track) throws {
        guard event["type"] == "succeeded" else { return }
        let wanted = track.submission.renditions.filter { !$0.name.isEmpty }.map { "\($0.name) \($0.digest)" }
        let got = event["result"]?["renditions"]?.array?.map { "\($0["name"]?.string ?? "") \($0["key"]?.string ?? "")" }
        try require(got == wanted, "receipt \(track.submission.receipt) got \(got ?? []), wanted \(wanted)")
        try require(event["result"]?["metrics"]?["total"] != nil && event["result"]?["source"]?["url"] != nil, "thin result \(event.text)")
    }

    /// The coordinators' channels have all events of receipts with progress, and the ends of others. Events are numbered without gaps,
    /// each receipt on its own coordinator's channel.
    private func channelEvents(_ messages: [(channel: String, payload: [UInt8])], _ published: [Numbered: String]) throws {
        var told: [Numbered: String] = [:]
        for coordinator in ["c1", "c2"] {
            let channel = queue.keys.events(coordinator: coordinator)
            for message in messages where message.channel == channel {
                guard let event = QueueEvent(message.payload) else { throw fail("not a message: \(String(decoding: message.payload, as: UTF8.self))") }
                let number = (channels[coordinator] ?? 0) + 1
                try require(event.number == number, "message \(event.number) of \(coordinator), not \(number)")
                channels[coordinator] = number
                try require(!event.isTerminal || event.receipts.count == 1, "one end for \(event.receipts.count) receipts")
                for addressee in event.receipts {
                    let key = Numbered(receipt: addressee.receipt, seq: addressee.seq)
                    try require(told.updateValue(event.type.text, forKey: key) == nil, "\(addressee) was told twice")
                    let owner = tracks[addressee.receipt]?.coordinator
                    try require(owner == coordinator, "an event of \(owner ?? "nobody")'s receipt went to \(coordinator)")
                }
            }
        }
        let due = published.filter { key, type in
            guard let track = tracks[key.receipt], !EventType(type).isTerminal else { return true }
            return track.submission.wantsProgress && (!track.isPaused || type == "paused")
        }
        try require(told == due, "coordinators heard \(told.count) events, not \(due.count) of the world's \(published.count)")
    }

    /// The worker of a run that no receipt wants is informed.
    private func control(_ messages: [(channel: String, payload: [UInt8])], _ after: QueueDump) throws {
        for message in messages where message.channel == queue.keys.control {
            guard let control = ControlMessage(message.payload) else { throw fail("not a control message") }
            if case .cancel(let lease) = control { cancelled.insert(lease) }
        }
        for id in after.names("f:") {
            let fetch = after.hash("f:" + id)
            guard fetch["withdrawn"] != nil, let token = fetch["token"].flatMap({ Int64($0) }) else { continue }
            try require(cancelled.contains(RunLease(fetch: id, token: token)), "fetch \(id) was withdrawn and its worker not told")
        }
    }

    /// Records and events agree: a receipt is live, or its end was published.
    private func records(_ after: QueueDump) throws {
        for (id, track) in tracks {
            let record = after.hash("r:" + id)
            try require(record["seq"] == String(track.seq), "receipt \(id): record \(record["seq"] ?? "none"), told \(track.seq)")
            let state = record["state"]
            try require(state == track.terminal, "receipt \(id): record \(state ?? "live"), told \(track.terminal ?? "live")")
            if track.terminal == nil {
                let who = after.hash("fr:" + (record["fetch"] ?? ""))[id] ?? ""
                try require(who.hasPrefix("\(track.priority) \(track.coordinator)"), "receipt \(id) is \(who)")
                try require(record["coordinator"] == track.coordinator, "receipt \(id) belongs to another")
                try require((record["left"] != nil) == track.isLeft, "receipt \(id) is left: \(track.isLeft)")
                let followers = Set((record["followers"] ?? "").split(separator: " ").map(String.init))
                try require(followers == track.followers, "receipt \(id) is followed by \(followers), not \(track.followers)")
            }
        }
    }

    // MARK: an independent reading of the state

    /// A fetch as the oracle sees it.
    struct Seen {
        let id: String
        let host: String
        let priority: Int
        let isLIFO: Bool
        let sequence: Int
    }

    /// Waiting fetches in the order of their runs, from records alone. `due` includes delayed fetches whose pause is over.
    func waiting(_ dump: QueueDump, due: Bool) -> [Seen] {
        let now = Double(queue.clock ?? 0)
        let delay = dump.scores("delay")
        let lifo = dump.hash("cfg")["order"] == "lifo"
        let held = dump.scores("held").filter { $0.value > now }
        var seen: [Seen] = []
        for id in dump.names("f:") {
            let fetch = dump.hash("f:" + id)
            guard fetch["state"] == "queued" || due && fetch["state"] == "delayed" && (delay[id] ?? .infinity) <= now else { continue }
            let receipts = dump.hash("fr:" + id).keys.compactMap { tracks[$0]?.priority }
            seen.append(
                Seen(
                    id: id, host: fetch["state"] == "delayed" ? Self.freest(fetch, held) : fetch["host"] ?? "", priority: receipts.max() ?? 0,
                    isLIFO: fetch["order"].map { $0 == "lifo" } ?? lifo,
                    sequence: Int(id.prefix { $0 != "-" }) ?? 0))
        }
        return seen.sorted { a, b in
            if a.priority != b.priority { return a.priority > b.priority }
            if a.isLIFO != b.isLIFO { return a.isLIFO }
            return a.isLIFO ? a.sequence > b.sequence : a.sequence < b.sequence
        }
    }

    /// The host at which a fetch is queued after its pause.
    private static func freest(_ fetch: [String: String], _ held: [String: Double]) -> String {
        let hosts = fetch["hosts"]?.split(separator: " ").map(String.init) ?? [fetch["host"] ?? ""]
        return hosts.first { held[$0] == nil } ?? hosts.min { held[$0] ?? 0 < held[$1] ?? 0 } ?? ""
    }

    /// No fetch waits for a throttled host while a mirror is free, or has a shorter pause.
    private func mirrors(_ after: QueueDump) throws {
        let now = Double(queue.clock ?? 0)
        let held = after.scores("held").filter { $0.value > now }
        for id in after.names("f:") {
            let fetch = after.hash("f:" + id)
            guard fetch["state"] == "queued", let hosts = fetch["hosts"]?.split(separator: " ").map(String.init), let time = held[fetch["host"] ?? ""] else {
                continue
            }
            // A fetch stays at a host that is over its pace: the pause is short.
            if isPaced { continue }
            try require(hosts.allSatisfy { held[$0] ?? 0 >= time }, "fetch \(id) waits for \(fetch["host"] ?? ""), which is held longer than its mirrors")
            if before.hash("f:" + id)["host"] != fetch["host"] { count("another mirror") }
        }
    }

    /// Milliseconds between two fetches of a host by the rules.
    func pace(_ host: String, _ dump: QueueDump) -> Int? {
        let paces = dump.hash("hlim0").filter { $0.key.hasPrefix("/") }.compactMapValues { Int($0.split(separator: ":")[1]) }
        return ["data:", "file:"].contains(host) ? nil : paces["/" + host] ?? paces["/*"]
    }

    /// The fetches that a claim of `count` must return: the best ones, without full and throttled hosts.
    func expectedClaim(_ count: Int) -> [String] {
        let settings = before.hash("cfg")
        if settings["paused"] == "1" { return [] }
        let most = Int(settings["maxConcurrent"] ?? "") ?? 64
        var running = before.scores("run").count
        var perHost: [String: Int] = [:]
        for id in before.scores("run").keys { perHost[before.hash("f:" + id)["host"] ?? "", default: 0] += 1 }
        let limits = before.hash("hlim").compactMapValues { Int($0) }
        // The model's hosts have no dots, and its rules for one host come after those for all.
        let rules = before.hash("hlim0").compactMapValues { Int($0.split(separator: ":")[1]) }
        var held = before.scores("held")
        var chosen: [String] = []
        var left = waiting(before, due: true)
        func client(_ id: String) -> String { before.hash("f:" + id)["client"] ?? settings["firstClient"] ?? "-" }
        var perClient: [String: Int] = [:]
        for id in before.scores("run").keys { perClient[client(id), default: 0] += 1 }
        while chosen.count < count, running < most {
            let ready = left.filter { fetch in
                let ruled = ["data:", "file:"].contains(fetch.host) ? nil : rules[fetch.host] ?? rules["*"]
                let limit = limits[fetch.host] ?? ruled ?? (fetch.host == "data:" ? most : Int(settings["maxConcurrentPerHost"] ?? "") ?? 6)
                return perHost[fetch.host, default: 0] < limit && held[fetch.host] ?? 0 <= Double(queue.clock ?? 0)
            }
            guard var fetch = ready.first else { break }
            if settings["client"] == "*" {
                // No client has more runs than another with a fetch that could run.
                let mine = perClient[client(fetch.id), default: 0]
                let others = Set(ready.map { client($0.id) }).filter { perClient[$0, default: 0] < mine }
                let next = others.min { (perClient[$0, default: 0], $0) < (perClient[$1, default: 0], $1) }
                if let next, let other = ready.first(where: { client($0.id) == next }) {
                    fetch = other
                    self.count("another client")
                }
            }
            perHost[fetch.host, default: 0] += 1
            if let pace = pace(fetch.host, before) {
                held[fetch.host] = Double(queue.clock ?? 0) + Double(pace)
                self.count("paced")
            }
            perClient[client(fetch.id), default: 0] += 1
            running += 1
            chosen.append(fetch.id)
            left.removeAll { $0.id == fetch.id }
        }
        return chosen
    }

    /// Whether a worker's run is the current one in Redis, and whether it should stop.
    func standing(_ lease: RunLease) -> ProgressAnswer {
        let fetch = before.hash("f:" + lease.fetch)
        guard fetch["state"] == "running", fetch["token"] == String(lease.token) else { return .stale }
        return fetch["withdrawn"] == nil ? .ok : .cancel
    }

    /// The same for the end of a run, or of a part of it: no receipt wants a result that is late for all receipts.
    func judgment(_ lease: RunLease) -> ProgressAnswer {
        let receipts = before.hash("fr:" + lease.fetch).keys
        return standing(lease) == .ok && !receipts.isEmpty && receipts.allSatisfy(isLate) ? .cancel : standing(lease)
    }

    /// Whether a live receipt's deadline has passed.
    func isLate(_ receipt: String) -> Bool { before.scores("dl")[receipt].map { $0 <= Double(queue.clock ?? 0) } ?? false }

    /// The renditions for receipts of a fetch that are not late.
    func wanted(_ fetch: String) -> Set<String> {
        Set(
            before.hash("fr:" + fetch).keys.filter { !isLate($0) }.flatMap { id in
                let record = before.hash("r:" + id)
                return (record["wanted"] ?? record["digests"] ?? "").split(separator: " ").map(String.init)
            })
    }

    /// Runs a step that must change nothing.
    /// - Parameter lease: a run whose late receipts end first; those may change.
    func unchanged(_ what: String, of lease: RunLease? = nil, _ body: () async throws -> Void) async throws {
        let fetch = before.hash("f:" + (lease?.fetch ?? ""))
        if let first = (fetch["firstDeadline"] ?? fetch["deadline"]).flatMap({ Double($0) }), first <= Double(queue.clock ?? 0) { return try await body() }
        let old = try await queue.dump().entries.mapValues(\.content)
        try await body()
        let new = try await queue.dump().entries.mapValues(\.content)
        try require(old == new, "\(what) changed \(Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.sorted())")
    }
}
