import Foundation
import Synchronization
import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeStores

/// An entry that is found expired or damaged, and is renewed before its removal: the new entry stays.
@Suite(.timeLimit(.minutes(1)), .scoped) struct RenewedEntryTests {
    private static let key = Digest.sha256Hex(Array("one".utf8))

    private func image(_ bytes: [UInt8], expiresAt: Double) -> StoredImage {
        StoredImage(key: Self.key, contentType: "image/png", info: [:], source: [:], bytes: bytes, storedAt: 1_700_000_000, expiresAt: expiresAt)
    }

    private var old: StoredImage { image([1], expiresAt: WallClock.now - 10) }
    private var new: StoredImage { image([2], expiresAt: WallClock.now + 1000) }

    /// An action in the moment before a read entry is judged.
    private final class Moment: Sendable {
        let act = Mutex<(@Sendable () -> Void)?>(nil)

        func pass() {
            let act = act.withLock { act in
                defer { act = nil }
                return act
            }
            act?()
        }
    }

    @Test(arguments: [false, true]) func `a file that was renewed meanwhile is not deleted by its reader`(isDamaged: Bool) throws {
        let (path, moment) = (try TemporaryFolder("renewed"), Moment())
        let folder = try FileStoreFolder(
            path: path.path, limits: StoreLimits(),
            clock: WallClock {
                moment.pass()
                return WallClock.now
            })
        let new = new
        _ = try folder.write(old)
        if isDamaged { try Data("nonsense".utf8).write(to: URL(fileURLWithPath: folder.file(Self.key))) }
        moment.act.withLock { $0 = { _ = try? folder.write(new) } }
        #expect(try folder.read(Self.key) == (isDamaged ? .unreadable : .expired))
        #expect(try folder.read(Self.key) == .found(new))
        #expect(try FileManager.default.contentsOfDirectory(atPath: path.path + "/tmp") == [])
    }

    @Test func `nor by whoever trims, who deletes the very file that was seen`() throws {
        let path = try TemporaryFolder("renewed")
        let folder = try FileStoreFolder(path: path.path, limits: StoreLimits())
        let new = new
        _ = try folder.write(old)
        let seen = try #require(FileCalls.facts(folder.file(Self.key)))
        _ = try folder.write(new)
        #expect(!folder.discard(seen))
        #expect(try folder.read(Self.key) == .found(new))
        #expect(folder.discard(try #require(FileCalls.facts(folder.file(Self.key)))))
        #expect(try folder.read(Self.key) == .absent)
    }

    @Test @Loop func `in Redis, what was written since stays`() async throws {
        let server = try await RedisServer()
        let store = RedisStore(RedisNodes(try RedisEndpoint(server.url), name: "test", logger: Logger(label: "test", level: .error)))
        let (before, after) = (image([1], expiresAt: WallClock.now + 500), new)
        try await store.put(after)
        try await store.remove(StoredMark(before))
        #expect(try await store.get(Self.key) == after)
        try await store.remove(StoredMark(after))
        #expect(try await store.look(up: Self.key) == .absent)
        store.close()
    }

    @Test(arguments: [false, true])
    @Loop func `in S3, the object is deleted if its tag is still the same, on condition that it stays so`(isRenewed: Bool) async throws {
        let bytes = StoredImageCodec.encode(old)
        var server: CannedServer?
        server = try CannedServer { _, stream in
            let method = server?.requests.last?.prefix { $0 != " " } ?? ""
            let tag = isRenewed && method == "HEAD" ? "\"new\"" : "\"old\""
            stream.write(Array("HTTP/1.1 200 OK\r\nETag: \(tag)\r\nContent-Length: \(method == "DELETE" ? 0 : bytes.count)\r\n\r\n".utf8))
            if method == "GET" { stream.write(bytes) }
            return .keep
        }
        let address = try S3Address("s3://pictures/x?endpoint=\(server?.base ?? "")")
        let store = S3Store(address, S3Credentials(accessKey: "a", secretKey: "b"))
        #expect(try await store.look(up: Self.key) == .expired)
        let requests = server?.requests ?? []
        #expect(requests.map { String($0.prefix { $0 != " " }) } == (isRenewed ? ["GET", "HEAD"] : ["GET", "HEAD", "DELETE"]))
        #expect(isRenewed || requests.last?.contains("If-Match: \"old\"\r\n") == true)
        server?.close()
    }
}
