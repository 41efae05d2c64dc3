import TintypeTransport
import TintypeQueue
import TestSupport
import Testing

/// The seeds decide the end. The time limit is for a run that hangs.
@Suite(.tags(.cluster), .timeLimit(.minutes(30)), .serialized, .scoped) struct QueueModelTests {
    /// A failure names its seed and step. `QueueModel(seed:)` with that seed repeats the run.
    @Test @Loop func `thousands of random steps of coordinators and workers break no rule`() async throws {
        let harness = try await QueueHarness()
        var seen: Set<String> = []
        for seed in UInt64(1)...9 {
            let model = try await QueueModel(seed: seed, harness: harness, isPaced: seed > 6)
            try await model.run(steps: 700)
            seen.formUnion(model.tally.keys)
        }
        let wanted: Set<String> = [
            "new", "joined queued", "joined delayed", "joined running", "cached", "indexed", "adopted", "full", "claimed", "more", "released", "reaped",
            "stale",
            "rendition ok", "rendition stale", "rendition cancel", "finish done", "finish stale", "fail done", "fail stale", "drop dropped",
            "drop finished", "succeeded", "failed", "cancelled", "rendition for longer", "finish for longer", "called", "late call",
            "blacklisted", "listed", "off the list", "superseded", "followed", "handed over", "not handed over", "finish too late", "late again",
            "another client", "paced", "paused", "resumed", "parked queued", "parked delayed", "parked running", "given back as it is paused",
            "woken by another",
        ]
        #expect(wanted.subtracting(seen).isEmpty, "never happened, so was never tested")
    }

    /// Every end of several receipts then takes several calls, as those of hundreds do.
    @Test @Loop func `the same steps in pages of one receipt break no rule`() async throws {
        var sources = RedisServer.isClusterByDefault ? QueueHarness.flagged : QueueScripts.sources
        let text = try #require(sources["events"])
        try #require(text.contains("local PAGE = 200\n"))
        sources["events"] = text.replacing("local PAGE = 200\n", with: "local PAGE = 1\n")
        let harness = try await QueueHarness(scripts: QueueScripts(sources: sources))
        for seed in UInt64(1)...6 { try await QueueModel(seed: seed, harness: harness).run(steps: 700) }
    }

    /// One broken rule in the text of a script.
    struct Mutant: Sendable, CustomTestStringConvertible {
        let rule: String
        let file: String
        let text: String
        let replacement: String
        /// The seed that finds the mutant: the search begins there.
        let seed: UInt64
        let isPaced: Bool
        var testDescription: String { rule }

        init(_ rule: String, _ file: String, _ text: String, _ replacement: String, seed: UInt64 = 1, isPaced: Bool = false) {
            self.rule = rule
            self.file = file
            self.text = text
            self.replacement = replacement
            (self.seed, self.isPaced) = (seed, isPaced)
        }
    }

    nonisolated static let mutants = [
        Mutant("a host's rank is brought up to date", "order", "    sync(h)\n  else\n", "    local _\n  else\n"),
        Mutant("a host without work is not ready", "order", "    rerank(h, after)\n", ""),
        Mutant("only the last one has none after it", "order", "#a + #b > 2", "#a + #b > 4"),
        Mutant("a full host that has room again is ready", "fetches", "+ 1 >= limit(h) then sync(h) end", "> limit(h) then sync(h) end"),
        Mutant(
            "a withdrawn run is not what new receipts find", "fetches", "'withdrawn', m[7] and 'served' or 'unserved', 'overtaken', 1)",
            "'withdrawn', 'unserved')"),
        Mutant("no token is given out twice", "claim", "(tonumber(m[7]) or 0) + 1))", "0))"),
        Mutant("an end wakes a worker", "finish", "wake()\nreturn { m[4]", "return { m[4]"),
        Mutant("an end frees the host's slot", "fetches", "  call('SREM', P .. 'hr:' .. h, fid)\n", ""),
        Mutant("who runs more than another who waits lets him go before", "order", "if n and n < most then", "if false then"),
        Mutant("who waits is known", "order", "    call('ZADD', P .. 'c' .. list .. ':' .. c, text, fid)\n", ""),
        Mutant("an end frees the client's place", "fetches", "    call('SREM', P .. 'cr:' .. whose(fid), fid)\n", "    local _\n"),
        Mutant("those that run are somebody's when another one comes", "order", "do call('SADD', P .. 'cr:' .. whose(fid), fid) end", "do end", seed: 12),
        Mutant("a finish needs the token", "finish", "if m[1] ~= 'running' or m[2] ~= token then", "if m[1] ~= 'running' then"),
        Mutant("a failure needs the token", "fail", "if m[1] ~= 'running' or m[2] ~= token then", "if m[1] ~= 'running' then"),
        Mutant("a beat needs the token", "worker-heartbeat", "if m[1] ~= 'running' or m[2] ~= ARGV[i + 1] then", "if m[1] ~= 'running' then"),
        Mutant("a higher priority moves a waiting fetch", "receipts", "if m[1] == 'queued' then", "if false then"),
        Mutant("a priority goes down again", "receipts", "    set_priority(fid, top or -256)", ""),
        Mutant("a withdrawn run cannot be joined", "fetches", "    erase(m[3], m[6], P .. 'n:'", "    erase(m[3], true, P .. 'n:'"),
        Mutant("the worker of a withdrawn run is told", "fetches", "    call('SPUBLISH', P .. 'ctl', 'cancel|' .. fid .. '|' .. m[5])\n", ""),
        Mutant(
            "what is paused is queued by nothing", "fetches", "  if m[5] then\n    call('HSET', key, 'state', 'delayed')",
            "  if false then\n    call('HSET', key, 'state', 'delayed')", seed: 2),
        Mutant("what failed while it is paused waits", "fetches", "'paused') == 1 and PARKED or now + ms", "'paused') == 2 and PARKED or now + ms", seed: 15),
        Mutant("who joins what is paused wakes it", "submit", "if f[16] then", "if false then", seed: 2),
        Mutant("a paused receipt that leaves is no longer counted", "fetches", "recount(fid, r[4] and -1 or 0)", "recount(fid, 0)", seed: 2),
        Mutant("a paused receipt that has all is no longer counted", "fetches", "recount(fid, 0 - paused)", "recount(fid, 0)", seed: 2),
        Mutant("what others leave to the paused is paused", "fetches", "  if call('HEXISTS', P .. 'f:' .. fid, 'pausedReceipts') == 1 then", "  if false then"),
        Mutant("whoever runs what is paused is asked to give it back", "fetches", "or 0) + 1) .. ' ' .. m[4])", "or 0) + 1) .. ' 0')", seed: 2),
        Mutant("who is paused hears of no progress", "pause", "call('HSET', fr, rid, entry(co, p, nil, meta))", "call('HSET', fr, rid, who)"),
        Mutant(
            "who goes on hears of it again", "pause", "who = entry(co, p, r[3] ~= 'none' and r[3] or nil, meta)",
            "who = entry(co, p, nil, meta)"),
        Mutant("two dead workers are enough", "reap", "deaths > 1 and", "deaths > 9 and", seed: 8),
        Mutant("a host of its own order obeys it", "order", "(o == 'lifo' and -seq or seq)", "seq"),
        Mutant(
            "the queue's order is obeyed", "order", "return cfg.order == 'lifo' and base + MIDDLE - (stored - base) or stored + MIDDLE",
            "return stored + MIDDLE",
            seed: 4),
        Mutant("channel numbers have no holes", "events", "'cseq', co, '1')", "'cseq', co, '2')"),
        Mutant("hosts are ranked anew in another order", "configure", "cfg.order ~= order or ", "", seed: 4),
        Mutant("hosts are ranked anew when more or fewer may run of each", "configure", " or cfg.hmax ~= hmax", "", seed: 17),
        Mutant("hosts are ranked anew with other limits of their own", "configure", "ARGV[2] == '1' or cfg", "cfg", seed: 4),
        Mutant("hosts are ranked anew by other rules", "defaults", "do sync(h) end", "do end"),
        Mutant("what stands in a URL is ranked anew when more or fewer may run", "configure", "elseif cfg.max ~= most then sync('data:') end", "end", seed: 14),
        Mutant("no more per host than its limit", "order", "'hr:' .. h) < limit(h) and", "'hr:' .. h) <= limit(h) and"),
        Mutant("no more at once than the maximum", "order", "cfg.max - call('ZCARD', P .. 'run')", "cfg.max"),
        Mutant("a paused queue rests", "order", "cfg.paused and 0 or ", "", seed: 4),
        Mutant("what nobody wants is not owed", "receipts", "if n == '1' and not keeps then call('HDEL', key, digest) else", "if false then else"),
        Mutant("a rendition joined while running is handed over", "finish", "if #gone * 2 < #waiting_ then", "if false then"),
        Mutant("a served receipt leaves its fetch", "fetches", "    call('HDEL', P .. 'fr:' .. fid, g[1])\n", ""),
        Mutant("an ended receipt has no deadline", "receipts", "  call('ZREM', P .. 'dl', rid)\n", ""),
        Mutant("an ended receipt's callback is due", "receipts", "    appoint(rid, m[6], int(now))\n", ""),
        Mutant("an ended receipt keeps no secret", "receipts", "    call('HDEL', key, 'callback')\n", ""),
        Mutant("a leased callback is nobody else's", "callbacks-lease", "int(now + ARGV[2])", "int(now)"),
        Mutant("what becomes of a callback needs its lease", "callback-settle", "if m[1] ~= ARGV[2] then", "if false then"),
        Mutant("what becomes of a callback is said once", "callback-settle", "  call('HINCRBY', key, 'token', 1)", "  "),
        Mutant("a receipt is taken in once", "submit", "if old[1] then", "if false then"),
        Mutant("a full queue refuses", "submit", ">= cfg.maxq then", ">= 2 * cfg.maxq then", seed: 3),
        Mutant("a reload joins nothing older", "submit", "elseif kind and", "elseif false and"),
        Mutant("a reload joins nothing but a reload", "submit", "f[2] ~= kind)", "not f[2])", seed: 19),
        Mutant("a source is kept if anybody says so", "submit", "if f[10] and not poor then call('HDEL', own, 'forgets') end", ""),
        Mutant("who wants its source kept joins no run that keeps none", "submit", "elseif f[10] and f[1] == 'running' and", "elseif false and"),
        Mutant("a status that a request takes refuses it not", "submit", "then till = 0 end", "then end", seed: 3),
        Mutant("giving back costs no attempt", "fetches", "'attempts', attempt - 1)", "'attempts', attempt)"),
        Mutant("detached receipts outlive their coordinator", "abandon", " and (r[5] or not string.find(r[4] or '', '^detached'))", "", seed: 8),
        Mutant("a fallback makes no receipt detached", "abandon", "'^detached')", "'d', 1, true)", seed: 2),
        Mutant("results expire", "settle", ", 'PX', int(ttl))", ")"),
        Mutant("an adopted receipt's events go to its new coordinator", "receipts", "entry(co, p, wish, meta))", "who)"),
        Mutant("only verified results answer", "submit", "if options.index == 'verify' and facts then", "if false then"),
        Mutant("nothing is kept for less than is asked by now", "settle", "lasting(ARGV[j + 5]) < wished then", "lasting(ARGV[j + 5]) < 0 then"),
        Mutant("the longest wish to keep results counts", "submit", "if lasting(time) > lasting(f[5] or USUAL_TIME) then", "if false then"),
        Mutant("the blacklist refuses", "submit", "if tonumber(till) > now and", "if false and"),
        Mutant("a broken picture refuses no bytes", "submit", "(spoils == 'all' or not black)", "true", seed: 40),
        Mutant("who does not wish it adds nothing to the blacklist", "submit", "if black == 'off' then put(fields, 'unlisted', 1) elseif", "if", seed: 5),
        Mutant("the blacklist can be looked through", "settle", "  call('ZADD', P .. 'bl', till, d)\n", ""),
        Mutant("what succeeds is taken off the blacklist", "settle", "if run[6] then", "if false then"),
        Mutant("a host over its pace waits", "claim", "    local ms = paced(h)\n", "    local ms\n", isPaced: true),
        Mutant("a held host waits", "order", "and not (cfg.held and call('ZSCORE', P .. 'held', h))", "", seed: 2),
        Mutant("a host is ranked anew when it is held", "order", "  refresh()\n  sync(h)\n", "  refresh()\n", seed: 2),
        Mutant(
            "a host is ranked anew when its time is over", "order", "    call('ZREM', P .. 'held', h)\n    sync(h)\n", "    call('ZREM', P .. 'held', h)\n",
            seed: 2),
        Mutant("a mirror is waited for while a host is held", "order", "  divert(h)\n", "", seed: 16),
        Mutant("the first host is waited for only if it is not held", "submit", "host = freest(host)", "host = string.match(host, '%S+')", seed: 12),
        Mutant("a host that others have left is ranked anew", "order", "  if moved then sync(h) end\n", "", seed: 26),
        Mutant("a claim lets go of hosts", "claim", "  resume(64)\n", "", seed: 2),
        Mutant("a slot is free when its receipt ends", "receipts", "  if m[7] then call('DEL', P .. 'sl:' .. m[7]) end\n", ""),
        Mutant("a slot knows its receipt", "submit", "call('SET', P .. 'sl:' .. options.supersedeKey, rid)\n", ""),
        Mutant("a cached answer takes the slot too", "submit", "    gone = supersede(options.supersedeKey)\n", ""),
        Mutant("what comes too late is not wanted", "finish", "  if now >= (tonumber(m[15] or m[16]) or math.huge) then return { 'LATE' } end\n", "", seed: 3),
        Mutant(
            "a rendition that comes too late is not wanted", "rendition", "if now >= (tonumber(m[12] or m[13]) or math.huge) then return 'LATE' end\n", "",
            seed: 2),
        Mutant(
            "what fails too late is not tried again", "fail", "if not m[4] and now >= (tonumber(m[14] or m[15]) or math.huge) then return 'LATE' end\n", "",
            seed: 2),
        Mutant("a fetch knows its first deadline", "submit", "call('HSET', own, 'firstDeadline', ends) end", "end"),
        Mutant("what is withdrawn too late has failed", "fetches", "  if st == 'cancelled' and is_late(rid) then", "  if false then", seed: 2),
        Mutant("a late receipt is late for its dead worker too", "reap", "= expire(fid, left)", "= 0", seed: 11),
        Mutant("what somebody waits for elsewhere goes on there", "cancel", "    adopt(rid, r[1], name)\n", ""),
        Mutant("nothing is handed to the silent", "cancel", " and not silent(name, options.lease)", "", seed: 3),
        Mutant("who has a receipt does not follow it", "receipts", "  follow(rid, co, false)\n", ""),
        Mutant("who has left follows no more", "leave", "  follow(ARGV[1], ARGV[2], false)\n", ""),
        Mutant("who had it waits for it still", "submit", "then follow(rid, old[7], true) end", "then end"),
        Mutant("who is silent waits for nothing", "submit", " and not silent(old[7], options.lease)", "", seed: 2),
        Mutant("attempts are limited", "fail", "< tonumber(m[8] or USUAL_ATTEMPTS)", "<= tonumber(m[8] or USUAL_ATTEMPTS)", seed: 5),
    ]

    @Test(arguments: mutants) @Loop func `a broken rule does not go unnoticed`(mutant: Mutant) async throws {
        var sources = QueueScripts.sources
        let text = try #require(sources[mutant.file])
        try #require(text.split(separator: mutant.text, omittingEmptySubsequences: false).count == 2, "the text is there once")
        sources[mutant.file] = text.replacing(mutant.text, with: mutant.replacement)
        let harness = try await QueueHarness(scripts: QueueScripts(sources: sources))
        var caught: (any Error)?
        for seed in [mutant.seed] + (1...60).filter({ $0 != mutant.seed }) where caught == nil {
            do {
                try await QueueModel(seed: seed, harness: harness, isPaced: mutant.isPaced).run(steps: 450)
            } catch {
                caught = error
                let step = (error as? ModelFailure)?.step ?? 0
                if seed != mutant.seed { print("mutant \"\(mutant.rule)\": found by seed \(seed), step \(step), and not by \(mutant.seed)") }
            }
        }
        #expect(caught is ModelFailure || caught is RedisError, "\(mutant.rule): nobody noticed")
    }
}
