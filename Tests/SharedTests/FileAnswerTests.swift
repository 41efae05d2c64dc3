import Foundation
import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport

/// Answers whose body is a part of an open file, over sockets and over wires that must read it.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct FileAnswerTests {
    /// An open file as the store has it: each byte is checked by the identity of the file.
    @Loop private final class TestFile: OutgoingFile {
        let file: OpenFile
        let identity: FileIdentity
        nonisolated var descriptor: Int32 { file.descriptor }

        init(_ path: String) throws {
            file = try OpenFile(path)
            identity = try file.status().identity
        }

        var isUnchanged: Bool { (try? file.status())?.identity.hasSameBytes(as: identity) == true }

        func checkedBytes(_ place: Range<Int>) -> [UInt8]? {
            let bytes = try? file.read(place)
            return isUnchanged && bytes?.count == place.count ? bytes : nil
        }
    }

    /// More bytes than the buffers of both sockets take together.
    private static let long = 16 << 20
    private static let pattern = (0..<long + 7).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8) ^ ($0 >> 16)) }

    /// Serves `/N` as the first N bytes after an offset of 7 in the file, and any other path as a text.
    @Loop private final class Site {
        let path: String
        let bytes: [UInt8]
        let asked = LoopCounter()
        private(set) weak var file: TestFile?

        init(_ folder: TemporaryFolder, size: Int) throws {
            (path, bytes) = (folder.path + "/file", Array(FileAnswerTests.pattern[..<(size + 7)]))
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            // Not in the tick of the clock in which a test may write.
            try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: path)
        }

        func serve(_ exchange: HTTPExchange) {
            defer { asked.note() }
            guard let count = Int(exchange.path.dropFirst()), let file = try? TestFile(path) else {
                return exchange.respond(200, headers: [("Date", "now")], body: Array("<\(exchange.path)>".utf8))
            }
            self.file = file
            exchange.respond(200, lines: HeaderLines([("Date", "now")]), body: [], file: FilePart(file, at: 7, count: count))
        }

        func server() throws -> HTTPServer {
            try HTTPServer(.tcp(host: "127.0.0.1", port: 0), maxBody: 100) { [unowned self] in serve($0) }
        }

        func answer(_ count: Int) -> [UInt8] {
            Array("HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: \(count)\r\n\r\n".utf8) + bytes[7..<7 + count]
        }

        /// Changes one byte in the file, and no length.
        func corrupt(at offset: Int) throws {
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try handle.seek(toOffset: UInt64(offset))
            try handle.write(contentsOf: [bytes[offset] ^ 0xff])
            try handle.close()
        }
    }

    private static func request(_ path: String, _ method: String = "GET") -> String { "\(method) \(path) HTTP/1.1\r\nHost: h\r\n\r\n" }

    /// A client that reads nothing at first.
    @Loop private static func silentClient(of server: HTTPServer) throws -> RawClient {
        guard case .tcp(_, let port) = server.address else { throw TestFailure("\(server.address)") }
        return try RawClient(port: port, reads: false)
    }

    static let sizes = [0, 1, 4095, 4096, 4097, 61_440, 61_441, 118_000, 266_240, 266_241, 1_500_000]

    @Test(.holdsLoop("the test makes and compares millions of bytes one by one"), arguments: [[Int.max], [0, 1 << 16, 3, 0], [40, 0, 100_000]]) @Loop
    func `a file arrives whole and in order however few bytes the kernel takes`(grants: [Int]) async throws {
        let folder = try TemporaryFolder("file-answer")
        let site = try Site(folder, size: 1_500_000)
        for size in Self.sizes {
            let wire = ScriptedWire(grants: grants)
            let service = try wire.serve { site.serve($0) }
            wire.receive(Self.request("/\(size)").utf8)
            try await Gate.until("\(size) bytes are sent") {
                wire.drain()
                return service.busy == 0
            }
            #expect(wire.written == site.answer(size), "\(size)")
            #expect(site.file == nil)
        }
    }

    @Test @Loop func `other connections have their turn between two pieces, and nobody waits for room that is there`() async throws {
        let folder = try TemporaryFolder("file-answer")
        let site = try Site(folder, size: 1_500_000)
        let (long, short) = (ScriptedWire(), ScriptedWire())
        let (service, other) = (try long.serve { site.serve($0) }, try short.serve { site.serve($0) })
        // The last piece is one that this wire reads at once.
        long.receive(Self.request("/1470000").utf8)
        let first = long.written.count
        #expect(first > Outgoing.filePiece && first < site.answer(1_470_000).count && !long.interest.contains(.write))
        short.receive(Self.request("/10").utf8)
        #expect(short.written == site.answer(10) && other.busy == 0)
        try await Gate.until("all is sent") { service.busy == 0 }
        #expect(long.written == site.answer(1_470_000) && site.file == nil)
    }

    @Test(arguments: [1 << 16, 118_000, 200_000]) @Loop
    func `a file that changes between two pieces ends the connection`(size: Int) async throws {
        let folder = try TemporaryFolder("file-answer")
        let site = try Site(folder, size: size)
        let wire = ScriptedWire()
        let service = try wire.serve { site.serve($0) }
        wire.receive(Self.request("/\(size)").utf8)
        try site.corrupt(at: 7)
        try await Gate.until("it is closed") { wire.isClosed }
        #expect(wire.written.count < site.answer(size).count && service.busy == 0 && site.file == nil)
    }

    @Test @Loop func `files and texts that were asked for at once arrive in order over a socket`() async throws {
        let folder = try TemporaryFolder("file-answer")
        let site = try Site(folder, size: 1_500_000)
        let server = try site.server()
        let client = try RawClient(server.address)
        var expected: [UInt8] = []
        for size in Self.sizes {
            client.send(Self.request("/a") + Self.request("/\(size)") + Self.request("/\(size)", "HEAD") + Self.request("/b"))
            expected += Array("HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 4\r\n\r\n</a>".utf8) + site.answer(size)
            expected += site.answer(size).dropLast(size) + Array("HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 4\r\n\r\n</b>".utf8)
        }
        let count = expected.count
        let received = await client.received { $0.count >= count }
        #expect(received == expected)
        #expect(server.openExchanges == 0)
        client.close()
        server.close()
    }

    /// The acts of another program on the file while a client takes its bytes slowly.
    enum Fault: String, CaseIterable {
        case corrupted, truncated, emptied, replaced, deleted

        /// Whether the open file is as it was.
        var isHarmless: Bool { self == .replaced || self == .deleted }
    }

    @Test(.holdsLoop("the test makes and compares millions of bytes one by one"), arguments: Fault.allCases) @Loop
    func `an answer is completed only if its file stays as it was`(fault: Fault) async throws {
        let folder = try TemporaryFolder("file-answer")
        let site = try Site(folder, size: Self.long)
        let server = try site.server()
        let client = try Self.silentClient(of: server)
        client.send(Self.request("/\(Self.long)") + Self.request("/after"))
        try await site.asked.reaches(1)
        switch fault {
        // The first byte was sent long before.
        case .corrupted: try site.corrupt(at: 7)
        case .truncated: truncate(site.path, off_t(Self.long - 1000))
        case .emptied: truncate(site.path, 0)
        case .replaced: try Data("other".utf8).write(to: URL(fileURLWithPath: site.path), options: .atomic)
        case .deleted: try FileManager.default.removeItem(atPath: site.path)
        }
        client.startReading()
        let whole = site.answer(Self.long)
        if fault.isHarmless {
            let received = await client.received { $0.count > whole.count }
            #expect(received.starts(with: whole))
            client.close()
        } else {
            let received = await client.untilClosed()
            #expect(received.count < whole.count, "no answer looks complete")
        }
        try await Gate.until("the file is closed") { site.file == nil && server.openExchanges == 0 }
        server.close()
    }

    @Test(arguments: ["client", "server"]) @Loop func `the file is closed when either end leaves in the middle`(end: String) async throws {
        let folder = try TemporaryFolder("file-answer")
        let site = try Site(folder, size: Self.long)
        let server = try site.server()
        let client = try Self.silentClient(of: server)
        client.send(Self.request("/\(Self.long)"))
        try await site.asked.reaches(1)
        #expect(site.file != nil)
        if end == "client" { client.close() } else { server.close() }
        try await Gate.until("the file is closed") { site.file == nil && server.openExchanges == 0 }
        client.close()
        server.close()
    }
}
