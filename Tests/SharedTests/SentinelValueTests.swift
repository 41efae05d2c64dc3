import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport

/// Texts and answers of sentinels and servers, and what follows from them: no process, no clock.
@Suite struct SentinelValueTests {
    private static func address(_ text: String) throws -> SocketAddress { try SocketAddress(text) }

    @Test(arguments: [
        ("sentinel://h1/main", "h1:26379", "main of the sentinels h1:26379"),
        ("sentinel://h1:1,h2,[::1]:3/a.b-c_1", "h1:1 h2:26379 [::1]:3", "a.b-c_1 of the sentinels h1:1,h2:26379,[::1]:3"),
        ("sentinel://user:p%40ss@h1:1,h2:2/main/3?timeout=1s", "h1:1 h2:2", "main of the sentinels h1:1,h2:2, database 3"),
        ("sentinels://:p@h1/main?sentinelUser=ear&sentinelPassword=p%26q", "h1:26379", "main of the sentinels h1:26379"),
    ])
    func `URLs are read, and shown without a password`(text: String, sentinels: String, redacted: String) throws {
        guard case .sentinels(let url) = try RedisURL(text) else { return #expect(Bool(false)) }
        #expect(url.sentinels.map(\.description).joined(separator: " ") == sentinels && url.redacted == redacted)
        for shown in [url.redacted, url.shown, RedisURL.shown(text)] {
            #expect(!shown.contains("p@") && !shown.contains("p&q") && !shown.contains("user"), "\(shown)")
        }
    }

    @Test func `the login before the hosts is that of the Redis, and the options are that of the sentinels`() throws {
        let text = "sentinels://user:p%40ss@h1,h2:2/main/3?timeout=1s&sentinelUser=ear&sentinelPassword=p%26q"
        let files = TLSClientFiles(authorities: "/ca")
        let url = try SentinelURL(text, tls: files)
        let server = url.server.at(try Self.address("h3:4"))
        #expect(server.user == "user" && server.password == "p@ss" && server.database == 3 && server.tls == files && server.timeout == .seconds(1))
        let sentinel = url.sentinel.at(try Self.address("h1:26379"))
        #expect(sentinel.user == "ear" && sentinel.password == "p&q" && sentinel.database == 0 && sentinel.tls == files && sentinel.timeout == .seconds(1))
        #expect(try SentinelURL("sentinel://h1/main", tls: files).server.at(try Self.address("h3:4")).tls == nil)
    }

    @Test(arguments: [
        "sentinel://", "sentinel://h1", "sentinel://h1/", "sentinel:///main", "sentinel://h1,/main", "sentinel://h1,,h2/main", "sentinel://h1:x/main",
        "sentinel://h1,h1:26379/main", "sentinel://h1/main/x", "sentinel://h1/main/1/2", "sentinel://h1/ma in", "sentinel://h1/main?timeout=soon",
        "sentinel://h1/main?sentinelPasword=x", "sentinel://unix:/a/main", "sentinel://h1/main?db=1",
    ])
    func `a URL that names no sentinels is refused, and the error says what is expected`(text: String) throws {
        let error = #expect(throws: SettingError.self) { try SettingType<String>.redisURL.parse(text) }
        #expect(error?.message.contains("expected sentinel://") == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        ("sentinel://h1,h2/main", "sentinel://:p%40ss@h1,h2/main"), ("sentinels://user@h1/main?timeout=1s", "sentinels://user:p%40ss@h1/main?timeout=1s"),
    ])
    func `the password of a file goes into the URL`(url: String, expected: String) throws {
        #expect(try RedisURL.text(url, password: "p@ss") == expected)
        #expect(try RedisURL.text(expected, password: "p@ss") == nil)
    }

    @Test(arguments: [
        ("sentinel://h1/main", "sentinel://h1/main?sentinelPassword=p%40ss" as String?),
        ("sentinel://h1/main?sentinelUser=x", "sentinel://h1/main?sentinelUser=x&sentinelPassword=p%40ss"),
        ("sentinel://h1/main?timeout=1s", "sentinel://h1/main?timeout=1s&sentinelPassword=p%40ss"),
        ("sentinel://h1/main?sentinelPassword=x", nil), ("redis://h1", nil),
    ])
    func `the password of the sentinels goes into the URL`(url: String, expected: String?) throws {
        #expect(try RedisURL.text(url, sentinelPassword: "p@ss") == expected)
    }

    private static func bulk(_ words: [String]) -> RedisReply { .array(words.map { .bulk(Array($0.utf8)) }) }

    @Test(arguments: [
        (RedisReply.array([.bulk(Array("master".utf8)), .integer(5), .array([])]), RedisRole.primary, "the primary"),
        (bulk(["slave", "10.0.0.1", "6379", "connected", "5"]), .replica(of: "10.0.0.1:6379"), "a replica of 10.0.0.1:6379"),
        (bulk(["sentinel", "main"]), .sentinel, "a sentinel"), (.error("NOPERM this user has no permissions"), .notPermitted, "+role"),
        (.error("LOADING Redis is loading"), .other("LOADING Redis is loading"), "LOADING"), (.array([]), .other("nothing"), "nothing"),
        (bulk(["slave"]), .other("slave"), "slave"), (.null, .other("nothing"), "nothing"),
    ])
    func `the role of a server is read`(reply: RedisReply, role: RedisRole, words: String) {
        #expect(RedisRole(reply) == role && RedisRole(reply).description.contains(words))
    }

    @Test func `the answer of a sentinel is read`() throws {
        let answer = SentinelAnswer(Self.bulk(["name", "main", "ip", "10.0.0.1", "port", "6379", "flags", "master", "config-epoch", "7"]))
        #expect(try answer == SentinelAnswer(Self.address("10.0.0.1:6379"), epoch: 7))
        #expect(try SentinelAnswer(Self.bulk(["ip", "h", "port", "1"])) == SentinelAnswer(Self.address("h:1"), epoch: 0))
        for none in [Self.bulk([]), Self.bulk(["ip", "", "port", "1"]), Self.bulk(["ip", "h", "port", "x"]), Self.bulk(["ip", "h", "port", "0"]), .null] {
            #expect(SentinelAnswer(none) == nil)
        }
    }

    /// Answers as `address epoch`, the present primary, and the one that follows.
    @Test(
        arguments: [
            ([], nil, nil), ([], "a:1", nil), ([("a:1", 1)], nil, "a:1"), ([("a:1", 1)], "b:1", "a:1"),
            // One sentinel has seen the switch, and two have not.
            ([("a:1", 1), ("a:1", 1), ("b:1", 2)], "a:1", "b:1"),
            // A sentinel that was away names an older primary.
            ([("a:1", 1), ("b:1", 2)], "b:1", "b:1"),
            // Names and addresses of one host: the present one stays.
            ([("a:1", 2), ("host:1", 2), ("host:1", 2)], "a:1", "a:1"), ([("a:1", 2), ("host:1", 2), ("host:1", 2)], "b:1", "host:1"),
            // Sentinels that were set up anew begin with zero.
            ([("c:1", 0), ("c:1", 0)], "a:1", "c:1"),
        ] as [([(String, Int64)], String?, String?)])
    func `the latest switch decides who is the primary`(answers: [(String, Int64)], present: String?, primary: String?) throws {
        let answers = try answers.map { SentinelAnswer(try Self.address($0.0), epoch: $0.1) }
        #expect(SentinelAnswer.primary(among: answers, present: try present.map(Self.address)) == (try primary.map(Self.address)))
    }

    /// Rounds of answers: seconds, the epochs of the sentinels that answered, and whether they count.
    @Test(
        arguments: [
            [(0, [], false), (0, [1], true), (1, [1, 1], true), (2, [1, 2], true), (3, [1], false), (4, [2, 1], true)],
            // Only the old sentinel answers, again and again, and then one that knows.
            [(0, [2, 2], true), (1, [1], false), (30, [1, 1], false), (59, [2], true), (100, [1], false), (118, [1], false)],
            // Sentinels that were set up anew, a minute after the last word of the old ones.
            [(0, [7, 7], true), (59, [0, 0], false), (60, [0, 0], true), (61, [0], true)],
        ] as [[(Int, [Int64], Bool)]])
    func `an answer that is older than a switch that was told does not count`(rounds: [(Int, [Int64], Bool)]) throws {
        var latest = LatestSwitch()
        let (address, start) = (try Self.address("a:1"), ContinuousClock.now)
        for (second, epochs, counts) in rounds {
            let answers = epochs.map { SentinelAnswer(address, epoch: $0) }
            #expect(latest.counting(answers, at: start + .seconds(second)) == (counts ? answers : []), "second \(second)")
        }
    }

    @Test(
        arguments: [
            ("main a 1 b 2", "a:1", SwitchMessage.Step.leave), ("main a 1 b 2", "b:2", .nothing), ("main a 1 b 2", "c:3", .ask), ("main a 1 b 2", nil, .ask),
            ("other a 1 b 2", "a:1", .nothing),
        ] as [(String, String?, SwitchMessage.Step)])
    func `a message about a switch is followed`(payload: String, primary: String?, step: SwitchMessage.Step) throws {
        let message = try #require(SwitchMessage(Array(payload.utf8)))
        #expect(message.step(for: "main", primary: try primary.map(Self.address)) == step)
    }

    @Test(arguments: ["", "main a 1 b", "main a x b 2", "main a 1 b 0", "main a 1 b 2 c"])
    func `a message that is none is ignored`(payload: String) { #expect(SwitchMessage(Array(payload.utf8)) == nil) }

    @Test func `the lists of sentinels are read`() throws {
        let list = SentinelPeer.list(
            .array([
                Self.bulk(["name", "x", "ip", "10.0.0.1", "port", "26379", "runid", "one"]), Self.bulk(["ip", "10.0.0.2", "port", "26379", "runid", ""]), .null,
            ]))
        #expect(try list == [SentinelPeer(Self.address("10.0.0.1:26379"), identifier: "one")])
        #expect(SentinelPeer.list(.error("ERR No such master with that name")) == [])
    }

    @Test func `sentinels tell of further ones, each once`() throws {
        func peer(_ text: String, _ identifier: String) throws -> SentinelPeer { SentinelPeer(try Self.address(text), identifier: identifier) }
        let named = [(address: try Self.address("host:1"), identifier: "one" as String?), (address: try Self.address("b:1"), identifier: nil)]
        // The first is the named one under its address, the second is named, and two lists have the third.
        let lists = [[try peer("a:1", "one"), try peer("b:1", "two"), try peer("c:1", "three")], [try peer("c:1", "three"), try peer("d:1", "four")]]
        #expect(SentinelPeer.known(named: named, lists: lists).map(\.description) == ["host:1", "b:1", "c:1", "d:1"])
        #expect(SentinelPeer.known(named: named, lists: []).map(\.description) == ["host:1", "b:1"])
        let many = try (0..<100).map { try peer("p:\($0 + 1)", "\($0)") }
        #expect(SentinelPeer.known(named: named, lists: [many]).count == 16)
    }
}
