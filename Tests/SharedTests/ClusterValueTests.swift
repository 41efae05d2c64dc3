import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport

/// Texts and answers of a Redis Cluster, and what follows from them: no process, no clock.
@Suite struct ClusterValueTests {
    private static func address(_ text: String) throws -> SocketAddress { try SocketAddress(text) }

    /// The values of the specification, and of `CLUSTER KEYSLOT` of Redis 7.0.
    @Test(arguments: [
        ("123456789", 12739), ("foo", 12182), ("{foo}bar", 12182), ("a{foo}{bar}", 12182), ("", 0), ("foo{}", 5542), ("foo{}{bar}", 8363), ("foo{bar", 15278),
    ])
    func `the slot of a key is that of its first braces`(key: String, slot: Int) { #expect(HashSlot.slot(of: key) == slot) }

    @Test func `all keys of a queue have its slot, and each result has its own`() {
        #expect(RedisTag("default").slot == HashSlot.slot(of: "default") && RedisTag("default").slot == HashSlot.slot(of: "tintype:{default}:f:1"))
        #expect(RedisSpace.results.tag(of: "one").slot == HashSlot.slot(of: "tintype:results:one"))
    }

    private static func text(_ text: String) -> RedisReply { .bulk(Array(text.utf8)) }
    private static func range(_ first: Int64, _ last: Int64, _ host: RedisReply, _ port: Int64) -> RedisReply {
        .array([.integer(first), .integer(last), .array([host, .integer(port), text("id"), .array([])]), .array([text("replica"), .integer(1), text("id")])])
    }

    @Test func `the answer about slots is read`() throws {
        let asked = try Self.address("seed:7")
        let reply = RedisReply.array([
            Self.range(5461, 10922, Self.text("b"), 2), Self.range(0, 5460, Self.text("a"), 1), Self.range(10923, 10923, Self.text("a"), 1),
            Self.range(10924, 10924, .null, 3), Self.range(10925, 10925, Self.text(""), 4), Self.range(10926, 10926, Self.text("?"), 5),
            Self.range(10927, 10927, Self.text("c"), 0),
        ])
        let map = try #require(SlotMap(reply, from: asked))
        #expect(map.primaries.map(\.description) == ["a:1", "b:2", "seed:3", "seed:4"])
        #expect(
            [0, 5460, 5461, 10922, 10923, 10924, 10925, 10926, 10927, 16383].map { map.primary(of: $0)?.description } == [
                "a:1", "a:1", "b:2", "b:2", "a:1", "seed:3", "seed:4", nil, nil, nil,
            ])
        #expect(map.covered == 10926)
        for none in [
            RedisReply.null, .error("ERR This instance has cluster support disabled"), .array([.null]), .array([Self.range(0, 16384, Self.text("a"), 1)]),
            .array([Self.range(-1, 0, Self.text("a"), 1)]), .array([Self.range(5, 4, Self.text("a"), 1)]),
            .array([.array([.integer(0), .integer(1), .array([])])]), .array([Self.range(0, 5, Self.text("a"), 1), Self.range(5, 9, Self.text("b"), 1)]),
            .array([Self.range(0, 5, .null, 0), Self.range(0, 5, Self.text("b"), 1)]),
            .array((0..<40_000).map { Self.range($0 % 16_384, $0 % 16_384, Self.text("h\($0)"), 1) }),
        ] { #expect(SlotMap(none, from: asked) == nil) }
    }

    @Test func `a map follows the moves of slots, and drops servers without one`() throws {
        let (a, b) = (try Self.address("a:1"), try Self.address("b:2"))
        var map = SlotMap()
        #expect(map.primary(of: 0) == nil && map.covered == 0)
        map = map.moving([0: a, 1: a, 2: a]).moving([1: b])
        #expect(map.primaries == [a, b] && (0..<3).map { map.primary(of: $0) } == [a, b, a])
        map = map.moving([0: b, 2: b, 99_999: b, -1: b])
        #expect(map.primaries == [b] && map.covered == 3)
        // The way to a map does not count.
        var other = SlotMap()
        for slot in [2, 1, 0] { other = other.moving([slot: b]) }
        #expect(map == other)
    }

    @Test(arguments: [
        ("MOVED 3999 10.0.0.1:6381", "moved 3999 10.0.0.1:6381" as String?), ("ASK 0 h:1", "ask 0 h:1"), ("MOVED 16383 :7", "moved 16383 seed:7"),
        ("MOVED 1 ::1:7", "moved 1 [::1]:7"), ("MOVED 1 h:0", "moved 1 none"), ("MOVED 1 h:99999", "moved 1 none"), ("MOVED 1 ?:7", "moved 1 none"),
        ("TRYAGAIN Multiple keys request during rehashing of slot", "tryAgain none"),
        ("MOVED 16384 h:1", nil), ("MOVED x h:1", nil), ("MOVED 1", nil), ("MOVED 1 h", nil), ("MOVED -1 h:1", nil), ("CLUSTERDOWN The cluster is down", nil),
        ("", nil), ("ERR MOVED 1 h:1", nil),
    ])
    func `refusals that name another server are read`(text: String, expected: String?) throws {
        let asked = try Self.address("seed:9")
        let read = ClusterRedirect(text).map { redirect in
            "\(redirect.kind) \(redirect.slot.map { "\($0) " } ?? "")\(redirect.address(from: asked)?.description ?? "none")"
        }
        #expect(read == expected)
        if expected == nil { #expect(RedisErrorReply(text) == (text.hasPrefix("CLUSTERDOWN") ? .clusterDown : .other)) }
    }

    /// Returns a map of the first slots, a letter for the server of each; `-`: none.
    private static func map(_ servers: String) throws -> SlotMap {
        var slots: [Int: SocketAddress] = [:]
        for (slot, server) in servers.enumerated() where server != "-" { slots[slot] = try address("\(server):1") }
        return SlotMap().moving(slots)
    }

    private static func text(_ map: SlotMap, _ count: Int) -> String {
        (0..<count).map { map.primary(of: $0).map { String($0.description.prefix(1)) } ?? "-" }.joined()
    }

    /// Answers as epoch, whether the server serves, and its map; the map before; what they say together.
    @Test(
        arguments: [
            ([], "ab", nil), ([(1, false, "ab")], "--", "ab down"), ([(1, true, "abc"), (2, false, "aaa")], "abc", "aaa down"),
            ([(2, false, "abc"), (2, true, "aaa")], "---", "aaa"), ([(3, true, "---"), (2, true, "abc")], "abc", "---"),
            // Most count, for each slot.
            ([(2, true, "aac"), (2, true, "abc"), (2, true, "abb")], "aaa", "abc"),
            ([(2, true, "aa"), (2, true, "ba"), (2, true, "bb"), (1, true, "aa")], "ab", "ba"),
            ([(2, true, "a-"), (2, true, "--"), (2, true, "-b")], "aa", "--"),
            // In a tie, that of the map before, else a server before none, else the first.
            ([(2, true, "ab"), (2, true, "ba")], "bb", "bb"), ([(2, true, "-b"), (2, true, "a-")], "cc", "ab"),
            ([(2, true, "ab"), (2, true, "ba")], "cc", "ab"),
            ([(2, true, "a"), (2, true, "b"), (2, false, "b")], "-", "a"),
        ] as [([(Int64, Bool, String)], String, String?)])
    func `the answers of the latest epoch count, and there what most say`(facts: [(Int64, Bool, String)], known: String, expected: String?) throws {
        let answers = try facts.map { ClusterAnswer(try Self.map($0.2), epoch: $0.0, isServing: $0.1) }
        let agreed = ClusterAnswer.agreed(among: answers, known: try Self.map(known))
        #expect(agreed.map { Self.text($0.map, facts[0].2.count) + ($0.isServing ? "" : " down") } == expected)
        #expect(agreed.map { $0.map.covered == (0..<9).count { slot in agreed?.map.primary(of: slot) != nil } } != false)
    }

    @Test func `a server that a refusal has named counts more than a map, for some seconds and while it serves`() throws {
        let start = ContinuousClock.now
        let old = try Self.map("aaa")
        var moved = MovedSlots()
        #expect(moved.applied(to: old, now: start) == old)
        for (slot, server) in [(0, "b:1"), (1, "c:1"), (99_999, "b:1"), (0, "d:1")] { moved.note(slot, at: try Self.address(server), now: start) }
        #expect(Self.text(moved.applied(to: old, now: start + .seconds(2)), 3) == "dca")
        moved.forget(try Self.address("c:1"))
        #expect(Self.text(moved.applied(to: old, now: start + .seconds(2)), 3) == "daa")
        #expect(moved.applied(to: old, now: start + MovedSlots.time) == old)
        #expect(moved.applied(to: old, now: start) == old, "it is forgotten")
    }

    @Test func `the answers of one server are read together`() throws {
        let asked = try Self.address("seed:9")
        let slots = RedisReply.array([Self.range(0, 1, Self.text("a"), 1)])
        let answer = try #require(ClusterAnswer(info: Self.text("cluster_state:ok\r\ncluster_current_epoch:12\r\n"), slots: slots, from: asked))
        #expect(answer.epoch == 12 && answer.isServing && answer.map.covered == 2)
        #expect(ClusterAnswer(info: Self.text("cluster_state:fail\r\n"), slots: slots, from: asked)?.isServing == false)
        #expect(ClusterAnswer(info: Self.text("role:master"), slots: slots, from: asked) == nil)
        #expect(ClusterAnswer(info: .null, slots: slots, from: asked) == nil)
        #expect(ClusterAnswer(info: Self.text("cluster_state:ok"), slots: .null, from: asked) == nil)
    }

    @Test(arguments: [
        ("cluster://h1", "h1:6379"), ("cluster://h1:1,h2,[::1]:3", "h1:1 h2:6379 [::1]:3"), ("cluster://user:p%40ss@h1:1,h2:2?timeout=1s", "h1:1 h2:2"),
        ("clusters://:p%40ss@h1", "h1:6379"),
    ])
    func `URLs are read, and shown without a password`(text: String, servers: String) throws {
        guard case .cluster(let url) = try RedisURL(text) else { return #expect(Bool(false)) }
        #expect(url.servers.map(\.description).joined(separator: " ") == servers)
        for shown in [url.redacted, url.shown, RedisURL.shown(text)] {
            #expect(!shown.contains("p@") && !shown.contains("p%40") && !shown.contains("user"), "\(shown)")
        }
        let files = TLSClientFiles(authorities: "/ca")
        let server = try ClusterURL(text, tls: files).server.at(try Self.address("h3:4"))
        #expect(server.database == 0 && server.password == (text.contains("@") ? "p@ss" : nil) && (server.tls == files) == text.hasPrefix("clusters:"))
    }

    @Test(arguments: [
        "cluster://", "cluster://h1,", "cluster://h1,,h2", "cluster://h1:x", "cluster://h1,h1:6379", "cluster://h1/0", "cluster://h1/",
        "cluster://h1?timeout=soon", "cluster://h1?db=1", "cluster://unix:/a",
    ])
    func `a URL that names no cluster is refused, and the error says what is expected`(text: String) throws {
        let error = #expect(throws: SettingError.self) { try SettingType<String>.redisURL.parse(text) }
        #expect(error?.message.contains("expected cluster://") == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        ("cluster://h1,h2", "cluster://:p%40ss@h1,h2"), ("clusters://user@h1?timeout=1s", "clusters://user:p%40ss@h1?timeout=1s"),
    ])
    func `the password of a file goes into the URL`(url: String, expected: String) throws {
        #expect(try RedisURL.text(url, password: "p@ss") == expected)
        #expect(try RedisURL.text(expected, password: "p@ss") == nil)
    }
}
