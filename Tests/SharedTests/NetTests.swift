import Glibc
import TintypeCore
import TintypeTransport
import TestSupport
import Testing

@Suite(.tags(.threads), .timeLimit(.minutes(1)), .scoped) struct NetTests {
    /// Sends back every byte, and keeps its streams.
    @Loop private final class Echo {
        private(set) var listener: Listener!
        private var streams: [ByteStream] = []

        init(_ address: SocketAddress) throws {
            listener = try Listener(address) { [unowned self] stream in
                streams.append(stream)
                stream.onBytes = { [unowned stream] bytes in stream.write(bytes) }
            }
        }
    }

    /// All bytes from a stream, and a gate for them.
    @Loop private final class Inbox {
        private(set) var bytes: [UInt8] = []
        private(set) var end: StreamEnd?
        private let arrivals = LoopCounter()
        private let ended = OneShot<Void>()

        init(_ stream: ByteStream) {
            stream.onBytes = { bytes in
                self.bytes += bytes
                self.arrivals.note()
            }
            stream.onEnd = { end in
                #expect(self.end == nil)
                self.end = end
                self.ended.complete(.success(()))
                self.arrivals.note()
            }
        }

        func reaches(_ count: Int) async throws {
            while bytes.count < count, end == nil { try await arrivals.reaches(arrivals.count + 1) }
        }

        func reachesEnd() async throws { try await ended.wait() }
    }

    private func pattern(_ count: Int) -> [UInt8] {
        let block = (0..<4093).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + block.count)
        while bytes.count < count { bytes += block }
        return Array(bytes[..<count])
    }

    @Test @Loop func `both ends of a connection notice that the other is gone without a word`() async throws {
        let echo = try Echo(try SocketAddress("127.0.0.1:0"))
        let stream = try await ByteStream.connect(echo.listener.address, timeout: .seconds(10))
        let inbox = Inbox(stream)
        stream.write([1])
        try await inbox.reaches(1)
        guard case .tcp(_, let port) = echo.listener.address else { return }
        #expect(ConnectedSockets.keepAlive(port: port, isOwn: true) == [[1, 10, 5, 3, 25_000]])
        #expect(ConnectedSockets.keepAlive(port: port, isOwn: false).contains([1, 10, 5, 3, 25_000]))

        let server = try HTTPServer(try SocketAddress("127.0.0.1:0"), maxBody: 100) { _ in }
        defer { server.close() }
        guard case .tcp(_, let web) = server.address else { return }
        let visitor = try await ByteStream.connect(server.address, timeout: .seconds(10))
        while ConnectedSockets.keepAlive(port: web, isOwn: true).isEmpty { try await Loop.sleep(.milliseconds(2)) }
        #expect(ConnectedSockets.keepAlive(port: web, isOwn: true) == [[1, 10, 5, 3, 0]])
        visitor.close()
    }

    @Test(arguments: ["127.0.0.1:0", "[::1]:0", "unix"]) @Loop
    func `a mebibyte comes back whole over every kind of address`(place: String) async throws {
        let folder = try TemporaryFolder("net")
        let echo = try Echo(try SocketAddress(place == "unix" ? "unix:\(folder.path)/echo.sock" : place))
        let stream = try await ByteStream.connect(echo.listener.address, timeout: .seconds(10))
        let inbox = Inbox(stream)
        let sent = pattern(1 << 20)
        stream.write(sent)
        try await inbox.reaches(sent.count)
        #expect(inbox.bytes == sent)
        stream.close()
        echo.listener.close()
    }

    @Test @Loop func `bytes sent one by one arrive in order`() async throws {
        let echo = try Echo(.tcp(host: "127.0.0.1", port: 0))
        let stream = try await ByteStream.connect(echo.listener.address, timeout: .seconds(10))
        let inbox = Inbox(stream)
        let sent = pattern(500)
        for (index, byte) in sent.enumerated() {
            stream.write([byte])
            try await inbox.reaches(index + 1)
        }
        #expect(inbox.bytes == sent)
        stream.close()
    }

    @Test(.tags(.timed), .holdsLoop("the test makes and compares millions of bytes one by one")) @Loop
    func `a paused reader stops the writer, and loses nothing`() async throws {
        let sent = pattern(32 << 20)
        var received: [UInt8] = []
        let arrivals = LoopCounter()
        let finished = OneShot<Void>()
        var accepted: [ByteStream] = []
        let listener = try Listener(.tcp(host: "127.0.0.1", port: 0)) { stream in
            accepted.append(stream)
            stream.onBytes = { [unowned stream] bytes in
                received += bytes
                if arrivals.count == 0 { stream.pauseReading() }
                arrivals.note()
                if received.count >= sent.count { finished.complete(.success(())) }
            }
        }
        let writer = try await ByteStream.connect(listener.address, timeout: .seconds(10))
        let drained = OneShot<Void>()
        writer.onDrained = { drained.complete(.success(())) }
        writer.write(sent)
        try await arrivals.reaches(1)
        let atPause = received.count
        // The kernel takes some megabytes more. Then it is full, and the remainder stays here.
        try await Loop.sleep(.milliseconds(100))
        #expect(received.count == atPause)
        #expect(writer.pendingOutput > 1 << 20)
        #expect(!drained.isComplete)
        accepted.first?.resumeReading()
        try await finished.wait()
        try await drained.wait()
        #expect(received == sent)
        #expect(writer.pendingOutput == 0)
        writer.close()
        listener.close()
    }

    @Test @Loop func `pausing and resuming in the callback delivers each byte once`() async throws {
        let sent = pattern(300_000)
        var received: [UInt8] = []
        let finished = OneShot<Void>()
        var accepted: [ByteStream] = []
        let listener = try Listener(.tcp(host: "127.0.0.1", port: 0)) { stream in
            accepted.append(stream)
            stream.onBytes = { [unowned stream] bytes in
                received += bytes
                stream.pauseReading()
                stream.resumeReading()
                if received.count >= sent.count { finished.complete(.success(())) }
            }
        }
        let writer = try await ByteStream.connect(listener.address, timeout: .seconds(10))
        writer.write(sent)
        try await finished.wait()
        #expect(received == sent)
        writer.close()
        listener.close()
    }

    @Test @Loop func `bytes written before the close arrive, then the end, once`() async throws {
        let sent = pattern(4 << 20)
        let listener = try Listener(.tcp(host: "127.0.0.1", port: 0)) { stream in
            // Nobody keeps the stream: it lives until the last byte is sent.
            stream.write(sent)
            stream.closeAfterFlush()
        }
        let reader = try await ByteStream.connect(listener.address, timeout: .seconds(10))
        let inbox = Inbox(reader)
        try await inbox.reachesEnd()
        #expect(inbox.bytes == sent)
        #expect(inbox.end == .eof)
        reader.close()
        listener.close()
    }

    @Test @Loop func `a connection closed by the peer fails, and closing in a callback is safe`() async throws {
        let failed = OneShot<StreamEnd>()
        var accepted: [ByteStream] = []
        let listener = try Listener(.tcp(host: "127.0.0.1", port: 0)) { stream in
            accepted.append(stream)
            stream.onEnd = { failed.complete(.success($0)) }
        }
        let raw = connectedSocket(listener.address)
        while accepted.isEmpty { await Task.yield() }
        var reset = linger(l_onoff: 1, l_linger: 0)
        setsockopt(raw, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
        close(raw)
        guard case .failed(let reason) = try await failed.wait() else { Issue.record("not failed"); return }
        #expect(reason.contains("reset"))
        #expect(accepted[0].isClosed)

        let closed = OneShot<Void>()
        let writer = try await ByteStream.connect(listener.address, timeout: .seconds(10))
        while accepted.count < 2 { await Task.yield() }
        accepted[1].onBytes = { bytes in
            accepted[1].close()
            accepted[1].close()
            closed.complete(.success(()))
        }
        writer.write(pattern(100_000))
        try await closed.wait()
        listener.close()
    }

    private func connectedSocket(_ address: SocketAddress) -> Int32 {
        guard case .tcp(_, let port) = address else { return -1 }
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var name = loopback(port)
        withSocketAddress(&name) { _ = connect(descriptor, __CONST_SOCKADDR_ARG(__sockaddr__: $0), 16) }
        return descriptor
    }

    /// 127.0.0.1 as a `sockaddr_in`. Its Swift form is in a module that tests do not import.
    private func loopback(_ port: UInt16) -> [UInt8] {
        [UInt8(AF_INET), 0, UInt8(port >> 8), UInt8(port & 255), 127, 0, 0, 1] + Array(repeating: 0, count: 8)
    }

    private func withSocketAddress(_ name: inout [UInt8], _ body: (UnsafeMutablePointer<sockaddr>) -> Void) {
        name.withUnsafeMutableBytes { $0.withMemoryRebound(to: sockaddr.self) { body($0.baseAddress!) } }
    }

    @Test @Loop func `failures to connect are distinguished`() async throws {
        let listener = try Listener(.tcp(host: "127.0.0.1", port: 0)) { _ in }
        let address = listener.address
        listener.close()
        do {
            _ = try await ByteStream.connect(address, timeout: .seconds(10))
            Issue.record("connected to a closed port")
        } catch {
            guard case .connect(_, let reason) = error else { Issue.record("\(error)"); return }
            #expect(reason.contains("refused"))
        }
        do {
            _ = try await ByteStream.connect(.unix(path: "/nowhere/at.all"), timeout: .seconds(10))
            Issue.record("connected to no file")
        } catch {
            guard case .connect(_, let reason) = error else { Issue.record("\(error)"); return }
            #expect(reason.contains("No such file"))
        }
        do {
            _ = try await ByteStream.connect(.tcp(host: "no-such-host.invalid", port: 1), timeout: .seconds(30))
            Issue.record("connected to no host")
        } catch {
            guard case .resolve("no-such-host.invalid", _) = error else { Issue.record("\(error)"); return }
        }
    }

    @Test @Loop func `a host name is looked up, and each of its addresses tried`() async throws {
        let echo = try Echo(.tcp(host: "127.0.0.1", port: 0))
        guard case .tcp(_, let port) = echo.listener.address else { return }
        let stream = try await ByteStream.connect(.tcp(host: "localhost", port: port), timeout: .seconds(10))
        let inbox = Inbox(stream)
        stream.write([1, 2, 3])
        try await inbox.reaches(3)
        #expect(inbox.bytes == [1, 2, 3])
        stream.close()
    }

    @Test @Loop func `a server that accepts no connection costs no more than the timeout`() async throws {
        // A backlog of zero, filled: Linux then answers no further SYN.
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = loopback(0)
        var length: socklen_t = 16
        withSocketAddress(&name) { pointer in
            let isReady = bind(server, __CONST_SOCKADDR_ARG(__sockaddr__: pointer), length) == 0 && listen(server, 0) == 0
            #expect(isReady && getsockname(server, __SOCKADDR_ARG(__sockaddr__: pointer), &length) == 0)
        }
        let address = SocketAddress.tcp(host: "127.0.0.1", port: UInt16(name[2]) << 8 | UInt16(name[3]))
        let fillers = (0..<4).map { _ in connectedSocket(address) }
        defer { for descriptor in fillers + [server] { close(descriptor) } }
        do {
            _ = try await ByteStream.connect(address, timeout: .milliseconds(200))
            Issue.record("connected to a full backlog")
        } catch {
            guard case .timedOut = error else { Issue.record("\(error)"); return }
        }
    }

    @Test @Loop func `a port in use and a path that is a file are refused, the file kept`() async throws {
        let first = try Listener(.tcp(host: "127.0.0.1", port: 0)) { _ in }
        #expect(throws: NetError.self) { _ = try Listener(first.address) { _ in } }
        let folder = try TemporaryFolder("net")
        let path = folder.path + "/file"
        close(open(path, O_CREAT | O_WRONLY, 0o600))
        #expect(throws: NetError.self) { _ = try Listener(.unix(path: path)) { _ in } }
        #expect(access(path, F_OK) == 0)
        first.close()
    }

    @Test @Loop func `a socket file in use stays, a dead one is replaced`() async throws {
        let folder = try TemporaryFolder("net")
        let address = SocketAddress.unix(path: folder.path + "/echo.sock")
        func answers() async throws -> Bool {
            let stream = try await ByteStream.connect(address, timeout: .seconds(10))
            let inbox = Inbox(stream)
            stream.write([7])
            try await inbox.reaches(1)
            stream.close()
            return inbox.bytes == [7]
        }
        let first = try Echo(address)
        #expect(throws: NetError.self) { _ = try Echo(address) }
        #expect(try await answers())
        // A file that an operator removed and another process made again does not belong to the first process.
        unlink(folder.path + "/echo.sock")
        let second = try Echo(address)
        first.listener.close()
        #expect(try await answers())
        // A process that is killed leaves its file.
        rename(folder.path + "/echo.sock", folder.path + "/dead")
        second.listener.close()
        rename(folder.path + "/dead", folder.path + "/echo.sock")
        let third = try Echo(address)
        #expect(try await answers())
        third.listener.close()
        #expect(access(folder.path + "/echo.sock", F_OK) != 0)
    }

    @Test(arguments: [
        ("127.0.0.1:7411", SocketAddress.tcp(host: "127.0.0.1", port: 7411)), ("[::1]:0", .tcp(host: "::1", port: 0)),
        ("example.org:80", .tcp(host: "example.org", port: 80)), ("unix:/a/b.sock", .unix(path: "/a/b.sock")),
    ])
    func `an address is read and written alike`(text: String, address: SocketAddress) throws {
        #expect(try SocketAddress(text) == address)
        #expect("\(address)" == text)
    }

    @Test(arguments: ["", "host", "host:", "host:port", "host:65536", ":80", "::1:80", "[]:80", "unix:", "unix:" + String(repeating: "x", count: 108)])
    func `a text that is no address is refused`(text: String) {
        #expect(throws: SocketAddress.ParseError.self) { try SocketAddress(text) }
    }
}
