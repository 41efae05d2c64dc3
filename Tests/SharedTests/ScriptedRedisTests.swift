import TintypeCore
import TintypeQueue
import TestSupport
import Testing

@testable import TintypeTransport

/// Rare behavior of a Redis server: a listener that answers as the test decides.
@Suite(.tags(.realTimes), .timeLimit(.minutes(1)), .scoped) struct ScriptedRedisTests {
    /// Accepts connections, reads whole commands and sends the answer of `answer` to each; nil sends nothing.
    @Loop private final class ScriptedRedis {
        let connections = LoopCounter()
        private(set) var listener: Listener!
        private(set) var streams: [ByteStream] = []
        private var partial: [[UInt8]] = []
        private let answer: @Loop (_ connection: Int, _ words: [String]) -> String?

        init(_ answer: @escaping @Loop (_ connection: Int, _ words: [String]) -> String?) throws {
            self.answer = answer
            listener = try Listener(.tcp(host: "127.0.0.1", port: 0)) { [unowned self] stream in
                let index = streams.count
                streams.append(stream)
                partial.append([])
                stream.onBytes = { [unowned self] bytes in received(index, bytes) }
                connections.note()
            }
        }

        func endpoint(timeout: String = "5s") throws -> RedisEndpoint { try RedisEndpoint("redis://\(listener.address)?timeout=\(timeout)") }

        private func received(_ index: Int, _ bytes: UnsafeRawBufferPointer) {
            partial[index] += bytes
            while let (words, length) = Self.command(partial[index]) {
                partial[index].removeFirst(length)
                if let text = answer(index + 1, words) { streams[index].write(Array(text.utf8)) }
            }
        }

        /// The first whole command: `*2\r\n$4\r\nPING\r\n…`, with words without line breaks.
        private static func command(_ bytes: [UInt8]) -> (words: [String], length: Int)? {
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
            guard let first = lines.first, let count = Int(first.dropFirst()), lines.count > 2 * count + 1 else { return nil }
            let words = (0..<count).map { String(lines[2 + 2 * $0]) }
            let length = lines[...(2 * count)].reduce(0) { $0 + $1.utf8.count + 2 }
            return (words, length)
        }
    }

    private let logger = Logger(label: "test", level: .error)

    @Loop private func greeting(_ words: [String]) -> String? {
        switch words[0] {
        case "CLIENT", "AUTH", "SELECT": "+OK\r\n"
        case "PING": "+PONG\r\n"
        default: nil
        }
    }

    @Loop private func client(_ server: ScriptedRedis, timeout: String = "5s") async throws -> RedisClient {
        let client = RedisClient(try server.endpoint(timeout: timeout), name: "test", logger: logger)
        client.start()
        TestScope.atEnd { await client.stop() }
        try await client.untilConnected(within: .seconds(20))
        return client
    }

    @Test @Loop func `all running fetches are asked for together`() async throws {
        // The replies come when the last question is there. A client that waits for one reply before the next question waits in vain.
        var (asked, expected): ([String], Int) = ([], 0)
        let server = try ScriptedRedis { _, words in
            switch words[0] {
            case "ZRANGE": return "*3\r\n" + ["a", "b", "c"].map { "$1\r\n\($0)\r\n" }.joined()
            case "HMGET":
                asked.append("*7\r\n" + ["running", "h.test", "\"w1\"", "2"].map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined() + "$-1\r\n$-1\r\n$1\r\n5\r\n")
            case "HGET": asked.append("$6\r\nh.test\r\n")
            default: return greeting(words)
            }
            defer { if asked.count == expected { asked = [] } }
            return asked.count == expected ? asked.joined() : nil
        }
        let queue = Queue(name: "default", redis: RedisNodes(try await client(server, timeout: "2s")))
        expected = 6
        let runs = try await queue.runs(limit: 3)
        #expect(runs.map(\.fetch) == ["a", "b", "c"] && runs.allSatisfy { $0.host == "h.test" && $0.worker == "w1" && $0.attempt == 2 && $0.startedAt == 5 })
        expected = 3
        #expect(try await queue.runningHosts(limit: 3) == ["h.test": 3])
    }

    @Test @Loop func `a reply in single bytes is one reply`() async throws {
        let server = try ScriptedRedis { _, words in greeting(words) }
        let redis = try await client(server)
        async let reply = redis.command(["GET", "x"])
        let text = "*3\r\n$5\r\nhello\r\n:-7\r\n*2\r\n$-1\r\n+fine\r\n"
        for byte in text.utf8 {
            server.streams[0].write([byte])
            try await Loop.sleep(.milliseconds(1))
        }
        #expect(try await reply == .array([.bulk(Array("hello".utf8)), .integer(-7), .array([.null, .status("fine")])]))
    }

    @Test(arguments: ["-READONLY You can't write", "-LOADING Redis is loading", "-MASTERDOWN Link down", "-UNBLOCKED moved"]) @Loop
    func `a server that cannot serve is left, and the next one found`(error: String) async throws {
        let server = try ScriptedRedis { connection, words in greeting(words) ?? (connection == 1 ? error + "\r\n" : "+OK\r\n") }
        let redis = try await client(server)
        await #expect(throws: RedisError.unavailable(String(error.dropFirst()))) { try await redis.command(["SET", "a", "b"]) }
        try await server.connections.reaches(2)
        try await redis.untilConnected(within: .seconds(20))
        #expect(try await redis.command(["SET", "a", "b"]) == .status("OK"))
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "*1\r\n", ""]) @Loop
    func `invalid bytes, or half a reply and the end, count as a lost connection`(text: String) async throws {
        var lines: ScriptedRedis?
        let server = try ScriptedRedis { connection, words in
            if let known = greeting(words) { return known }
            guard connection == 1 else { return "+OK\r\n" }
            lines?.streams[0].write(Array(text.utf8))
            if !text.hasPrefix("HTTP") { lines?.streams[0].closeAfterFlush() }
            return nil
        }
        lines = server
        let redis = try await client(server)
        let scope = TaskScope()
        let lost = LoopCounter()
        for _ in 0..<3 {
            scope.run("command") {
                do throws(RedisError) {
                    _ = try await redis.command(["SET", "a", "b"])
                } catch {
                    if case .connectionLost = error { lost.note() }
                }
            }
        }
        await scope.drain()
        #expect(lost.count == 3)
        try await server.connections.reaches(2)
        try await redis.untilConnected(within: .seconds(20))
        #expect(try await redis.command(["SET", "a", "b"]) == .status("OK"))
        lines = nil
    }

    @Test @Loop func `a connection that ends in the turn it became ready does not count`() async throws {
        var lines: ScriptedRedis?
        let server = try ScriptedRedis { connection, words in
            let known = greeting(words)
            if connection == 1, words[0] == "PING", let known {
                lines?.streams[0].write(Array(known.utf8))
                lines?.streams[0].closeAfterFlush()
                return nil
            }
            return known ?? "+OK\r\n"
        }
        lines = server
        let redis = RedisClient(try server.endpoint(), name: "test", logger: logger)
        TestScope.atEnd { await redis.stop() }
        redis.start()
        try await server.connections.reaches(2)
        try await redis.untilConnected(within: .seconds(20))
        #expect(try await redis.command(["SET", "a", "b"]) == .status("OK"))
        lines = nil
    }

    /// A server whose doubts are counted.
    @Loop private final class Doubted: RedisTopology {
        nonisolated let redacted = "doubted"
        nonisolated let timeout = Duration.milliseconds(200)
        let doubts = LoopCounter()
        private let endpoint: RedisEndpoint

        init(_ endpoint: RedisEndpoint) { self.endpoint = endpoint }

        var primaryStatus: PrimaryStatus { PrimaryStatus(primary: nil) }
        func open(name: String) async throws(RedisError) -> RedisConnection { try await endpoint.open(name: name) }
        func doubt(_ server: SocketAddress) { if server == endpoint.address { doubts.note() } }
        func begin() {}
        func end() {}
    }

    @Test(arguments: ["-CLUSTERDOWN The cluster is down\r\n", "-UNBLOCKED moved\r\n", "-LOADING soon\r\n", "", "end"]) @Loop
    func `a server that cannot serve, is silent or breaks the connection is doubted by clients and subscribers`(answer: String) async throws {
        var lines: ScriptedRedis?
        let server = try ScriptedRedis { connection, words in
            if let known = greeting(words) { return known }
            if answer == "end" { lines?.streams[connection - 1].closeAfterFlush() }
            return answer.hasPrefix("-") ? answer : nil
        }
        lines = server
        let (mine, theirs) = (Doubted(try server.endpoint(timeout: "200ms")), Doubted(try server.endpoint(timeout: "200ms")))
        let redis = RedisClient(mine, name: "test", logger: logger)
        let subscriber = RedisSubscriber(theirs, name: "test", logger: logger)
        TestScope.atEnd {
            await redis.stop()
            await subscriber.stop()
        }
        redis.start()
        try await redis.untilConnected(within: .seconds(20))
        await #expect(throws: RedisError.self) { try await redis.command(["GET", "a"]) }
        try await mine.doubts.reaches(1)
        subscriber.subscribe("news") { _, _ in }
        subscriber.start()
        // Its pings are answered, so that silence is none.
        if !answer.isEmpty { try await theirs.doubts.reaches(1) }
        lines = nil
    }

    @Test @Loop func `an idle connection that has gone silent is given up, and a new one made`() async throws {
        let pings = LoopCounter()
        let server = try ScriptedRedis { connection, words in
            if connection == 1, words[0] == "PING" {
                pings.note()
                if pings.count > 1 { return nil }
            }
            return greeting(words)
        }
        _ = try await client(server, timeout: TestTimes.areReal ? "5s" : "500ms")
        try await server.connections.reaches(2)
        #expect(pings.count > 1)
    }

    @Test @Loop func `a subscriber gives up a silent connection, subscribes again and reports it`() async throws {
        let greeted = LoopCounter()
        let server = try ScriptedRedis { connection, words in
            if words[0] == "SUBSCRIBE" { return "*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n" }
            if words[0] == "PING", connection == 1 {
                greeted.note()
                if greeted.count > 1 { return nil }
            }
            return greeting(words)
        }
        let subscriber = RedisSubscriber(try server.endpoint(), name: "test", logger: logger)
        TestScope.atEnd { await subscriber.stop() }
        let confirmed = LoopCounter()
        subscriber.subscribe("news", confirmed: { confirmed.note() }) { _, _ in }
        subscriber.start()
        try await confirmed.reaches(2)
        #expect(server.connections.count == 2)
    }

    @Test(.tags(.timed)) @Loop func `a connection that has lasted is replaced without the pauses of earlier failures`() async throws {
        var lines: ScriptedRedis?
        let server = try ScriptedRedis { connection, words in
            if connection <= 5 { lines?.streams[connection - 1].closeAfterFlush() }
            return connection <= 5 ? nil : greeting(words)
        }
        lines = server
        let redis = RedisClient(try server.endpoint(), name: "test", logger: logger)
        TestScope.atEnd { await redis.stop() }
        redis.start()
        try await server.connections.reaches(6)
        try await redis.untilConnected(within: .seconds(20))
        // From two seconds on it has lasted. The sixth failure in a row would cost 0.8 s at least.
        try await Loop.sleep(.milliseconds(2200))
        let began = ContinuousClock.now
        server.streams[5].closeAfterFlush()
        try await server.connections.reaches(7)
        #expect(ContinuousClock.now - began < .milliseconds(700))
        lines = nil
    }

    @Test @Loop func `only the last of several subscriptions under way confirms a channel`() async throws {
        var lines: ScriptedRedis?
        let asked = LoopCounter()
        let server = try ScriptedRedis { _, words in
            if words[0] == "SUBSCRIBE" || words[0] == "UNSUBSCRIBE" {
                asked.note()
                return nil
            }
            return greeting(words)
        }
        lines = server
        let subscriber = RedisSubscriber(try server.endpoint(), name: "test", logger: logger)
        TestScope.atEnd { await subscriber.stop() }
        let first = subscriber.subscribe("news") { _, _ in }
        subscriber.start()
        try await asked.reaches(1)
        subscriber.unsubscribe(first)
        let confirmed = LoopCounter()
        let heard = LoopCounter()
        subscriber.subscribe("news", confirmed: { confirmed.note() }) { _, _ in heard.note() }
        try await asked.reaches(3)
        let answer = "*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n"
        let message = "*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$1\r\nx\r\n"
        lines?.streams[0].write(Array((answer + message).utf8))
        try await heard.reaches(1)
        #expect(confirmed.count == 0)
        lines?.streams[0].write(Array(("*3\r\n$11\r\nunsubscribe\r\n$4\r\nnews\r\n:0\r\n" + answer).utf8))
        try await confirmed.reaches(1)
        lines = nil
    }

    @Test @Loop func `logins, databases and names are sent first, and a wrong password is reported`() async throws {
        let server = try await RedisServer()
        try await server.command("CONFIG", "SET", "requirepass", "sesame")
        let right = RedisClient(try RedisEndpoint("unix://\(server.socketPath)?password=sesame&db=3"), name: "named", logger: logger)
        right.start()
        try await right.untilConnected(within: .seconds(20))
        let facts = try await right.command(["CLIENT", "INFO"]).string ?? ""
        #expect(facts.contains("name=named") && facts.contains("db=3"))
        right.stop()
        let wrong = RedisClient(try RedisEndpoint("unix://\(server.socketPath)?password=guess"), name: "named", logger: logger)
        TestScope.atEnd { await wrong.stop() }
        wrong.start()
        var told = ""
        while !told.contains("WRONGPASS") {
            do throws(RedisError) {
                try await wrong.untilConnected(within: .seconds(1))
                Issue.record("let in")
                break
            } catch { told = "\(error)" }
        }
        #expect(!told.contains("guess"))
    }
}
