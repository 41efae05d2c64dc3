import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

/// Answers that are longer than a client reads at once.
@Suite(.timeLimit(.minutes(1)), .scoped) struct LongAnswerTests {
    private final class Held: Sendable {}

    /// A server that sends one long body to everybody, and records the outcome of the last one.
    @Loop private final class Origin {
        static let body = (0..<(24 << 20)).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8) ^ ($0 >> 16)) }

        let server: HTTPServer
        private let state: State

        @Loop private final class State {
            weak var held: Held?
            weak var exchange: HTTPExchange?
            let asked = LoopCounter()
        }

        init(pace: MinimumBodyRate = .usual) throws {
            let state = State()
            self.state = state
            server = try HTTPServer(.tcp(host: "127.0.0.1", port: 0), maxBody: 100, pace: pace) { exchange in
                let held = Held()
                (state.held, state.exchange) = (held, exchange)
                exchange.respond(200, body: Self.body[...], holding: held)
                state.asked.note()
            }
        }

        func ask(_ method: String = "GET", reads: Bool = false) async throws -> RawClient {
            guard case .tcp(_, let port) = server.address else { throw TestFailure("\(server.address)") }
            let client = try RawClient(port: port, reads: reads)
            client.send("\(method) / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            try await state.asked.reaches(state.asked.count + 1)
            return client
        }

        var copied: Int { state.exchange?.pendingOutput ?? 0 }
        var isHeld: Bool { state.held != nil }
    }

    @Test(.holdsLoop("the test makes and compares millions of bytes one by one")) @Loop
    func `a client that does not read costs one piece, and a client that reads gets every byte`() async throws {
        let origin = try Origin()
        let client = try await origin.ask()
        #expect(origin.copied > 0 && origin.copied <= 2 * HTTPExchange.piece, "\(origin.copied)")
        #expect(origin.isHeld)
        client.startReading()
        let received = await client.untilClosed()
        let head = try #require(received.firstRange(of: Array("\r\n\r\n".utf8)))
        #expect(String(decoding: received[..<head.lowerBound], as: UTF8.self).contains("Content-Length: \(Origin.body.count)"))
        #expect(received[head.upperBound...] == Origin.body[...])
        #expect(!origin.isHeld && origin.server.openExchanges == 0)
        origin.server.close()
    }

    @Test @Loop func `HEAD gets the length and keeps no bytes`() async throws {
        let origin = try Origin()
        let received = await (try await origin.ask("HEAD", reads: true)).untilClosed()
        #expect(String(decoding: received, as: UTF8.self).contains("Content-Length: \(Origin.body.count)"))
        #expect(!origin.isHeld)
        origin.server.close()
    }

    @Test @Loop func `a client that reads too slowly is disconnected`() async throws {
        let origin = try Origin(pace: MinimumBodyRate(first: .milliseconds(100), bytesPerSecond: 1 << 30))
        let client = try await origin.ask()
        try await Gate.until("nothing is held") { !origin.isHeld && origin.server.openExchanges == 0 }
        client.close()
        origin.server.close()
    }

    @Test(arguments: ["client", "server"]) @Loop func `the unsent bytes are freed when either end closes`(end: String) async throws {
        let origin = try Origin()
        let client = try await origin.ask()
        #expect(origin.isHeld)
        if end == "client" { client.close() } else { origin.server.close() }
        try await Gate.until("nothing is held") { !origin.isHeld && origin.server.openExchanges == 0 }
        client.close()
        origin.server.close()
    }
}
