import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport

/// Endless bodies that carry nothing.
@Suite(.timeLimit(.minutes(1)), .scoped)
struct HostileBodyTests {
    /// An empty gzip member.
    private static let empty: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]

    /// Sends one block after the other, each as soon as the block before is sent.
    @Loop private func endless(_ head: String, _ block: [UInt8], pace: Duration? = nil) throws -> CannedServer {
        var timers: [LoopTimer] = []
        return try CannedServer { _, stream in
            stream.write(Array(head.utf8))
            if let pace {
                timers.append(LoopTimer(after: pace, repeating: true) { [weak stream] in stream?.write(block) })
            } else {
                stream.onDrained = { [weak stream] in stream?.write(block) }
                stream.write(block)
            }
            return .keep
        }
    }

    @Test(arguments: [200, 404]) @Loop func `compressed bytes that unpack to nothing end`(status: Int) async throws {
        let transfers = LoopbackTransfers()
        let block = Array(repeating: Self.empty, count: 1000).flatMap { $0 }
        let server = try endless("HTTP/1.1 \(status) OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n", block)
        let error = await transfers.failure(TransferRequest(url: server.base))
        if status == 200 {
            #expect(error?.name == .limitExceeded && error?.details["limit"] == "compressed", "\(error as Any)")
        } else {
            #expect(error?.name == .httpStatus && error?.details["status"] == 404, "\(error as Any)")
        }
        server.close()
    }

    @Test @Loop func `compressed bytes are counted beside the unpacked ones`() async throws {
        let transfers = LoopbackTransfers()
        // A member of one byte after many empty ones: some progress from time to time.
        let one: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b, 4, 0, 0x43, 0xbe, 0xb7, 0xe8, 1, 0, 0, 0]
        let block = Array(repeating: Self.empty, count: 10_000).flatMap { $0 } + one
        let server = try endless("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n", block)
        var request = TransferRequest(url: server.base)
        request.maxBytes = 100_000
        let error = await transfers.failure(request)
        #expect(error?.name == .limitExceeded && error?.details["limit"] == "maxBytes", "\(error as Any)")
        // The limit of a callback is the largest number.
        request.maxBytes = .max
        var heard = 0
        _ = try await transfers.pool.run(request, onHead: { _ in }) { bytes, _, _ in
            heard += bytes.count
            return heard < 3 ? .proceed : .stop
        }
        server.close()
    }

    @Test(arguments: [true, false]) @Loop func `an origin that drips ends as a timeout, its head too`(isHead: Bool) async throws {
        let transfers = LoopbackTransfers()
        let head = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n"
        let server = try endless(isHead ? head : head + "Connection: close\r\n\r\n", Array(isHead ? "X-More: x\r\n".utf8 : "x".utf8), pace: .milliseconds(20))
        var request = TransferRequest(url: server.base)
        request.lowestRate = LowestRate(bytesPerSecond: 1 << 20, window: .milliseconds(300))
        let error = await transfers.failure(request)
        #expect(error?.name == .timeout && error?.details["which"] == "rate" && error?.isRetryable == true, "\(error as Any)")
        server.close()
    }

    @Test(.tags(.timed)) @Loop func `a body that this side pauses is not too slow`() async throws {
        let transfers = LoopbackTransfers()
        let server = try CannedServer(["/": "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"])
        var request = TransferRequest(url: server.base + "/")
        request.lowestRate = LowestRate(bytesPerSecond: 100, window: .milliseconds(50))
        let (gate, scope) = (TransferGate(), TaskScope())
        var isHeld = true
        var body: [UInt8] = []
        let summary = try await transfers.pool.run(request, gate: gate, onHead: { _ in }) { bytes, _, _ in
            if isHeld {
                isHeld = false
                scope.run("open") {
                    // Longer than several windows.
                    try? await Loop.sleep(.milliseconds(400))
                    gate.open()
                }
                return .pause
            }
            body += bytes
            return .proceed
        }
        #expect(summary.isWhole && body == Array("hello".utf8))
        await scope.drain()
        server.close()
    }
}
