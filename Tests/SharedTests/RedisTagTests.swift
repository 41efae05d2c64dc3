import Foundation
import Testing
import TestSupport
import TintypeCore
import TintypeImages
import TintypeQueue
import TintypeTransport

/// The tag of each key. No command has keys of two tags.
@Suite(.timeLimit(.minutes(1)), .scoped) struct RedisTagTests {
    /// The owner of a key family's tag.
    enum Owner: Hashable {
        /// The queue of the tag.
        case queue
        /// A key that all queues share.
        case shared
        case space(RedisSpace)
        /// Each key has a slot of its own.
        case scattered(RedisSpace)
        /// Each supersede key of a queue with shards has a slot of its own.
        case supersedeKey
    }

    /// All key families in the table of Sources/Shared/queue.md, and all channels, by their words in the table.
    private static let families: [String: Owner] = {
        var families: [String: Owner] = [:]
        let ofQueues = [
            "f:<fetch>", "n:<fetch>", "fr:<fetch>", "r:<receipt>", "s:<start>", "x:<rendition digest>", "b:<source digest>", "bl", "sl:<slot>", "hq:<host>",
            "aq", "tg:<tag>",
            "ho:<host>", "ao", "cq:<client>", "co:<client>", "cr:<client>", "cl", "ready", "held", "run", "hr:<host>", "delay", "dl", "dead", "cb:<receipt>",
            "cbh:<host>", "cbs", "mark", "cfg", "hlim", "hlim0", "seq", "cseq", "co", "workers", "wseen", "quiet", "durable",
            "tintype:{queue}:events:<receipt>",
            "tintype:{queue}:events", "tintype:{queue}:ev:<coordinator>", "tintype:{queue}:ctl",
        ]
        for name in ofQueues { families[name] = .queue }
        let shared = [
            "sh:<queue>", "lender", "strays", "act", "pg", "pk", "g:<group>", "gq:<group>", "gr:<group>", "gb:<group>", "gl", "id:<receipt>",
            "tintype:{default}:queues",
            "tintype:{default}:groups:<group>", "tintype:{default}:memory", "tintype:{default}:totals",
        ]
        for name in shared { families[name] = .shared }
        for name in ["jar:<jar>", "used", "used@<scope>", "ends"] { families["tintype:{cookies}:" + name] = .space(.cookies) }
        families["tintype:{rules}:access"] = .space(.rules)
        families["tintype:{~<digest>}:pl"] = .supersedeKey
        families["tintype:results:<key>"] = .scattered(.results)
        families["tintype:sources:<key>"] = .scattered(.sources)
        for name in ["<key>", "preview:<random>", "ask:<key>"] { families["tintype:held:" + name] = .scattered(.held) }
        return families
    }()

    /// The first cells in the tables "Keys" and "Channels", split if there are several names in one.
    private static func documented() throws -> [(name: String, row: String)] {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Sources/Shared/queue.md").standardized
        let text = try String(contentsOf: page, encoding: .utf8)
        return ["\n## Keys\n", "\n## Channels\n"].flatMap { title -> [(name: String, row: String)] in
            guard let start = text.range(of: title)?.upperBound else { return [] }
            let section = text[start...].components(separatedBy: "\n## ")[0]
            let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
            return rows.flatMap { row in
                row.split(separator: "|")[0].matches(of: /`([^`]+)`/).map { (name: String($0.1), row: row) }
            }
        }
    }

    @Test func `every family of keys in the page of the queue has the tag that its row says`() throws {
        let documented = try Self.documented()
        #expect(Set(documented.map(\.name)) == Set(Self.families.keys))
        for (name, row) in documented {
            let owner = Self.families[name]
            switch RedisTag(of: name.replacing("{queue}", with: "{bulk}"))?.name {
            case nil: #expect((owner == .shared) == row.lowercased().contains("only of `default`") || name.hasPrefix("g"), "\(row)")
            case "bulk": #expect(owner == .queue, "\(row)")
            case "default": #expect(owner == .shared, "\(row)")
            case "~<digest>": #expect(owner == .supersedeKey, "\(row)")
            case name: #expect(owner == RedisSpace.allCases.first { name.hasPrefix($0.prefix) }.map(Owner.scattered), "\(row)")
            case let tag?: #expect(owner == RedisSpace(rawValue: tag).map(Owner.space), "\(row)")
            }
        }
    }

    @Test func `the keys that Swift makes have the tag of their family`() {
        let keys = QueueKeys("bulk")
        let made: [(String, RedisTag)] = [
            (keys.marker, keys.tag), (keys.workers, keys.tag), (keys.workersSeen, keys.tag), (keys.receipt("r"), keys.tag), (keys.fetch("1-a"), keys.tag),
            (keys.result("d"), keys.tag), (keys.tag("t"), keys.tag), (keys.group("g"), keys.tag), (keys.durable, keys.tag),
            (keys.events(coordinator: "c"), keys.tag), (keys.control, keys.tag), (keys.publicEvents, keys.tag),
            (keys.publicEvents(receipt: "r"), keys.tag), (QueueKeys.registry, QueueKeys.shared),
            (QueueKeys.strays, QueueKeys.shared), (QueueKeys.settings, QueueKeys.shared), (QueueKeys.purges, QueueKeys.shared),
            (QueueKeys.purgedKeys, QueueKeys.shared),
            (QueueKeys.owner(ofReceipt: "r"), QueueKeys.shared), (QueueKeys.memoryNews, QueueKeys.shared), (QueueKeys.totals, QueueKeys.shared),
            (QueueKeys.publicEvents(group: "g"), QueueKeys.shared), (QueueKeys.sharded("bulk"), QueueKeys.shared), (QueueKeys.lender, QueueKeys.shared),
            (AccessList.key, AccessList.tag),
        ]
        for (key, tag) in made { #expect(tag.owns(key) && RedisTag(of: key) == tag, "\(key)") }
        #expect(Set(made.map(\.1.name)) == ["bulk", "default", "rules"])
        #expect(Set(RedisSpace.allCases.map(\.rawValue)).isDisjoint(with: ["bulk", "default"]))
    }

    @Test func `each key of a store has a tag of its own, and keys of other names share theirs`() {
        for space in RedisSpace.allCases {
            let (one, other) = (space.tag(of: "one"), space.tag(of: "other"))
            #expect(one.owns(space.prefix + "one") && RedisTag(of: space.prefix + "one") == one)
            #expect((one == other) == !space.isScattered && one.owns(space.prefix + "other") == !space.isScattered)
            #expect(!one.owns("tintype:{bulk}:one"))
        }
        #expect(!RedisSpace.results.tag(of: "one").owns("tintype:results:one-more"))
    }

    @Test(arguments: [
        "", "x", "tintype:", "tintype:{", "tintype:{a}", "tintype:{a}x:", "tintype:queue:x", "other:{a}:x", "tintype:results", "tintype:cookies:x",
    ])
    func `a key without our tag has none`(key: String) { #expect(RedisTag(of: key) == nil) }

    /// One command of each name, as callers send it.
    private static let commands: [(words: [String], keys: [String])] = [
        (["CLIENT", "UNBLOCK", "7"], []), (["INFO", "memory"], []), (["PING"], []), (["SCAN", "0", "MATCH", "tintype:{a}:*", "COUNT", "500"], []),
        (["SCRIPT", "LOAD", "return 1"], []), (["TIME"], []), (["WAIT", "1", "100"], []),
        (["GET", "k"], ["k"]), (["GETRANGE", "k", "0", "9"], ["k"]), (["HGET", "k", "f"], ["k"]), (["HGETALL", "k"], ["k"]), (["HKEYS", "k"], ["k"]),
        (["HLEN", "k"], ["k"]),
        (["HMGET", "k", "f", "g"], ["k"]), (["HSET", "k", "f", "v"], ["k"]), (["PEXPIRE", "k", "1"], ["k"]), (["SET", "k", "v", "PX", "1"], ["k"]),
        (["STRLEN", "k"], ["k"]), (["ZADD", "k", "1", "m"], ["k"]), (["ZMSCORE", "k", "m", "n"], ["k"]),
        (["ZRANGE", "k", "(1", "+inf", "BYSCORE"], ["k"]), (["ZREM", "k", "m", "n"], ["k"]),
        (["ZREMRANGEBYSCORE", "k", "-inf", "1"], ["k"]), (["ZSCAN", "k", "0", "COUNT", "5"], ["k"]), (["ZSCORE", "k", "m"], ["k"]),
        (["DEL", "k", "l"], ["k", "l"]), (["EXISTS", "k", "l"], ["k", "l"]), (["MGET", "k", "l"], ["k", "l"]), (["UNLINK", "k", "l"], ["k", "l"]),
        (["BZPOPMIN", "k", "l", "1.5"], ["k", "l"]), (["EVAL", "return 1", "2", "k", "l", "a"], ["k", "l"]), (["EVALSHA", "abc", "1", "k", "a"], ["k"]),
        (["PUBLISH", "k", "message"], ["k"]), (["SPUBLISH", "k", "message"], ["k"]),
    ]

    @Test @Loop func `the keys of a command are those that Redis finds`() async throws {
        let server = try await RedisServer()
        let redis = RedisClient(try RedisEndpoint(server.url), name: "test", logger: Logger(label: "test", level: .error))
        TestScope.atEnd { await redis.stop() }
        redis.start()
        try await redis.untilConnected(within: .seconds(10))
        #expect(Set(Self.commands.map(\.words[0])) == Set(RedisCommandKeys.commands))
        for (words, keys) in Self.commands {
            #expect(RedisCommandKeys.keys(of: words.map { .string($0) }) == keys, "\(words)")
            // To Redis, a channel is no key; a sharded channel still has a slot.
            guard !["PUBLISH", "SPUBLISH"].contains(words[0]) else { continue }
            do throws(RedisError) {
                let found = try await redis.command(["COMMAND", "GETKEYS"] + words.map { .string($0) })
                #expect(found.array?.compactMap(\.string) == keys, "\(words)")
            } catch {
                // Redis answers with an error if there are no keys.
                #expect(keys.isEmpty, "\(words): \(error)")
            }
        }
    }

    /// Commands that must not go to the server of cookie jars.
    private static let mistakes: [[RedisArgument]] = [
        ["GET", "tintype:{rules}:x"], ["UNLINK", "tintype:{cookies}:x", "tintype:results:x"], ["SET", "x", "1"], ["HGET", "tintype:{cookies", "x"],
        ["EVAL", "return 1", "2", "tintype:{cookies}:a", "tintype:{default}:a"], ["EVALSHA", "abc", "1", "tintype:{default}:", "x"],
        ["PUBLISH", "tintype:{default}:memory", "clear"], ["BZPOPMIN", "tintype:{cookies}:a", "tintype:{bulk}:mark", "1"],
        // Commands with unknown keys.
        ["FLUSHALL"], ["LPUSH", "tintype:{cookies}:x", "1"], ["GET"], ["EVAL", "return 1", "2", "tintype:{cookies}:a"], [],
    ]

    @Test(arguments: mistakes) func `a key of another tag is noticed`(words: [RedisArgument]) {
        #expect(RedisSpace.cookies.tag.objection(to: words) != nil)
    }

    @Test func `keys of its own tag are not`() {
        let tag = RedisSpace.cookies.tag
        for (words, keys) in Self.commands {
            let own = words.map { keys.contains($0) ? RedisArgument.string(tag.prefix + $0) : .string($0) }
            #expect(tag.objection(to: own) == nil, "\(words)")
        }
    }

    @Test func `a command to the wrong server stops a debug build`() async {
        await #expect(processExitsWith: .failure) { try await Self.mislead { _ = try await $0.command(["GET", "tintype:{rules}:x"]) } }
        await #expect(processExitsWith: .failure) {
            try await Self.mislead { _ = try await $0.run(LuaScript(name: "x", source: "return 1"), keys: ["tintype:{rules}:"], []) }
        }
        await #expect(processExitsWith: .failure) { try await Self.mislead { $0.sendWithoutReply(["PUBLISH", "tintype:{rules}:x", "1"]) } }
        await #expect(processExitsWith: .success) { try await Self.mislead { $0.sendWithoutReply(["PUBLISH", "tintype:{cookies}:x", "1"]) } }
    }

    @Loop private static func mislead(_ body: @Loop (RedisNode) async throws -> Void) async throws {
        let redis = RedisNodes(try RedisEndpoint("unix:///nowhere"), name: "test", logger: Logger(label: "test", level: .error))
        try await body(redis.node(for: RedisSpace.cookies.tag))
    }
}
