import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport

extension QueueModel {
    private func newSubmission() -> Submission {
        made += 1
        // Several sources in data: URLs. Their limit is that of the queue, so more of them must run to reach it.
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
        s.resultTime = dice.of([.seconds(Submission.usualTTL), 0, 60, 60])
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
        s.supersedeKey = dice.chance(0.1) ? dice.of(["a", "b"]) : nil
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
            live.map {
                $0["state"] != "running"
                    ? s.joining == .any || $0["joins"] == (s.joining == .reload ? "reload" : "revalidate")
                    : s.joining == .any && ($0["forgets"] == nil || !s.keepsSource)
            }
            ?? false
        let depth = before.scores("aq").count + before.scores("ao").count + before.scores("delay").count
        let isFull = depth >= Int(before.hash("cfg")["maxQueued"] ?? "") ?? 0
        let isRefused = !isCached && !isJoin && isListed(s)
        tracks[s.receipt] = Track(submission: s, coordinator: s.coordinator, priority: s.priority)
        // A probe without a name has no bytes to search for.
        let known = Set(s.renditions.filter { !$0.name.isEmpty }.map(\.digest)).filter { before.entries["x:" + $0] != nil }
        if s.readResults, !s.isVerified, !known.isEmpty {
            try await unchanged("an unverified result") {
                guard case .indexed(let found) = try await queue.submit(s) else { throw fail("answered though nothing was verified") }
                try require(Set(found.map(\.digest)) == known && found.count == known.count, "indexed \(found), not \(known)")
            }
            s.isVerified = true
            count("indexed")
        }
        let last = s.supersedeKey.flatMap { before.text("sl:" + $0) }
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
            let expected: [String: ReceiptState] = ["queued": .queued, "delayed": .delayed, "running": .running]
            let isWoken = joined && live?["state"] == "delayed" && live?["paused"] != nil
            if isWoken { count("woken by another") }
            try require(isWoken ? [.queued, .delayed].contains(state) : state == (joined ? expected[live?["state"] ?? ""] : .queued), "state \(state)")
            try require(joined || !isFull, "taken in though full")
            try require(!isRefused, "taken in though blacklisted")
            let after = try await queue.dump()
            let kept = joined ? max(s.resultTime, live.map(Self.time) ?? .unkept) : s.resultTime
            let fetch = after.hash("r:" + s.receipt)["fetch"] ?? ""
            wishes[fetch, default: []].append(s.blacklist)
            let record = after.hash("f:" + fetch)
            try require(Self.time(record) == kept, "results are kept for \(Self.time(record)), not \(kept)")
            let isPoor = !s.keepsSource && (!joined || live?["forgets"] != nil)
            try require((record["forgets"] != nil) == isPoor, "whether its source is kept: not \(isPoor)")
            let place = waiting(after, due: false).firstIndex { after.hash("fr:" + $0.id)[s.receipt] != nil }
            try require(position == place, "position \(position ?? -1), not \(place ?? -1)")
            if let slot = s.supersedeKey { try require(after.text("sl:" + slot) == s.receipt, "slot \(slot) has another receipt") }
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

    /// Submits the same receipt again, by the other coordinator too, or another request under its id.
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

    /// A receipt has ended with its submission. The superseded receipt is reported once, and is no part of the end.
    func end(_ receipt: String, _ ending: Ending, superseding last: String?) throws {
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
        try require(answer.fetches.map(\.lease.fetch) == expected, "claimed \(answer.fetches.map(\.lease.fetch)), should be \(expected)")
        for fetch in answer.fetches {
            let record = before.hash("f:" + fetch.lease.fetch)
            let needs = before.hash("n:" + fetch.lease.fetch)
            try require(fetch.attempt == (Int(record["attempts"] ?? "0") ?? 0) + 1, "attempt \(fetch.attempt)")
            try require(fetch.fetch == needs["source"] && fetch.wantsProgress == (record["progressInterval"] != nil), "fetch \(fetch)")
            try require(fetch.keepsSource == (record["forgets"] == nil), "its source is kept: \(fetch.keepsSource)")
            try require(Set(fetch.renditions.map(\.digest)) == Set(needs.keys).subtracting(["source"]), "renditions \(fetch.renditions)")
            try require(
                !past.contains(fetch.lease) && !runs.contains { $0.fetch.lease == fetch.lease }, "token \(fetch.lease.token) of \(fetch.lease.fetch) twice")
            if let pace = pace(fetch.host, before) {
                let until = try await harness.redis.command(["ZSCORE", .string(queue.keys.tag.prefix + "held"), .string(fetch.host)]).string.flatMap(
                    Double.init)
                try require(until ?? 0 >= Double(queue.clock ?? 0) + Double(pace), "\(fetch.host) is not left alone for \(pace) ms")
            }
            runs.append(Run(worker: worker, fetch: fetch, owed: fetch.renditions))
            self.count("claimed")
        }
    }

    /// Whether the blacklist refuses a submission that nothing else answers.
    private func isListed(_ s: Submission) -> Bool {
        guard case .on(let decodes) = s.blacklist else { return false }
        guard let words = before.text("b:" + s.source)?.split(separator: " "), words.count > 3 else { return false }
        if words[2] == "all", s.takes.contains(where: { $0.contains(404) }) { return false }
        return Int64(words[1]) ?? 0 > queue.clock ?? 0 && (decodes || words[2] == "all")
    }

    private static let broken = TintypeError(.badImageData, .decode, "no picture")
    static let gone = TintypeError(.httpStatus, .download, "404", details: ["status": 404])

    /// Whether a receipt of a fetch has ever allowed its failures to be blacklisted. This never changes back.
    private func maySpoil(_ fetch: String) -> Bool { wishes[fetch]?.contains { $0 != .off } ?? false }

    /// The possible report of a run: mostly stored for as long as its receipts ask.
    private func outcome(_ digest: String, of lease: RunLease) -> RenditionOutcome {
        if dice.chance(0.05) {
            return RenditionOutcome(
                digest, .failure(Self.broken), listing: BlacklistRules(broken: dice.of([10, 30])).listing(of: Self.broken, url: "http://h/"))
        }
        if dice.chance(0.15) { return RenditionOutcome(digest, .failure(TintypeError(.encodeFailed, .encode, "no"))) }
        return QueueHarness.made(digest, ttl: dice.chance(0.9) ? wished(lease) : dice.of([0, 60] as [ResultTime]))
    }

    /// How long the results of a run must be kept.
    private func wished(_ lease: RunLease) -> ResultTime { Self.time(before.hash("f:" + lease.fetch)) }

    /// How long the results of a fetch are wanted, by its record.
    private static func time(_ fetch: [String: String]) -> ResultTime { ResultTime(word: fetch["resultTime"] ?? "fresh") ?? .unkept }

    private func isBrief(_ outcome: RenditionOutcome, for lease: RunLease) -> Bool {
        if case .success(_, _, _, let time) = outcome.result { time < wished(lease) } else { false }
    }

    func rendition() async throws {
        guard let index = runs.indices.randomElement(using: &dice), let owed = runs[index].owed.randomElement(using: &dice) else { return }
        let lease = runs[index].fetch.lease
        let outcome = outcome(owed.digest, of: lease)
        let state = judgment(lease)
        if state == .ok, isBrief(outcome, for: lease) {
            try await unchanged("a rendition kept too short", of: lease) {
                let answer = try await queue.rendition(lease, outcome)
                try require(answer == .keepLonger(wished(lease)), "rendition: \(answer), not for longer")
            }
            return count("rendition for longer")
        }
        let answer = try await queue.rendition(lease, outcome, metrics: ["dns": 0.1])
        let expected: RenditionAnswer = [.ok: .ok, .stale: .stale, .cancel: .cancel][state] ?? .ok
        try require(answer == expected, "rendition: \(answer), not \(expected)")
        if answer == .ok {
            runs[index].owed.removeAll { $0 == owed }
            try await listed(outcome, of: lease.fetch)
        }
        count("rendition \(answer)")
    }

    /// The blacklist after a rendition was taken.
    private func listed(_ outcome: RenditionOutcome, of fetch: String) async throws {
        let record = before.hash("f:" + fetch)
        let (old, new) = (before.text("b:" + (record["source"] ?? "")), try await queue.dump().text("b:" + (record["source"] ?? "")))
        if outcome.listing != nil, maySpoil(fetch) {
            try require(new?.contains(" pictures {") == true && new != old, "a broken picture is not listed")
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
        let lease = run.fetch.lease
        let outcomes = run.owed.map { outcome($0.digest, of: lease) }
        let state = judgment(lease)
        if state != standing(lease) { count("finish too late") }
        let more = wanted(lease.fetch).subtracting(run.owed.map(\.digest))
        if state == .ok, outcomes.contains(where: { isBrief($0, for: lease) }) {
            try await unchanged("an end with renditions kept too short", of: lease) {
                let answer = try await queue.finish(lease, .success(metrics: [:], outcomes))
                try require(answer == .keepLonger(wished(lease)), "finish: \(answer), not for longer")
            }
            return count("finish for longer")
        }
        let answer = try await queue.finish(lease, .success(metrics: ["dns": 0.1], outcomes))
        switch answer {
        case .more(let owed, let ttl):
            try require(ttl == wished(lease), "more: to be kept \(ttl)")
            // A failed rendition may have ended the only receipt that wanted another one.
            try require(state == .ok && Set(owed.map(\.digest)).isSubset(of: more) && !owed.isEmpty, "more: \(owed), should be \(more)")
            runs[index].owed = owed
            count("more")
            return
        case .done: try require(state == .cancel || state == .ok && (more.isEmpty || outcomes.contains { $0.isFailure }), "done, but \(state), \(more)")
        case .withdrawn: try require(state == .cancel, "\(answer), but \(state)")
        case .again, .keepLonger, .purged: throw fail("finish: \(answer)")
        case .stale, .duplicate: try require(state == .stale, "\(answer), but \(state)")
        }
        count("finish \(answer)")
        let source = before.hash("f:" + lease.fetch)["source"] ?? ""
        if answer == .done, state == .ok, !outcomes.isEmpty, !outcomes.contains(where: \.isFailure), wishes[lease.fetch]?.contains(.retry) == true,
            before.text("b:" + source) != nil
        {
            try require(try await queue.dump().text("b:" + source) == nil, "a run that came through has left its source on the blacklist")
            count("off the list")
        }
        runs.remove(at: index)
        past.append(lease)
        if answer == .done || answer == .withdrawn, dice.chance(0.3) {
            try await unchanged("a repeated finish") {
                let again = try await queue.finish(lease, .success(metrics: [:], outcomes.map { QueueHarness.made($0.digest) }))
                try require(again == .duplicate, "repeated finish: \(again)")
            }
        }
    }

    func failRun() async throws {
        guard let index = runs.indices.randomElement(using: &dice) else { return }
        let lease = runs[index].fetch.lease
        let state = judgment(lease)
        let record = before.hash("f:" + lease.fetch)
        let isTransient = dice.chance(0.7)
        let listing = isTransient || dice.chance(0.5) ? nil : BlacklistRules(missing: dice.of([30, 90])).listing(of: Self.gone, url: "http://h/")
        let answer = try await queue.finish(
            lease, .failure(isTransient ? QueueHarness.transient : QueueHarness.permanent, retryAfter: dice.of([nil, nil, 3])), listing: listing,
            busyHost: dice.of([nil, nil, record["host"], "elsewhere"]))
        try require([.done, .again].contains(answer) == (state != .stale), "failure: \(answer), but \(state)")
        runs.remove(at: index)
        past.append(lease)
        count("fail \(answer)")
        guard state == .ok, before.entries["fr:" + lease.fetch] != nil else { return }
        let tries = (Int(record["attempts"] ?? "") ?? 0) - (Int(record["deaths"] ?? "0") ?? 0)
        let again = isTransient && tries < Int(record["maxAttempts"] ?? "3") ?? 0
        try require(answer == (again ? .again : .done), "failure: \(answer), but another run: \(again)")
        let dump = try await queue.dump()
        let after = dump.hash("f:" + lease.fetch)["state"]
        try require(after == (again ? "delayed" : isTransient ? "dead" : "failed"), "after a failure: \(after ?? "gone")")
        let entry = dump.text("b:" + (record["source"] ?? ""))
        let isNew = entry != before.text("b:" + (record["source"] ?? ""))
        try require(isNew == (listing != nil && maySpoil(lease.fetch)), "after a failure that \(listing == nil ? "lists not" : "lists"): \(entry ?? "")")
    }

}

extension RenditionOutcome {
    var isFailure: Bool { if case .failure = result { true } else { false } }
}
