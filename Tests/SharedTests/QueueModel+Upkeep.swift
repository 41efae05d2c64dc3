import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport

extension QueueModel {
    func release() async throws {
        guard let index = runs.indices.randomElement(using: &dice) else { return }
        let lease = runs[index].fetch.lease
        let state = judgment(lease)
        let kept = try await dice.chance(0.5) ? queue.release(lease) : queue.finish(lease, .cancelled) == .done
        try require(kept == (state != .stale), "release: \(kept), but \(state)")
        runs.remove(at: index)
        past.append(lease)
        guard state == .ok, before.entries["fr:" + lease.fetch] != nil else { return }
        let after = try await queue.dump().hash("f:" + lease.fetch)
        let charged = (Int(before.hash("f:" + lease.fetch)["attempts"] ?? "") ?? 0) - (Int(after["attempts"] ?? "") ?? 0)
        let isParked = before.hash("fr:" + lease.fetch).keys.filter { !isLate($0) }.allSatisfy { tracks[$0]?.isPaused == true }
        if isParked { count("given back as it is paused") }
        try require(after["state"] == (isParked ? "delayed" : "queued") && charged == 1, "given back: \(after["state"] ?? "gone"), charged \(1 - charged)")
        count("released")
    }

    /// A worker that lost its run, or never had it, changes nothing with any report.
    func stale() async throws {
        var lease: RunLease
        if dice.chance(0.5), let run = runs.randomElement(using: &dice) {
            lease = RunLease(fetch: run.fetch.lease.fetch, token: run.fetch.lease.token + 1 << 40)
        } else if let old = past.randomElement(using: &dice) {
            lease = old
        } else {
            return
        }
        let leaseEnd = before.scores("run")[lease.fetch]
        try await unchanged("a stale call") {
            try require(try await queue.progress(lease, [FetchEvent(type: .progress, body: ["phase": "decode"])]) == .stale, "stale progress")
            try require(try await queue.rendition(lease, QueueHarness.made("p1-z", ttl: 0)) == .stale, "stale rendition")
            let answers = [
                try await queue.finish(lease, .success(metrics: [:], [QueueHarness.made("p1-a", ttl: 0)])),
                try await queue.finish(lease, .failure(QueueHarness.transient, retryAfter: nil)),
                try await queue.finish(lease, .cancelled),
            ]
            try require(answers.allSatisfy { $0 == .stale || $0 == .duplicate }, "stale ends: \(answers)")
        }
        let beat = try await queue.beat(worker: "w9", info: [:], [lease])
        try require(beat.lost == [lease.fetch], "a stale beat: \(beat)")
        try require(try await queue.dump().scores("run")[lease.fetch] == leaseEnd, "a stale beat moved a lease")
        count("stale")
    }

    func beat() async throws {
        let worker = dice.of(["w1", "w2", "w3"])
        let mine = runs.filter { $0.worker == worker }.map(\.fetch.lease)
        let phases = Dictionary(uniqueKeysWithValues: mine.map { ($0, dice.of([Phase.download, .decode, .store])) })
        let answer = try await queue.beat(worker: worker, info: ["pid": 1], mine, phases: phases)
        try require(answer.lost == mine.filter { standing($0) == .stale }.map(\.fetch), "lost \(answer.lost)")
        try require(answer.cancelled == mine.filter { standing($0) == .cancel }.map(\.fetch), "cancelled \(answer.cancelled)")
        let watched = mine.filter { standing($0) == .ok }.compactMap { lease in
            before.hash("f:" + lease.fetch)["progressInterval"].flatMap { Int64($0) }.map { (lease.fetch, Duration.milliseconds($0)) }
        }
        try require(answer.watched == Dictionary(uniqueKeysWithValues: watched), "watched \(answer.watched)")
        let leases = try await queue.dump().scores("run")
        for lease in mine where standing(lease) != .stale {
            try require(leases[lease.fetch] == Double((queue.clock ?? 0) + 10_000), "the lease of \(lease.fetch) was not extended")
        }
        runs.removeAll { answer.lost.contains($0.fetch.lease.fetch) && $0.worker == worker }
    }

    func progress() async throws {
        guard let run = runs.randomElement(using: &dice) else { return }
        let events = [FetchEvent(type: dice.of([EventType.progress, .response, .cached]), body: ["phase": "decode", "receivedBytes": 7])]
        let answer = try await queue.progress(run.fetch.lease, events)
        try require(answer == standing(run.fetch.lease), "progress: \(answer)")
    }

    func drop() async throws {
        guard let id = tracks.keys.sorted().randomElement(using: &dice), let track = tracks[id] else { return }
        if dice.chance(0.4) { return try await giveUp() }
        let fails = dice.chance(0.3)
        let error = TintypeError(.deadlineExceeded, .queue, "too late", details: ["attempts": 0])
        let answer = try await fails ? queue.cancel(receipt: id, failure: error) : queue.cancel(receipt: id, reason: "requested \"by\" test")
        try require(answer == (track.terminal == nil && (fails || !isLate(id)) ? .dropped : .finished), "drop: \(answer)")
        try require(try await queue.cancel(receipt: id, reason: "again") == .finished, "dropped twice")
        count("drop \(answer)")
    }

    /// Makes clients at two coordinators wait for a live receipt, as often as there is one.
    private func followed(_ chance: Double) -> String? {
        guard dice.chance(chance) else { return nil }
        return tracks.filter { $0.value.terminal == nil && !$0.value.followers.isEmpty }.keys.sorted().randomElement(using: &dice)
    }

    /// Makes the last client of a coordinator leave a receipt.
    private func giveUp() async throws {
        guard let id = followed(0.8) ?? tracks.keys.sorted().randomElement(using: &dice), let track = tracks[id] else { return }
        let owner = dice.of([track.coordinator, track.coordinator, "c1", "c2"])
        let heir = track.followers.first { !isSilent($0) }
        let answer = try await queue.cancel(receipt: id, reason: "disconnected", owner: owner)
        let goesOn = owner != track.coordinator || heir != nil
        try require(answer == (track.terminal != nil ? .finished : goesOn ? .elsewhere : isLate(id) ? .finished : .dropped), "given up: \(answer)")
        guard track.terminal == nil, owner == track.coordinator else { return }
        if let heir {
            tracks[id]?.coordinator = heir
            tracks[id]?.isLeft = false
            tracks[id]?.followers.remove(heir)
            count("handed over")
        } else if !track.followers.isEmpty {
            count("not handed over")
        }
    }

    func changePriority() async throws {
        guard let id = tracks.keys.sorted().randomElement(using: &dice), let track = tracks[id] else { return }
        let wanted = dice.of([-10, 0, 3, 10])
        let got = try await queue.setPriority(receipt: id, wanted)
        guard track.terminal == nil else { return try require(got == nil, "an ended receipt has a priority") }
        tracks[id]?.priority = wanted
        let fid = before.hash("r:" + id)["fetch"] ?? ""
        let highest = before.hash("fr:" + fid).keys.compactMap { tracks[$0]?.priority }.max()
        try require(got == highest, "priority \(got ?? -99), not \(highest ?? -99)")
    }

    /// A receipt is to wait, or to go on.
    func pause() async throws {
        guard let id = tracks.keys.sorted().randomElement(using: &dice), let track = tracks[id] else { return }
        let isPaused = track.isPaused ? dice.chance(0.3) : dice.chance(0.8)
        let state = try await queue.pause(receipt: id, isPaused)
        guard track.terminal == nil else { return try require(state == nil, "an ended receipt is \(state?.rawValue ?? "")") }
        tracks[id]?.isPaused = isPaused
        let fid = before.hash("r:" + id)["fetch"] ?? ""
        let (then, after) = (before.hash("f:" + fid), try await queue.dump())
        let fetch = after.hash("f:" + fid)
        let isParked = after.hash("fr:" + fid).keys.allSatisfy { tracks[$0]?.isPaused == true }
        try require((fetch["paused"] != nil) == isParked, "fetch \(fid) is paused: \(fetch["paused"] != nil)")
        let goesOn = then["state"] == "delayed" && then["paused"] != nil && (Int64(then["notBefore"] ?? "") ?? 0) <= queue.clock ?? 0
        let wanted = then["state"] == "running" ? "running" : isParked ? "delayed" : goesOn ? "queued" : then["state"]
        try require(fetch["state"] == wanted, "paused: \(isPaused), \(then["state"] ?? "") became \(fetch["state"] ?? "")")
        let told = ["queued": ReceiptState.queued, "delayed": .delayed, "running": .running][fetch["state"] ?? ""]
        try require(state == (isPaused ? .paused : told), "paused: \(isPaused) is answered \(state?.rawValue ?? "nothing")")
        if track.isPaused != isPaused { count(isPaused ? isParked ? "parked \(then["state"] ?? "")" : "paused" : "resumed") }
    }

    func reap() async throws {
        let now = Double(queue.clock ?? 0)
        let start = before
        let expired = start.scores("run").filter { $0.value < now }.count
        var answer = try await queue.reap()
        while answer.hasMore {
            let taken = answer.expiredLeases
            try await check()
            answer = try await queue.reap()
            answer.expiredLeases += taken
        }
        try require(answer.expiredLeases == expired, "took \(answer.expiredLeases) runs, \(expired) had ended")
        let after = try await queue.dump()
        try require(after.scores("run").allSatisfy { $0.value >= now }, "an ended lease was left")
        try require(after.scores("dl").allSatisfy { $0.value > now }, "a passed deadline was left")
        try require(after.scores("delay").allSatisfy { $0.value > now }, "a due fetch was left")
        try require(after.scores("held").allSatisfy { $0.value > now }, "a host was held longer than it asked")
        try require(after.scores("bl").allSatisfy { $0.value > now }, "what is over was left on the blacklist")
        if expired > 0 { count("reaped") }
        for (id, end) in start.scores("run") where end < now {
            let (then, fetch) = (start.hash("f:" + id), after.hash("f:" + id))
            let isSecond = (Int(then["deaths"] ?? "") ?? 0) > 0 && then["lostWorker"] != then["worker"]
            try require(!isSecond || !["queued", "delayed", "running"].contains(fetch["state"] ?? ""), "fetch \(id) has killed a second worker and lives")
        }
        for gone in answer.goneCoordinators {
            try require(after.scores("co")[gone].map { $0 <= now - 40_000 } ?? false, "\(gone) is not gone")
            let receipts: [[String: String]] = after.names("r:").map { after.hash("r:" + $0) }
            let left = receipts.filter { receipt in
                guard receipt["state"] == nil, receipt["coordinator"] == gone else { return false }
                return receipt["givenUp"] != nil || receipt["terms"]?.hasPrefix("detached") != true
            }
            try require(try await queue.abandon(coordinator: gone) == left.count, "withdrew other receipts than the \(left.count) of \(gone)")
            try await check()
            channels[gone] = nil
            count("abandoned")
        }
        for co in ["c1", "c2"] where start.hash("cseq")[co] != nil && after.hash("cseq")[co] == nil { channels[co] = nil }
    }

    func configure() async throws {
        if dice.of([true, false, false]) {
            let paced = #"{"hosts":["h0"],"maxPerSecondPerHost":0.5},{"hosts":["h1"],"maxConcurrentPerHost":2,"maxPerSecondPerHost":1000}"#
            let rules = dice.of([
                isPaced ? paced : "", #"{"hosts":["*"],"maxConcurrentPerHost":2},{"hosts":["h1"],"maxConcurrentPerHost":1}"#, #"{"maxConcurrentPerHost":4}"#,
            ])
            try await queue.setDefaults(maxQueued: dice.of([30, 100_000]), hostLimits: Rules(text: #"{"rules":[\#(rules)]}"#, path: "r").hostLimits)
            return
        }
        let change = dice.of([
            QueueChange(order: .lifo), QueueChange(order: .fifo), QueueChange(maxConcurrent: 2), QueueChange(maxConcurrent: 6),
            QueueChange(maxConcurrentPerHost: 1), QueueChange(maxConcurrentPerHost: 3), QueueChange(hostLimits: [:]),
            QueueChange(hostLimits: ["h0": 1, "h2": 0, "data:": 2]), QueueChange(maxQueued: 5), QueueChange(maxQueued: 30),
            QueueChange(paused: true), QueueChange(paused: false), QueueChange(paused: false),
        ])
        guard let info = try await queue.configure(change) else { throw fail("the queue is unknown") }
        try require(change.order == nil || info.order == change.order, "order \(info.order)")
        try require(change.paused == nil || info.paused == change.paused, "paused \(info.paused)")
        try require(change.hostLimits == nil || info.limits.hostLimits == change.hostLimits, "limits \(info.limits)")
        let depth = before.scores("aq").count + before.scores("ao").count
        try require(info.queued == depth && info.running == before.scores("run").count && info.delayed == before.scores("delay").count, "\(info)")
        let oldest = waiting(before, due: false).compactMap { Double(before.hash("f:" + $0.id)["queuedAt"] ?? "") }.min()
        try require(info.oldestQueuedSeconds == oldest.map { (Double(queue.clock ?? 0) - $0) / 1000 }, "oldest \(info)")
    }

    /// Whether a coordinator may take over a live receipt: no client waits for it at its own coordinator.
    private func isFree(_ track: Track, for taker: String) -> Bool {
        if track.isLeft { return true }
        return taker != track.coordinator && isSilent(track.coordinator)
    }

    func isSilent(_ coordinator: String) -> Bool {
        before.scores("co")[coordinator].map { Double(queue.clock ?? 0) - $0 >= 10_000 } ?? true
    }

    /// Makes a client of a coordinator leave a receipt of this or another coordinator.
    func leave() async throws {
        guard let id = followed(0.5) ?? tracks.keys.sorted().randomElement(using: &dice), let track = tracks[id] else { return }
        let coordinator = dice.of([track.followers.first ?? "c1", "c1", "c2"])
        try await queue.leave(receipt: id, coordinator: coordinator)
        guard track.terminal == nil else { return }
        if coordinator == track.coordinator { tracks[id]?.isLeft = true } else { tracks[id]?.followers.remove(coordinator) }
    }

    func snapshot() async throws {
        let ids = Array(tracks.keys.sorted().shuffled(using: &dice).prefix(3))
        let taker = dice.of([nil, nil, "c1", "c2"])
        let areAwaited = dice.chance(0.5)
        let found = try await queue.snapshots(ids + ["nobody"], adoptedBy: taker, areAwaited: areAwaited)
        try require(found["nobody"] == nil && found.count == ids.count, "snapshots of \(found.keys)")
        for id in ids {
            guard let track = tracks[id], let snapshot = found[id] else { continue }
            try require(snapshot.seq == track.seq && snapshot.ending?.state.rawValue == track.terminal, "snapshot \(snapshot)")
            try require(snapshot.meta == track.submission.meta, "meta \(snapshot.meta)")
            try require(snapshot.terms == track.submission.terms, "terms \(snapshot.terms)")
            guard track.terminal == nil else { continue }
            if let taker, isFree(track, for: taker) {
                tracks[id]?.coordinator = taker
                tracks[id]?.isLeft = false
                tracks[id]?.followers.remove(taker)
                count("adopted")
            } else if let taker, areAwaited, taker != track.coordinator {
                tracks[id]?.followers.insert(taker)
                count("followed")
            }
            try require(snapshot.coordinator == tracks[id]?.coordinator, "snapshot of \(snapshot.coordinator)")
            let state = ["queued": ReceiptState.queued, "delayed": .delayed, "running": .running][before.hash("f:" + snapshot.fetch)["state"] ?? ""]
            try require(snapshot.state == (track.isPaused ? .paused : state), "snapshot says \(snapshot.state)")
            let place = track.isPaused ? nil : waiting(before, due: false).firstIndex { $0.id == snapshot.fetch }
            try require(snapshot.position == place, "snapshot at \(snapshot.position ?? -1), not \(place ?? -1)")
        }
    }
}
