import Synchronization
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

/// Random steps on a queue with four shards. The seeds decide the end.
@Suite(.tags(.untiered), .timeLimit(.minutes(20)), .serialized, .scoped) struct ShardModelTests {
    @Loop private func run(_ seeds: ClosedRange<UInt64>, steps: Int, scripts: QueueScripts = .shipped, map: ShardModel.Map = .init()) async throws -> Set<
        String
    > {
        let harness = try await QueueHarness(scripts: scripts)
        var seen: Set<String> = []
        for seed in seeds {
            let model = try await ShardModel(seed: seed, harness.nodes, scripts: scripts, map: map)
            try await model.run(steps: steps)
            seen.formUnion(model.tally)
        }
        await harness.stop()
        return seen
    }

    @Test @Loop func `random steps of lenders, workers and clients break no rule of the queue as a whole`() async throws {
        let seen = try await run(1...12, steps: 300)
        let wanted = Set((0..<4).map { "claimed in shard \($0)" })
            .union([
                "joined", "superseded", "superseded elsewhere", "refused", "fenced off", "another share", "another limit", "in the middle", "a lost share",
                "a lost whole",
            ])
        #expect(wanted.subtracting(seen).isEmpty, "never happened, so was never tested")
    }

    /// A broken rule of the map, or of a script.
    struct Mutant: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var map = ShardModel.Map()
        var script: (file: String, text: String, replacement: String)?

        init(_ rule: String, map: (inout ShardModel.Map) -> Void) {
            testDescription = rule
            map(&self.map)
        }

        init(_ rule: String, _ file: String, _ text: String, _ replacement: String) { (testDescription, script) = (rule, (file, text, replacement)) }
    }

    nonisolated static let mutants = [
        Mutant("a host is in one shard") { $0.shard = { queue, _, source in queue.shards[source.utf8.reduce(0) { $0 + Int($1) } % 4] } },
        Mutant("a source of a spread host is in one shard") { map in
            let tick = Ticks()
            map.shard = { queue, host, source in
                host == "own.test" ? queue.shards[tick.next() % 4] : queue.shard(ofHost: host, source: source, rules: HostLimits())
            }
        },
        Mutant("the limit of a host is not multiplied") { map in
            map.settings = { queue, shard in
                var part = queue.settings(ofShard: shard)
                part.maxConcurrentPerHost = part.maxConcurrentPerHost.map { $0 * 2 }
                return part
            }
        },
        Mutant("a shard that runs more than its share counts with its runs") { $0.load = { .init(share: $0.share, running: 0, waiting: $0.waiting) } },
        Mutant("a share counts though the shard runs less") { $0.load = { .init(share: min($0.share, $0.running), running: $0.running, waiting: $0.waiting) } },
        Mutant("a new lender knows only what is kept") { $0.forgets = false },
        Mutant("what is kept counts for a silent shard") { $0.kept = { $0.map { _ in 0 } } },
        Mutant("not every caller may raise a share", "share", "options.most and cfg.max > tonumber(options.most)", "options.most"),
        Mutant("an old lender is fenced off", "share", "then return { 'STALE', number } end", "then local _ end"),
        Mutant("the number of a lender is kept", "share", "call('HSET', CFG, 'lender', mine)\n", ""),
        Mutant("a share is the limit", "share", "  call('HSET', CFG, 'maxConcurrent', share)\n", ""),
        Mutant("what runs is told", "share", "call('ZCARD', P .. 'run')", "0"),
        Mutant("the newest has the greatest place", "supersede", "mine = { n = newest + 1 }", "mine = { n = 1 }"),
        Mutant("an earlier one is told", "supersede", "elseif each.n < mine.n and", "elseif each.n > mine.n and"),
        Mutant("a confirmed later one supersedes", "supersede", "then answer[1] = 1", "then answer[1] = 0"),
        Mutant("a later one that is not confirmed supersedes nothing", "supersede", " and each.state == 'confirmed' then", " then"),
        Mutant("a refused one gives its place up", "supersede", "  if mine and UNSENT[mine.state] then call('HDEL', key, rid) end\n", ""),
        Mutant("one that was superseded before its submit gives its place up", "supersede", "UNSENT[state] and", "state == 'none' and"),
        Mutant("a place is kept", "supersede", "  call('HSET', key, rid, int(mine.n)", "  call('HSET', key .. 'x', rid, int(mine.n)"),
    ]

    @Test(arguments: mutants) @Loop func `a broken rule does not go unnoticed`(mutant: Mutant) async throws {
        var sources = QueueScripts.sources
        if let script = mutant.script {
            let text = try #require(sources[script.file])
            try #require(text.split(separator: script.text, omittingEmptySubsequences: false).count == 2, "the text is there once")
            sources[script.file] = text.replacing(script.text, with: script.replacement)
        }
        var caught: (any Error)?
        do {
            _ = try await run(1...30, steps: 300, scripts: QueueScripts(sources: sources), map: mutant.map)
        } catch {
            caught = error
        }
        #expect(caught is ShardModel.Failure, "\(mutant.testDescription): nobody noticed")
    }
}

/// Numbers one after the other.
private final class Ticks: Sendable {
    private let last = Atomic(0)
    func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}
