import TintypeTransport
import TestSupport
import Testing

@testable import Console

/// Downloads of results by the command line.
@Suite(.timeLimit(.minutes(1)), .scoped) struct HTTPDownloadTests {
    @Test @Loop func `a slow download completes, and a stalled one fails`() async throws {
        var streams: [ByteStream] = []
        let timers = Timers()
        let server = try Listener(.tcp(host: "127.0.0.1", port: 0)) { stream in
            streams.append(stream)
            stream.onBytes = { request in
                stream.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n".utf8))
                guard !String(decoding: request, as: UTF8.self).contains("/stops") else { return }
                var left = 20
                timers.all.append(
                    LoopTimer(after: .milliseconds(200), repeating: true) {
                        if left > 0 { stream.write([7]) }
                        left -= 1
                    })
            }
        }
        defer {
            server.close()
            timers.all = []
            for stream in streams { stream.close() }
        }
        // The whole download takes longer than the wait for the next byte.
        let service = ServiceAddress(server.address, isSecure: false)
        let body = try await HTTPPort(service, token: nil, patience: .seconds(3)).get("/slow")
        #expect(body == [UInt8](repeating: 7, count: 20))
        await #expect(throws: ClientFailure.self) { try await HTTPPort(service, token: nil, patience: .milliseconds(50)).get("/stops") }
    }

    @Test(arguments: ["9223372036854775807", "99999999999999999999", "-5", "+5", "5x", "5 5", ""])
    @Loop func `a length that no answer has is a failure`(length: String) async throws {
        var streams: [ByteStream] = []
        let server = try Listener(.tcp(host: "127.0.0.1", port: 0)) { stream in
            streams.append(stream)
            stream.onBytes = { _ in stream.write(Array("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nbytes".utf8)) }
        }
        defer {
            server.close()
            for stream in streams { stream.close() }
        }
        let port = try HTTPPort(ServiceAddress(server.address, isSecure: false), token: nil, patience: .milliseconds(200))
        await #expect(throws: ClientFailure.self) { try await port.get("/") }
    }

    @Loop private final class Timers { var all: [LoopTimer] = [] }
}
