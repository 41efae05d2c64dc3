import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeImages
import TintypeSettings
import TintypeStores
import TintypeTransport

@testable import Coordinator

/// Pictures over HTTP from the open files of a folder, by a coordinator that keeps none in memory.
@Suite(.timeLimit(.minutes(3)), .serialized, .scoped) struct FolderHitTests {
    /// A coordinator without memory for pictures, and one kept connection to it.
    @Loop private final class Setup {
        let harness: CoordinatorHarness
        let client: RawClient
        private var received = 0

        init() async throws {
            harness = try await CoordinatorHarness { $0.memoryCache = 0 }
            let harness = harness
            try await harness.until { harness.coordinator.readiness.obstacle == nil }
            client = try RawClient(harness.coordinator.httpAddress)
        }

        /// Sends a request on the kept connection.
        /// - Returns: the status, the headers and the body.
        func ask(_ method: String, _ headers: [String] = [], body: [UInt8] = []) async throws -> (status: Int, head: String, body: [UInt8]) {
            let length = body.isEmpty ? [] : ["Content-Length: \(body.count)"]
            let request = (["\(method) /images/mine HTTP/1.1", "Host: 127.0.0.1"] + headers + length + ["", ""]).joined(separator: "\r\n").utf8 + body
            // Not on the loop, which has to read the body.
            await Task.detached { [client] in _ = client.send(request) }.value
            let start = received
            let all = await client.received { Self.end(of: $0[min(start, $0.count)...], method) != nil }
            let end = try #require(Self.end(of: all[start...], method), "\(String(decoding: all[start...].prefix(300), as: UTF8.self))")
            received = end.body
            let head = String(decoding: all[start..<end.head], as: UTF8.self)
            return (Int(head.split(separator: " ")[1]) ?? 0, head, Array(all[end.head..<end.body]))
        }

        /// Returns the end of a head and of its body; nil if the answer is not complete.
        nonisolated private static func end(of bytes: ArraySlice<UInt8>, _ method: String) -> (head: Int, body: Int)? {
            guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { return nil }
            let lines = String(decoding: bytes[bytes.startIndex..<end], as: UTF8.self).split(separator: "\r\n")
            let length = lines.first { $0.hasPrefix("Content-Length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
            let count = method == "HEAD" || lines[0].contains(" 304 ") ? 0 : length
            return bytes.endIndex >= end + count ? (end, end + count) : nil
        }

        /// Puts a picture and reads it once, after which its file is open.
        /// - Returns: its entity tag.
        @discardableResult
        func put(_ bytes: [UInt8]) async throws -> String {
            #expect(try await ask("PUT", body: bytes).status == 201)
            let first = try await ask("GET")
            #expect(first.status == 200 && first.body == bytes)
            #expect(harness.coordinator.core.storage.results.opened("mine") { _ in true } != nil)
            return EntityTag.text(sha256: Digest.sha256Hex(bytes))
        }

        var path: String {
            get throws {
                let paths = TemporaryFolder.paths(below: harness.results.path).filter { $0.split(separator: "/").count == 2 && $0.first != "t" }
                return harness.results.path + "/" + (try #require(paths.first))
            }
        }
    }

    nonisolated static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 ^ ($0 >> 8) ^ ($0 >> 16)) } }

    /// Copied, copied to the limit, sent from the file in one piece, and in several.
    static let sizes = [10, StoredFile.mostCopied, StoredFile.mostCopied + 1, 118_000, 2_000_000]

    @Test(.holdsLoop("the test makes and compares millions of bytes one by one"), arguments: sizes) @Loop
    func `every kind of answer from an open file is that from memory`(size: Int) async throws {
        let setup = try await Setup()
        let bytes = Self.bytes(size)
        let tag = try await setup.put(bytes)
        let whole = try await setup.ask("GET")
        #expect(whole.status == 200 && whole.body == bytes && whole.head.contains("\r\nETag: \(tag)\r\n"))
        let memory = try await CoordinatorHarness()
        try await memory.until { memory.coordinator.readiness.obstacle == nil }
        guard case .tcp(_, let port) = memory.coordinator.httpAddress else { throw TestFailure("no port") }
        let put = try await Task.detached { try await RawClient.ask(port: port, "PUT", "/images/mine", body: bytes) }.value
        #expect(put.status == 201)
        let cases: [(method: String, headers: [String], status: Int, body: [UInt8])] = [
            ("GET", [], 200, bytes), ("HEAD", [], 200, []), ("GET", ["Range: bytes=2-4"], 206, [2, 3, 4]),
            ("GET", ["Range: bytes=1-"], 206, Array(bytes[1...])), ("GET", ["Range: bytes=-3"], 206, Array(bytes.suffix(3))),
            ("GET", ["Range: bytes=\(size)-"], 416, []), ("GET", ["If-None-Match: \(tag)"], 304, []), ("HEAD", ["If-None-Match: \(tag)"], 304, []),
            ("GET", ["If-None-Match: \"other\""], 200, bytes), ("GET", ["Range: bytes=2-4", "If-Range: \(tag)"], 206, [2, 3, 4]),
            ("GET", ["Range: bytes=2-4", "If-Range: \"other\""], 200, bytes), ("HEAD", ["Range: bytes=2-4"], 200, []),
            ("GET", ["If-Match: \(tag)"], 200, bytes),
        ]
        for one in cases {
            let answer = try await setup.ask(one.method, one.headers)
            #expect(answer.status == one.status && answer.body == one.body, "\(one.method) \(one.headers): \(answer.head)")
            let other = try await RawClient.ask(port: port, one.method, "/images/mine", ["Host: 127.0.0.1"] + one.headers)
            // Dates and the seconds that are left differ by the moment.
            func lines(_ head: String) -> [Substring] {
                head.split(separator: "\r\n\r\n")[0].split(separator: "\r\n")
                    .filter { !$0.hasPrefix("Date:") && !$0.hasPrefix("Cache-Control:") && !$0.hasPrefix("Connection:") }
            }
            #expect(lines(answer.head) == lines(other.description), "\(one.method) \(one.headers)")
        }
        #expect(try await setup.ask("GET", ["If-Match: \"other\""]).status == 412)
        #expect(setup.harness.coordinator.core.storage.memory.statistics.bytes == 0)
    }

    @Test(.holdsLoop("the test makes and compares millions of bytes one by one"), arguments: sizes) @Loop
    func `a replaced picture is served with its own tag at once`(size: Int) async throws {
        let setup = try await Setup()
        let old = try await setup.put(Self.bytes(size))
        let new = Array(Self.bytes(size + 1).reversed())
        let tag = EntityTag.text(sha256: Digest.sha256Hex(new))
        let pool = BlockingPool(threads: 1, name: "other")
        // As another process does, of which this coordinator is not told.
        let other = try FileStore(directory: setup.harness.results.path, pool: pool)
        var image = try #require(try await other.get("mine"))
        (image.bytes, image.sha256) = (new, Digest.sha256Hex(new))
        image.info = JSON.object((image.info.object ?? [:]).merging(["sha256": .string(Digest.sha256Hex(new)), "bytes": JSON(new.count)]))
        try await other.put(image)
        let answer = try await setup.ask("GET", ["If-None-Match: \(old)"])
        #expect(answer.status == 200 && answer.body == new && answer.head.contains("\r\nETag: \(tag)\r\n"))
        #expect(try await setup.ask("GET", ["If-None-Match: \(tag)"]).status == 304)
        other.close()
        pool.stop()
    }

    @Test(.holdsLoop("the test makes and compares millions of bytes one by one"), arguments: sizes) @Loop
    func `a damaged picture is a miss, whatever of it was in an answer before`(size: Int) async throws {
        let setup = try await Setup()
        let tag = try await setup.put(Self.bytes(size))
        let path = try setup.path
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.seek(toOffset: handle.seekToEnd() - 3)
        try handle.write(contentsOf: [1, 2, 3])
        try handle.close()
        #expect(try await setup.ask("GET", ["Range: bytes=0-0"]).status == 404)
        #expect(try await setup.ask("GET", ["If-None-Match: \(tag)"]).status == 404)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(.holdsLoop("the test makes and compares millions of bytes one by one"), arguments: sizes) @Loop
    func `a deleted picture is a miss at once`(size: Int) async throws {
        let setup = try await Setup()
        let tag = try await setup.put(Self.bytes(size))
        try FileManager.default.removeItem(atPath: try setup.path)
        #expect(try await setup.ask("GET", ["If-None-Match: \(tag)"]).status == 404)
        #expect(try await setup.ask("HEAD").status == 404)
        #expect(try await setup.ask("GET").status == 404)
    }
}
