import TestSupport
import Testing

@testable import TintypeTransport

/// The memory of answers that clients read slowly.
@Suite(.timeLimit(.minutes(1))) struct AnswerBudgetTests {
    /// More than the kernel keeps for a client that reads nothing.
    private static let long = 24 << 20

    /// A server whose answers have as many bytes as the path says.
    @Loop private final class Origin {
        let server: HTTPServer
        let unsent: AnswerBudget
        private let state = State()

        @Loop private final class State {
            var cuts: [SlowCut] = []
        }

        /// - Parameter late: the time by which the clock of the room is fast.
        init(limit: Int, late: Duration) throws {
            let state = state
            let start = ContinuousClock.now
            let unsent = AnswerBudget(limit: limit, now: { start + late }, onCut: { state.cuts.append($0) })
            self.unsent = unsent
            server = try HTTPServer(.tcp(host: "127.0.0.1", port: 0), maxBody: 0, unsent: unsent) {
                $0.respond(200, body: [UInt8](repeating: 7, count: Int($0.path.dropFirst()) ?? 0))
            }
        }

        var cuts: [SlowCut] { state.cuts }

        func ask(_ count: Int, reads: Bool, isNarrow: Bool = false) throws -> RawClient {
            guard case .tcp(_, let port) = server.address else { throw TestFailure("\(server.address)") }
            let client = try RawClient(port: port, reads: reads, isNarrow: isNarrow)
            client.send("GET /\(count) HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            return client
        }

        /// Fills the room with clients that read nothing, one after the other.
        func fill(_ count: Int) async throws -> [RawClient] {
            var clients: [RawClient] = []
            for used in 1...count {
                clients.append(try ask(long, reads: false))
                try await Gate.until("another client is in the room") { unsent.used == used * long }
            }
            return clients
        }
    }

    private static func isWhole(_ received: [UInt8], _ count: Int) -> Bool {
        received.firstRange(of: Array("\r\n\r\n".utf8)).map { received.count - $0.upperBound == count } ?? false
    }

    @Test @Loop func `clients that do not read keep nobody out, and one of them gives way`() async throws {
        let origin = try Origin(limit: 3 * Self.long, late: .seconds(60))
        let clients = try await origin.fill(3)
        for _ in 0..<30 { #expect(Self.isWhole(await (try origin.ask(1 << 20, reads: true)).untilClosed(), 1 << 20)) }
        // With the room of one of them, all the others have theirs.
        #expect(origin.cuts == [.full] && origin.unsent.used == 2 * Self.long)
        var whole = 0
        for client in clients {
            client.startReading()
            if Self.isWhole(await client.untilClosed(), Self.long) { whole += 1 }
        }
        #expect(whole == 2 && origin.cuts == [.full])
        try await Gate.until("the room is empty") { origin.unsent.used == 0 }
        origin.server.close()
    }

    @Test @Loop func `quick readers are not cut off for a new one, which finds no room`() async throws {
        let origin = try Origin(limit: 2 * Self.long, late: .zero)
        let clients = try await origin.fill(2)
        #expect(!origin.unsent.admits(SharedBody([UInt8](repeating: 7, count: 1 << 20))))
        #expect(!Self.isWhole(await (try origin.ask(1 << 20, reads: true)).untilClosed(), 1 << 20))
        #expect(origin.cuts == [.full] && origin.unsent.used == 2 * Self.long)
        // An answer that the kernel takes at once needs no room.
        #expect(Self.isWhole(await (try origin.ask(10_000, reads: true)).untilClosed(), 10_000))
        for client in clients { client.close() }
        try await Gate.until("the room is empty") { origin.unsent.used == 0 }
        origin.server.close()
    }

    @Test @Loop func `a short answer may stand over the limit, up to a sixteenth of it`() async throws {
        let (count, full) = (250_000, 2 * Self.long)
        let origin = try Origin(limit: full, late: .zero)
        let quick = try await origin.fill(2)
        var clients: [RawClient] = []
        while full + (clients.count + 1) * (count + 1000) < full + full / 16 {
            clients.append(try origin.ask(count, reads: false, isNarrow: true))
            try await Gate.until("another client is in the room") { origin.unsent.used >= full + clients.count * count }
        }
        #expect(clients.count > 10 && origin.cuts.isEmpty)
        let late = try origin.ask(count, reads: false, isNarrow: true)
        try await Gate.until("the reserve is used up") { origin.cuts == [.full] }
        late.startReading()
        #expect(!Self.isWhole(await late.untilClosed(), count))
        for client in clients { client.startReading() }
        for client in clients { #expect(Self.isWhole(await client.untilClosed(), count)) }
        for client in quick { client.close() }
        try await Gate.until("the room is empty") { origin.unsent.used == 0 }
        origin.server.close()
    }

    @Test @Loop func `a single answer may be larger than the room, and readers of one body count once`() async throws {
        let unsent = AnswerBudget(limit: 1 << 20)
        let body = SharedBody([UInt8](repeating: 7, count: Self.long))
        let server = try HTTPServer(.tcp(host: "127.0.0.1", port: 0), maxBody: 0, unsent: unsent) { exchange in
            guard unsent.admits(body) else { return exchange.respond(503) }
            exchange.respond(200, body: body.bytes[...], holding: body)
        }
        guard case .tcp(_, let port) = server.address else { throw TestFailure("\(server.address)") }
        let clients = try (0..<3).map { _ in try RawClient(port: port, reads: false) }
        for client in clients { client.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n") }
        try await Gate.until("all are answered") { server.openExchanges == 3 && unsent.used == 1 << 20 }
        for client in clients {
            client.startReading()
            #expect(Self.isWhole(await client.untilClosed(), Self.long))
        }
        #expect(unsent.used == 0)
        server.close()
    }

    @Test func `a reader is late by the time it has taken, and by the bytes that it keeps`() {
        let start = ContinuousClock.now
        var progress = AnswerProgress()
        #expect(progress.lateness(.contested, keeping: 1 << 20, pending: 0, at: start) == 0)
        progress.hand(1_000_000, at: start)
        // Bytes that the client has, seconds, bytes in memory, and the lateness: half a second and ten for the whole are its time.
        let cases: [(taken: Int, seconds: Int, kept: Int, lateness: Double)] = [
            (0, 1, 1_000_000, 2), (0, 5, 1_000_000, 10), (450_000, 3, 1_000_000, 0.6), (550_000, 6, 1_000_000, 1), (1_000_000, 21, 1_000_000, 2),
            // A part of a picture keeps the whole picture.
            (1_000_000, 21, 10_000_000, 14), (500_000, 11, 100_000_000, 20),
        ]
        for (taken, seconds, kept, lateness) in cases {
            let shown = progress.lateness(.contested, keeping: kept, pending: 1_000_000 - taken, at: start + .seconds(seconds))
            #expect(abs(shown - lateness) < 0.01, "\(taken) \(seconds) \(kept): \(shown)")
        }
    }

    /// Readers as letters of their body, bytes, lateness and address; and the bodies that give way to an answer of some bytes, or nil.
    /// The share of an address is 10 bytes.
    private static let choices: [(name: String, readers: [(Character, Int, Double, String)], missing: Int, bytes: Int, chosen: String?)] = [
        ("nobody is there", [], 1, 1, nil),
        ("all are quick", [("a", 8, 0.9, "x"), ("b", 8, 0.5, "y")], 1, 8, nil),
        ("the slowest goes first", [("a", 8, 2, "x"), ("b", 8, 9, "y"), ("c", 8, 3, "z")], 8, 8, "b"),
        ("as many go as are needed", [("a", 8, 2, "x"), ("b", 8, 9, "y"), ("c", 8, 3, "z")], 9, 9, "bc"),
        ("nobody goes if that is not enough", [("a", 8, 2, "x"), ("b", 8, 0.5, "y")], 9, 9, nil),
        ("an address with many goes before a slower one with little", [("a", 8, 4, "x"), ("b", 30, 2, "y"), ("c", 30, 2.1, "y")], 8, 8, "c"),
        ("an address with many goes though it is quick", [("a", 8, 0.9, "x"), ("b", 60, 0.5, "y")], 8, 8, "b"),
        ("addresses below their share count alike", [("a", 2, 3, "x"), ("b", 9, 2, "y")], 2, 2, "a"),
        ("a large answer counts its own shares", [("a", 20, 0.9, "x"), ("b", 20, 0.9, "x")], 20, 20, "a"),
        ("and needs slower ones to find room", [("a", 20, 1.9, "x"), ("b", 8, 3, "y")], 8, 40, nil),
        ("a body is as slow as its fastest reader", [("a", 8, 9, "x"), ("a", 8, 0.1, "y"), ("b", 8, 2, "z")], 8, 8, "b"),
        ("two readers of one address keep a body once", [("a", 8, 2, "x"), ("a", 8, 2, "x"), ("b", 9, 2.1, "y")], 8, 8, "b"),
    ]

    @Test func `who gives way to a new answer`() {
        for (name, letters, missing, bytes, chosen) in Self.choices {
            func id(_ letter: Character) -> UnsafeRawPointer { UnsafeRawPointer(bitPattern: Int(letter.asciiValue ?? 0))! }
            let readers = letters.map { AnswerReader(body: id($0.0), bytes: $0.1, network: $0.3, lateness: $0.2) }
            let slowest = AnswerReader.slowest(readers, freeing: missing, for: bytes, share: 10)
            // Two that are equal may go in either order.
            let isRight = name.contains("own shares") ? slowest?.count == 1 : slowest == chosen.map { Set($0.map(id)) }
            #expect(isRight, "\(name): \(String(describing: slowest))")
        }
    }
}
