import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport

extension QueueModel {
    private func newSubmission() -> Submission {
        made += 1
        // Several that stand in URLs: their limit is that of the queue, and to feel it more of them have to run than one.
        let picture = Int.random(in: 0..<12, using: &dice)
        let host = picture < 8 ? "h\(picture % 4)" : "data:"
        let outputs = ["a", "b", "c"].shuffled(using: &dice).prefix(dice.of([1, 1, 1, 2, 3]))
        var s = QueueHarness.submission("r\(made)", source: "p\(picture)", renditions: Array(outputs), coordinator: dice.of(["c1", "c2"]), host: host)
        if dice.chance(0.1) { s.renditions.append(.init(name: "twin", digest: s.renditions[0].digest, json: s.renditions[0].json)) }
        if dice.chance(0.05) { s.renditions[0].name = "" }
        if (4..<8).contains(picture) { s.mirrors = ["h\((picture + 1) % 4)", "elsewhere"] }
        s.client = ["x", "y", "x", "z"][made % 4]
        s.priority = dice.of([-4, 0, 0, 0, 4, 10])
        s.order = dice.of([nil, nil, nil, .fifo, .lifo])
        s.deadlineSeconds = dice.of([2, 10, 30, 60])
        s.maxAttempts = dice.of([1, 2, 3])
        s.wantsProgress = dice.chance(0.4)
        if dice.chance(0.5) { s.progressInterval = dice.of([0.02, 0.1]) }
        s.resultTTL = dice.of([Submission.usualTTL, 0, 60, 60])
        s.readResults = dice.chance(0.8)
        s.isVerified = dice.chance(0.7)
        s.joining = dice.chance(0.9) ? .any : dice.of([.reload, .asking])
        s.keepsSource = dice.chance(0.8)
        if dice.chance(0.3) { s.takes = dice.of([[200...299, 404...404], [200...299, 400...599], [200...210]]) }
        s.terms = ReceiptTerms(
            isDetached: dice.chance(0.2), delivery: dice.of([.reference, .inline, .none]), hasHooks: dice.chance(0.2), tiers: dice.of([[], [.results]]))
        if dice.chance(0.2) { s.terms.fallback = .request(["url": "http://other.test/d", "deadline": 10]) }
        if dice.chance(0.3) { s.meta = #","tag":"t""# }
        if dice.chance(0.3) { s.callback = CallbackTarget(url: "http://hook.test/\(s.receipt)", secret: "s") }
        s.slot = dice.chance(0.1) ? dice.of(["a", "b"]) : nil
        s.blacklist = dice.of([.on(decodes: true), .on(decodes: true), .on(decodes: true), .on(decodes: false), .off, .retry])
        if before.text("b:" + s.source) != nil, dice.chance(0.4) { s.blacklist = .retry }
        return s
    }

    func submit() async throws {
        var s = newSubmission()
        let unique = Set(s.renditions.map(\.digest))
        let isCached = s.readResults && unique.allSatisfy { before.entries["x:" + $0] != nil }
        let live = before.fetch(ofSource: s.source).map { before.hash("f:" + $0) }
        let isJoin =
            live.map { $0["st"] != "r" ? s.joining == .any || $0["nf"] == s.joining.rawValue : s.joining == .any && ($0["ns"] == nil || !s.keepsSource) }
            ?? false
        let depth = before.scores("aq").count + before.scores("ao").count + before.scores("delay").count
        let isFull = depth >= Int(before.hash("cfg")["maxq"] ?? "") ?? 0
        let isRefused = !isCached && !isJoin && isListed(s)
        tracks[s.receipt] = Track(submission: s, coordinator: s.coordinator, priority: s.priority)
        // Of what has no name there are no bytes to look for.
        let known = Set(s.renditions.filter { !$0.name.isEmpty }.map(\.digest)).filter { before.entries["x:" + $0] != nil }
        if s.readResults, !s.isVerified, !known.isEmpty {
            try await unchanged("an unverified result") {
                guard case .indexed(let found) = try await queue.submit(s) else { throw fail("answered though nothing was verified") }
                try require(Set(found.map(\.digest)) == known && found.count == known.count, "indexed \(found), not \(known)")
            }
            s.isVerified = true
            count("indexed")
        }
        let last = s.slot.flatMap { before.text("sl:" + $0) }
        let answer = try await queue.submit(s)
        if case .full = answer {} else if let last { try await isSuperseded(last, by: s.receipt) }
        switch answer {
        case .finished(let ending) where ending.state == .failed:
            try require(isRefused && ending.body.contains(#""code":1003"#), "refused, though \(s.source) may be asked")
            try end(s.receipt, ending, superseding: last)
            count("blacklisted")
        case .finished(let ending):
            try require(isCached && ending.state == .succeeded && ending.seq == 1, "\(answer) without results")
            try end(s.receipt, ending, superseding: last)
            count("cached")
        case .queued(let state, let position, let joined):
            try require(!isCached && joined == isJoin, "joined: \(joined), not \(isJoin); cached: \(isCached)")
            let expected: [String: ReceiptState] = ["q": .queued, "d": .delayed, "r": .running]
            try require(state == (joined ? expected[live?["st"] ?? ""] : .queued), "state \(state)")
            try require(joined || !isFull, "taken in though full")
            try require(!isRefused, "taken in though blacklisted")
            let after = try await queue.dump()
            let asked = Int(s.resultTTL * 1000)
            let kept = joined ? max(asked, live.map { Int($0["ttl"] ?? "2") ?? -1 } ?? -1) : asked
            let fetch = after.hash("r:" + s.receipt)["f"] ?? ""
            wishes[fetch, default: []].append(s.blacklist)
            let record = after.hash("f:" + fetch)
            try require(record["ttl"] ?? "2" == String(kept), "results are kept for \(record["ttl"] ?? "2"), not \(kept)")
            let isPoor = !s.keepsSource && (!joined || live?["ns"] != nil)
            try require((record["ns"] != nil) == isPoor, "whether its source is kept: not \(isPoor)")
            let place = waiting(after, due: false).firstIndex { after.hash("fr:" + $0.id)[s.receipt] != nil }
            try require(position == place, "position \(position ?? -1), not \(place ?? -1)")
            if let slot = s.slot { try require(after.text("sl:" + slot) == s.receipt, "slot \(slot) has another receipt") }
            count(joined ? "joined \(state)" : "new")
        case .full:
            try require(!isCached && !isJoin && isFull, "refused at a depth of \(depth)")
            tracks[s.receipt] = nil
            count("full")
        case .again, .mismatch, .unknownQueue, .indexed, .listed: throw fail("\(answer)")
        }
    }

    private func isSuperseded(_ last: String, by receipt: String) async throws {
        let ending = try await queue.receipt(last)?.ending
        try require(ending?.body.contains(isLate(last) ? #""code":1042"# : #""reason":"superseded""#) == true, "\(last) stays in the slot of \(receipt)")
        count("superseded")
    }

    /// The same receipt once more, by the other coordinator too, or another request under its id.
    func again() async throws {
        guard let id = tracks.keys.sorted().randomElement(using: &dice), let track = tracks[id] else { return }
        var s = track.submission
        if dice.chance(0.3) {
            s.fingerprint = "another"
            try await unchanged("a mismatch") { try require(try await queue.submit(s) == .mismatch, "another request was taken") }
            return
        }
        s.coordinator = dice.of(["c1", "c2"])
        switch try await queue.submit(s) {
        case .finished(let ending):
            let isLate = track.terminal == nil && isLate(id)
            if isLate { count("late again") }
            try require(isLate || track.terminal == ending.state.rawValue && ending.seq == track.seq, "another end")
            try require(track.ending == nil || track.ending == ending, "the end has changed")
            tracks[id]?.ending = ending
        case .again(_, _, let seq):
            try require(!isLate(id), "what is late goes on")
            try require(seq == track.seq, "its events go on after \(seq), not \(track.seq)")
            try require(track.terminal == nil, "an ended receipt is live again")
            if !track.isLeft, !isSilent(track.coordinator) { tracks[id]?.followers.insert(track.coordinator) }
            tracks[id]?.followers.remove(s.coordinator)
            tracks[id]?.coordinator = s.coordinator
            tracks[id]?.isLeft = false
        case let answer: throw fail("\(answer)")
        }
    }

    /// A receipt has ended with its submission. What it superseded is said once and is not part of its end.
    private func end(_ receipt: String, _ ending: Ending, superseding last: String?) throws {
        try require(ending.superseded == last, "superseded \(ending.superseded ?? "nothing"), not \(last ?? "nothing")")
        tracks[receipt]?.ending = ending
        tracks[receipt]?.ending?.superseded = nil
    }

    func claim() async throws {
        let worker = dice.of(["w1", "w2", "w3"])
        let count = dice.of([1, 1, 2, 4])
        let expected = expectedClaim(count)
        _ = try await harness.redis.command(["ZPOPMIN", .string(queue.keys.marker)])
        let answer = try await queue.claim(worker: worker, count: count)
        try require(answer.fetches.map(\.held.fetch) == expected, "claimed \(answer.fetches.map(\.held.fetch)), should be \(expected)")
        for fetch in answer.fetches {
            let record = before.hash("f:" + fetch.held.fetch)
            let needs = before.hash("n:" + fetch.held.fetch)
            try require(fetch.attempt == (Int(record["att"] ?? "0") ?? 0) + 1, "attempt \(fetch.attempt)")
            try require(fetch.fetch == needs["source"] && fetch.wantsProgress == (record["pr"] != nil), "fetch \(fetch)")
            try require(fetch.keepsSource == (record["ns"] == nil), "its source is kept: \(fetch.keepsSource)")
            try require(Set(fetch.renditions.map(\.digest)) == Set(needs.keys).subtracting(["source"]), "renditions \(fetch.renditions)")
            try require(!past.contains(fetch.held) && !runs.contains { $0.fetch.held == fetch.held }, "token \(fetch.held.token) of \(fetch.held.fetch) twice")
            runs.append(Run(worker: worker, fetch: fetch, owed: fetch.renditions))
            self.count("claimed")
        }
    }

    /// Whether the blacklist refuses a submission, should nothing else answer it.
    private func isListed(_ s: Submission) -> Bool {
        guard case .on(let decodes) = s.blacklist else { return false }
        guard let words = before.text("b:" + s.source)?.split(separator: " "), words.count > 3 else { return false }
        if words[2] == "n", s.takes.contains(where: { $0.contains(404) }) { return false }
        return Int64(words[1]) ?? 0 > queue.clock ?? 0 && (decodes || words[2] == "n")
    }

    private static let broken = TintypeError(.badImageData, .decode, "no picture")
    private static let gone = TintypeError(.httpStatus, .download, "404", details: ["status": 404])

    /// Whether some receipt of a fetch has let its failures be listed: then it stays so.
    private func maySpoil(_ fetch: String) -> Bool { wishes[fetch]?.contains { $0 != .off } ?? false }

    /// What a run might report: mostly stored for as long as is asked by now.
    private func outcome(_ digest: String, of held: Held) -> RenditionOutcome {
        if dice.chance(0.05) {
            return RenditionOutcome(
                digest, .failure(Self.broken), listing: BlacklistRules(broken: dice.of([10, 30])).listing(of: Self.broken, url: "http://h/"))
        }
        if dice.chance(0.15) { return RenditionOutcome(digest, .failure(TintypeError(.encodeFailed, .encode, "no"))) }
        return QueueHarness.made(digest, ttl: dice.chance(0.9) ? wished(held) : dice.of([0, 60]))
    }

    /// How long results of a run are to be kept, in seconds.
    private func wished(_ held: Held) -> Double { (Double(before.hash("f:" + held.fetch)["ttl"] ?? "2") ?? 0) / 1000 }

    private func isBrief(_ outcome: RenditionOutcome, for held: Held) -> Bool {
        if case .success(_, _, _, let seconds) = outcome.result { seconds < wished(held) } else { false }
    }

    func rendition() async throws {
        guard let index = runs.indices.randomElement(using: &dice), let owed = runs[index].owed.randomElement(using: &dice) else { return }
        let held = runs[index].fetch.held
        let outcome = outcome(owed.digest, of: held)
        let state = judgement(held)
        if state == .ok, isBrief(outcome, for: held) {
            try await unchanged("a rendition kept too short", of: held) {
                let answer = try await queue.rendition(held, outcome)
                try require(answer == .keepLonger(seconds: wished(held)), "rendition: \(answer), not for longer")
            }
            return count("rendition for longer")
        }
        let answer = try await queue.rendition(held, outcome, metrics: ["dns": 0.1])
        let expected: RenditionAnswer = [.ok: .ok, .stale: .stale, .cancel: .cancel][state] ?? .ok
        try require(answer == expected, "rendition: \(answer), not \(expected)")
        if answer == .ok {
            runs[index].owed.removeAll { $0 == owed }
            try await listed(outcome, of: held.fetch)
        }
        count("rendition \(answer)")
    }

    /// The blacklist after a rendition was taken.
    private func listed(_ outcome: RenditionOutcome, of fetch: String) async throws {
        let record = before.hash("f:" + fetch)
        let (old, new) = (before.text("b:" + (record["d"] ?? "")), try await queue.dump().text("b:" + (record["d"] ?? "")))
        if outcome.listing != nil, maySpoil(fetch) {
            try require(new?.contains(" d {") == true && new != old, "a broken picture is not listed")
            count("listed")
        } else if !outcome.isFailure, wishes[fetch]?.contains(.retry) == true {
            try require(new == nil, "a success has left its source on the blacklist")
            if old != nil { count("off the list") }
        } else {
            try require(new == old, "the blacklist has changed")
        }
    }

    func finish() async throws {
        guard let index = runs.indices.randomElement(using: &dice) else { return }
        let run = runs[index]
        let held = run.fetch.held
        let outcomes = run.owed.map { outcome($0.digest, of: held) }
        let state = judgement(held)
        if state != standing(held) { count("finish too late") }
        let more = wanted(held.fetch).subtracting(run.owed.map(\.digest))
        if state == .ok, outcomes.contains(where: { isBrief($0, for: held) }) {
            try await unchanged("an end with renditions kept too short", of: held) {
                let answer = try await queue.finish(held, .success(metrics: [:], outcomes))
                try require(answer == .keepLonger(seconds: wished(held)), "finish: \(answer), not for longer")
            }
            return count("finish for longer")
        }
        let answer = try await queue.finish(held, .success(metrics: ["dns": 0.1], outcomes))
        switch answer {
        case .more(let owed, let ttl):
            try require(ttl == wished(held), "more: to be kept \(ttl) s")
            // A rendition that failed may have taken the only receipt with it that wanted another one.
            try require(state == .ok && Set(owed.map(\.digest)).isSubset(of: more) && !owed.isEmpty, "more: \(owed), should be \(more)")
            runs[index].owed = owed
            count("more")
            return
        case .done: try require(state == .cancel || state == .ok && (more.isEmpty || outcomes.contains { $0.isFailure }), "done, but \(state), \(more)")
        case .withdrawn: try require(state == .cancel, "\(answer), but \(state)")
        case .keepLonger: throw fail("finish: \(answer)")
        case .stale, .duplicate: try require(state == .stale, "\(answer), but \(state)")
        }
        count("finish \(answer)")
        let source = before.hash("f:" + held.fetch)["d"] ?? ""
        if answer == .done, state == .ok, !outcomes.isEmpty, !outcomes.contains(where: \.isFailure), wishes[held.fetch]?.contains(.retry) == true,
            before.text("b:" + source) != nil
        {
            try require(try await queue.dump().text("b:" + source) == nil, "a run that came through has left its source on the blacklist")
            count("off the list")
        }
        runs.remove(at: index)
        past.append(held)
        if answer == .done || answer == .withdrawn, dice.chance(0.3) {
            try await unchanged("a repeated finish") {
                let again = try await queue.finish(held, .success(metrics: [:], outcomes.map { QueueHarness.made($0.digest) }))
                try require(again == .duplicate, "repeated finish: \(again)")
            }
        }
    }

    func failRun() async throws {
        guard let index = runs.indices.randomElement(using: &dice) else { return }
        let held = runs[index].fetch.held
        let state = judgement(held)
        let record = before.hash("f:" + held.fetch)
        let isTransient = dice.chance(0.7)
        let listing = isTransient || dice.chance(0.5) ? nil : BlacklistRules(missing: dice.of([30, 90])).listing(of: Self.gone, url: "http://h/")
        let answer = try await queue.finish(
            held, .failure(isTransient ? QueueHarness.transient : QueueHarness.permanent, retryAfter: dice.of([nil, nil, 3])), listing: listing,
            busyHost: dice.of([nil, nil, record["h"], "elsewhere"]))
        try require((answer == .done) == (state != .stale), "failure: \(answer), but \(state)")
        runs.remove(at: index)
        past.append(held)
        count("fail \(answer)")
        guard state == .ok, before.entries["fr:" + held.fetch] != nil else { return }
        let tries = (Int(record["att"] ?? "") ?? 0) - (Int(record["deaths"] ?? "0") ?? 0)
        let again = isTransient && tries < Int(record["m"] ?? "3") ?? 0
        let dump = try await queue.dump()
        let after = dump.hash("f:" + held.fetch)["st"]
        try require(after == (again ? "d" : isTransient ? "dead" : "err"), "after a failure: \(after ?? "gone")")
        let entry = dump.text("b:" + (record["d"] ?? ""))
        let isNew = entry != before.text("b:" + (record["d"] ?? ""))
        try require(isNew == (listing != nil && maySpoil(held.fetch)), "after a failure that \(listing == nil ? "lists not" : "lists"): \(entry ?? "")")
    }

    func release() async throws {
        guard let index = runs.indices.randomElement(using: &dice) else { return }
        let held = runs[index].fetch.held
        let state = judgement(held)
        let kept = try await dice.chance(0.5) ? queue.release(held) : queue.finish(held, .cancelled) == .done
        try require(kept == (state != .stale), "release: \(kept), but \(state)")
        runs.remove(at: index)
        past.append(held)
        guard state == .ok, before.entries["fr:" + held.fetch] != nil else { return }
        let after = try await queue.dump().hash("f:" + held.fetch)
        let charged = (Int(before.hash("f:" + held.fetch)["att"] ?? "") ?? 0) - (Int(after["att"] ?? "") ?? 0)
        try require(after["st"] == "q" && charged == 1, "given back: \(after["st"] ?? "gone"), charged \(1 - charged)")
        count("released")
    }

    /// A worker that lost its run, or never had it, changes nothing whatever it says.
    func stale() async throws {
        var held: Held
        if dice.chance(0.5), let run = runs.randomElement(using: &dice) {
            held = Held(fetch: run.fetch.held.fetch, token: run.fetch.held.token + 1 << 40)
        } else if let old = past.randomElement(using: &dice) {
            held = old
        } else {
            return
        }
        let lease = before.scores("run")[held.fetch]
        try await unchanged("a stale call") {
            try require(try await queue.progress(held, [FetchEvent(type: "progress", body: ["phase": "decode"])]) == .stale, "stale progress")
            try require(try await queue.rendition(held, QueueHarness.made("p1-z", ttl: 0)) == .stale, "stale rendition")
            let answers = [
                try await queue.finish(held, .success(metrics: [:], [QueueHarness.made("p1-a", ttl: 0)])),
                try await queue.finish(held, .failure(QueueHarness.transient, retryAfter: nil)),
                try await queue.finish(held, .cancelled),
            ]
            try require(answers.allSatisfy { $0 == .stale || $0 == .duplicate }, "stale ends: \(answers)")
        }
        let beat = try await queue.beat(worker: "w9", info: [:], [held])
        try require(beat.lost == [held.fetch], "a stale beat: \(beat)")
        try require(try await queue.dump().scores("run")[held.fetch] == lease, "a stale beat moved a lease")
        count("stale")
    }

    func beat() async throws {
        let worker = dice.of(["w1", "w2", "w3"])
        let mine = runs.filter { $0.worker == worker }.map(\.fetch.held)
        let phases = Dictionary(uniqueKeysWithValues: mine.map { ($0, dice.of([Phase.download, .decode, .store])) })
        let answer = try await queue.beat(worker: worker, info: ["pid": 1], mine, phases: phases)
        try require(answer.lost == mine.filter { standing($0) == .stale }.map(\.fetch), "lost \(answer.lost)")
        try require(answer.cancelled == mine.filter { standing($0) == .cancel }.map(\.fetch), "cancelled \(answer.cancelled)")
        let watched = mine.filter { standing($0) == .ok }.compactMap { held in
            before.hash("f:" + held.fetch)["pr"].flatMap { Int64($0) }.map { (held.fetch, Duration.milliseconds($0)) }
        }
        try require(answer.watched == Dictionary(uniqueKeysWithValues: watched), "watched \(answer.watched)")
        let leases = try await queue.dump().scores("run")
        for held in mine where standing(held) != .stale {
            try require(leases[held.fetch] == Double((queue.clock ?? 0) + 10_000), "the lease of \(held.fetch) was not extended")
        }
        runs.removeAll { answer.lost.contains($0.fetch.held.fetch) && $0.worker == worker }
    }

    func progress() async throws {
        guard let run = runs.randomElement(using: &dice) else { return }
        let events = [FetchEvent(type: dice.of(["progress", "response", "cached"]), body: ["phase": "decode", "receivedBytes": 7])]
        let answer = try await queue.progress(run.fetch.held, events)
        try require(answer == standing(run.fetch.held), "progress: \(answer)")
    }

    func drop() async throws {
        guard let id = tracks.keys.sorted().randomElement(using: &dice), let track = tracks[id] else { return }
        if dice.chance(0.4) { return try await giveUp() }
        let fails = dice.chance(0.3)
        let error = TintypeError(.deadlineExceeded, .queue, "too late", details: ["attempts": 0])
        let answer = try await fails ? queue.drop(receipt: id, failure: error) : queue.drop(receipt: id, reason: "requested \"by\" test")
        try require(answer == (track.terminal == nil && (fails || !isLate(id)) ? .dropped : .finished), "drop: \(answer)")
        try require(try await queue.drop(receipt: id, reason: "again") == .finished, "dropped twice")
        count("drop \(answer)")
    }

    /// A live receipt that somebody waits for at two coordinators, so often as there is one.
    private func followed(_ chance: Double) -> String? {
        guard dice.chance(chance) else { return nil }
        return tracks.filter { $0.value.terminal == nil && !$0.value.followers.isEmpty }.keys.sorted().randomElement(using: &dice)
    }

    /// The last client of a coordinator gives a receipt up.
    private func giveUp() async throws {
        guard let id = followed(0.8) ?? tracks.keys.sorted().randomElement(using: &dice), let track = tracks[id] else { return }
        let owner = dice.of([track.coordinator, track.coordinator, "c1", "c2"])
        let heir = track.followers.first { !isSilent($0) }
        let answer = try await queue.drop(receipt: id, reason: "disconnected", owner: owner)
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
        let fid = before.hash("r:" + id)["f"] ?? ""
        let highest = before.hash("fr:" + fid).keys.compactMap { tracks[$0]?.priority }.max()
        try require(got == highest, "priority \(got ?? -99), not \(highest ?? -99)")
    }

    func reap() async throws {
        let now = Double(queue.clock ?? 0)
        let expired = before.scores("run").filter { $0.value < now }.count
        let answer = try await queue.reap()
        try require(answer.expiredLeases == expired, "took \(answer.expiredLeases) runs, \(expired) had ended")
        let after = try await queue.dump()
        try require(after.scores("run").allSatisfy { $0.value >= now }, "an ended lease was left")
        try require(after.scores("dl").allSatisfy { $0.value > now }, "a passed deadline was left")
        try require(after.scores("delay").allSatisfy { $0.value > now }, "a due fetch was left")
        try require(after.scores("held").allSatisfy { $0.value > now }, "a host was held longer than it asked")
        try require(after.scores("bl").allSatisfy { $0.value > now }, "what is over was left on the blacklist")
        if expired > 0 { count("reaped") }
        for (id, end) in before.scores("run") where end < now {
            let (then, fetch) = (before.hash("f:" + id), after.hash("f:" + id))
            let isSecond = (Int(then["deaths"] ?? "") ?? 0) > 0 && then["dw"] != then["w"]
            try require(!isSecond || !["q", "d", "r"].contains(fetch["st"] ?? ""), "fetch \(id) has killed a second worker and lives")
        }
        for gone in answer.goneCoordinators {
            try require(after.scores("co")[gone].map { $0 <= now - 40_000 } ?? false, "\(gone) is not gone")
            let left = after.names("r:").map { after.hash("r:" + $0) }
                .filter { $0["st"] == nil && $0["co"] == gone && ($0["gv"] != nil || $0["how"]?.prefix { $0 != "{" }.contains("d") != true) }
            try require(try await queue.abandon(coordinator: gone) == left.count, "withdrew other receipts than the \(left.count) of \(gone)")
            try await check()
            channels[gone] = nil
            count("abandoned")
        }
        for co in ["c1", "c2"] where before.hash("cseq")[co] != nil && after.hash("cseq")[co] == nil { channels[co] = nil }
    }

    func configure() async throws {
        if dice.of([true, false, false]) {
            let rules = dice.of(["", #"{"hosts":["*"],"maxConcurrentPerHost":2},{"hosts":["h1"],"maxConcurrentPerHost":1}"#, #"{"maxConcurrentPerHost":4}"#])
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
        let oldest = waiting(before, due: false).compactMap { Double(before.hash("f:" + $0.id)["t0"] ?? "") }.min()
        try require(info.oldestQueuedSeconds == oldest.map { (Double(queue.clock ?? 0) - $0) / 1000 }, "oldest \(info)")
    }

    /// Whether a coordinator may take a live receipt over: nobody waits for it where it belongs.
    private func isFree(_ track: Track, for taker: String) -> Bool {
        if track.isLeft { return true }
        return taker != track.coordinator && isSilent(track.coordinator)
    }

    private func isSilent(_ coordinator: String) -> Bool {
        before.scores("co")[coordinator].map { Double(queue.clock ?? 0) - $0 >= 10_000 } ?? true
    }

    /// A coordinator's client has gone, of a receipt that is its own or another's.
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
            let state = ["q": ReceiptState.queued, "d": .delayed, "r": .running][before.hash("f:" + snapshot.fetch)["st"] ?? ""]
            try require(snapshot.state == state, "snapshot says \(snapshot.state)")
            let place = waiting(before, due: false).firstIndex { $0.id == snapshot.fetch }
            try require(snapshot.position == place, "snapshot at \(snapshot.position ?? -1), not \(place ?? -1)")
        }
    }
}

extension RenditionOutcome {
    var isFailure: Bool { if case .failure = result { true } else { false } }
}
