import Foundation
import TestSupport
import Testing
@testable import TintypeCore
@testable import TintypeTransport

extension TransferPoolTests {
    @Test @Loop func `faults of the connection have their own names`() async throws {
        let transfers = LoopbackTransfers()
        let gone = try CannedServer([:])
        let closed = gone.base
        gone.close()
        #expect(await transfers.failure(TransferRequest(url: closed))?.name == .connect)

        let server = try CannedServer(
            ["/cut": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", "/empty": "", "/noise": "what is this\r\n\r\n"], then: .close)
        for path in ["/cut", "/empty", "/noise"] {
            #expect(await transfers.failure(TransferRequest(url: server.base + path))?.name == .connectionLost, "\(path)")
        }
        server.close()

        let plain = try Listener(SocketAddress("127.0.0.1:0")) { stream in
            stream.write(Array("HTTP/1.1 400 Speak plainly\r\n\r\n".utf8))
            stream.closeAfterFlush()
        }
        #expect(await transfers.failure(TransferRequest(url: "https://\(plain.address)/"))?.name == .tls)
        plain.close()

        // A server that hangs up during the handshake has said nothing about certificates.
        let abrupt = try Listener(SocketAddress("127.0.0.1:0")) { $0.close() }
        let hungUp = await transfers.failure(TransferRequest(url: "https://\(abrupt.address)/"))
        #expect(hungUp?.name == .connectionLost && hungUp?.isRetryable == true, "\(hungUp?.description ?? "")")
        abrupt.close()
    }

    @Test @Loop func `a certificate that does not hold is told from a handshake that fails`() async throws {
        let folder = try TemporaryFolder()
        let (key, certificate) = ("\(folder.path)/key.pem", "\(folder.path)/cert.pem")
        let made = try ChildProcess(
            "openssl",
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate])
        #expect(await made.exit() == 0)
        let server = try ChildProcess("openssl", ["s_server", "-accept", "127.0.0.1:0", "-key", key, "-cert", certificate, "-www"])
        let line = try await server.line(beginning: "ACCEPT ")
        let transfers = LoopbackTransfers()
        let error = await transfers.failure(TransferRequest(url: "https://\(line.dropFirst(7))/"))
        #expect(error?.name == .tls && error?.details["which"] == "certificate", "\(error?.description ?? "")")
        server.signal(SIGTERM)
        _ = await server.exit()
    }

    @Test(arguments: ["connect", "idle", "total"])
    @Loop func `the three time limits are told apart`(which: String) async throws {
        let transfers = LoopbackTransfers()
        var timers: [LoopTimer] = []
        let server = try CannedServer { _, stream in
            guard which == "total" else { return .keep }
            stream.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".utf8))
            timers.append(LoopTimer(after: .milliseconds(20), repeating: true) { [weak stream] in stream?.write([1]) })
            return .keep
        }
        // TLS with a server that never answers is a connection that never opens.
        var request = TransferRequest(url: which == "connect" ? "https://127.0.0.1:\(server.port)/" : server.base)
        request.timeouts = TransferTimeouts(
            connect: which == "connect" ? .milliseconds(100) : .seconds(20), idle: which == "idle" ? .milliseconds(100) : .seconds(20),
            total: which == "total" ? .milliseconds(300) : .seconds(20))
        let error = await transfers.failure(request)
        #expect(error?.name == .timeout)
        #expect(error?.details["which"] == .string(which))
        #expect(transfers.pool.count == 0)
        for timer in timers { timer.cancel() }
        server.close()
    }

    @Test @Loop func `a slow server is not idle`() async throws {
        let transfers = LoopbackTransfers()
        let size = 32 << 20
        // Takes half a mebibyte every tenth of a second: in all, longer than the idle timeout.
        let server = try SlowReader(body: size, room: 1 << 19, every: .milliseconds(100))
        var request = TransferRequest(url: server.url)
        (request.method, request.body) = ("PUT", [UInt8](repeating: 1, count: size))
        request.timeouts = TransferTimeouts(connect: .seconds(20), idle: .seconds(5), total: .seconds(100))
        let error = await transfers.failure(request)
        #expect(error == nil, "\(server.taken) bytes were taken")
        server.close()
    }

    @Test @Loop func `cancelling the task closes the connection`() async throws {
        let transfers = LoopbackTransfers()
        let server = try CannedServer(["/": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbeginning"])
        let begun = OneShot<Void>()
        let task = Task { @Loop () -> TintypeError? in
            do throws(TintypeError) {
                _ = try await transfers.pool.run(TransferRequest(url: server.base + "/"), onHead: { _ in begun.complete(.success(())) }) { _, _, _ in .proceed }
                return nil
            } catch {
                return error
            }
        }
        try await begun.wait()
        task.cancel()
        #expect(await task.value?.name == .cancelled)
        #expect(transfers.pool.count == 0)
        try await server.clientLeft.wait()
        server.close()
    }

    @Test(.tags(.timed)) @Loop func `a paused transfer keeps its bytes until its gate opens`() async throws {
        let transfers = LoopbackTransfers()
        let text = String(repeating: "abcdefgh", count: 20_000)
        let server = try CannedServer(["/": "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"])
        let gate = TransferGate()
        let paused = OneShot<Void>()
        let door = GatedReceiver()
        var request = TransferRequest(url: server.base + "/")
        // Shorter than the pause, which is ours and not the server's.
        (request.timeouts.idle, request.timeouts.total) = (.seconds(3), .seconds(3))
        let transfer = Task { @Loop [request] in
            try await transfers.pool.run(request, gate: gate, onHead: { _ in }) { bytes, _, _ in
                guard door.isOpen else {
                    paused.complete(.success(()))
                    return .pause
                }
                door.body += bytes
                return .proceed
            }
        }
        try await paused.wait()
        try await Loop.sleep(.milliseconds(3500))
        #expect(door.body.isEmpty)
        door.isOpen = true
        gate.open()
        let summary = try await transfer.value
        #expect(summary.isWhole)
        #expect(door.body == Array(text.utf8))
        server.close()
    }

    @Test @Loop func `a receiver that has enough ends the transfer with success`() async throws {
        let transfers = LoopbackTransfers()
        let server = try CannedServer(["/": "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\nbeginning"])
        var request = TransferRequest(url: server.base + "/")
        request.maxBytes = 200_000_000
        let summary = try await transfers.pool.run(request, onHead: { _ in }) { _, _, _ in .stop }
        #expect(!summary.isWhole)
        try await server.clientLeft.wait()
        server.close()
    }
}
