import Foundation
import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeStores

/// The promises of every store, and those of each kind. Real folders and a real Redis.
@Suite(.tags(.cluster), .timeLimit(.minutes(1)), .scoped) struct ResultStoreTests {
    private let folder: TemporaryFolder
    private let pool = BlockingPool(threads: 2, name: "store-test")

    init() throws { folder = try TemporaryFolder("store") }

    private func image(_ key: String, size: Int = 1000, expiresAt: Double? = nil) -> StoredImage {
        // Byte by byte, a long image would hold the loop.
        var bytes = (0..<min(size, 256)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        while bytes.count < size { bytes += bytes.prefix(size - bytes.count) }
        return StoredImage(
            key: key, contentType: "image/png", info: ["width": 3, "name": "a\nb"], source: ["url": "https://h/ü"],
            operations: size % 2 == 0 ? nil : [["op": "resize", "width": 3]], bytes: bytes, storedAt: 1_700_000_000.25, expiresAt: expiresAt)
    }

    private func key(_ number: Int) -> String { Digest.sha256Hex(Array("\(number)".utf8)) }

    private func fileStore() throws -> FileStore {
        try FileStore(directory: folder.path + "/results", pool: pool)
    }

    /// The paths of all files. A file that is being deleted may be missing.
    private func files() -> [String] {
        TemporaryFolder.paths(below: folder.path + "/results").filter { $0.contains("/") }.map { folder.path + "/results/" + $0 }
    }

    @Test func `A known digest does not change the written file, and a wrong one is detected`() throws {
        let one = image(key(1))
        var known = one
        known.sha256 = Digest.sha256Hex(one.bytes)
        #expect(StoredImageCodec.encode(known) == StoredImageCodec.encode(one))
        known.sha256 = Digest.sha256Hex([])
        #expect(StoredImageCodec.decode(StoredImageCodec.encode(known), key: one.key) == nil)
    }

    @Loop private func promises(_ store: any ResultStore) async throws {
        let now = WallClock.now
        for size in [0, 1, 70_000, 3_000_000] {
            let one = image(key(size), size: size, expiresAt: now + 100)
            try await store.put(one)
            #expect(try await store.get(one.key) == one)
            #expect(try await store.contains(one.key))
        }
        #expect(try await store.get(key(99)) == nil)
        #expect(try await !store.contains(key(99)))
        var replaced = image(key(1), size: 2)
        replaced.contentType = "image/webp"
        try await store.put(replaced)
        #expect(try await store.get(key(1)) == replaced)
        try await store.put(image(key(5), expiresAt: now - 1))
        #expect(try await store.get(key(5)) == nil)
        // An image that was put in the place of a marked one stays.
        let (marked, later) = (image(key(70_000), size: 70_000, expiresAt: now + 100), image(key(70_000), size: 70_000, expiresAt: now + 101))
        try await store.put(later)
        try await store.remove(StoredMark(marked))
        #expect(try await store.get(later.key) == later)
        for _ in 1...2 { try await store.remove(StoredMark(later)) }
        #expect(try await store.get(later.key) == nil)
        try await store.put(later)
        let odd = image("../../etc/passwd\u{0}:ü")
        try await store.put(odd)
        #expect(try await store.get(odd.key) == odd)
        let before = try await store.statistics()
        #expect(before.count == 5)
        let freed = try await store.remove(odd.key)
        #expect(freed.count == 1 && freed.bytes > 1000)
        #expect(try await store.remove(odd.key) == StoreStatistics())
        let after = try await store.statistics()
        #expect(after.count == 4 && after.bytes == before.bytes - freed.bytes)
        let cleared = try await store.clear()
        #expect(cleared.count == 4 && cleared.bytes == after.bytes)
        #expect(try await store.statistics().count == 0)
    }

    @Loop @Test func `files keep the promises`() async throws {
        try await promises(try fileStore())
        #expect(files().allSatisfy { !$0.contains("/results/tmp/") })
    }

    @Loop @Test(arguments: [false, true]) func `Redis keeps the promises`(isCluster: Bool) async throws {
        let redis = try await RedisServer(isCluster: isCluster)
        let store = try ResultStores.open(redis.url, name: "results", pool: pool, logger: Logger(label: "test", level: .error))
        try await promises(store)
        try await store.put(image(key(1)))
        let lifetime = Int(try await redis.command("PTTL", "tintype:results:" + key(1))) ?? 0
        #expect((86_000_000...86_400_000).contains(lifetime))
        try await store.put(image(key(2), expiresAt: WallClock.now + 50))
        let shorter = Int(try await redis.command("PTTL", "tintype:results:" + key(2))) ?? 0
        #expect((1...50_000).contains(shorter))
        if isCluster {
            var slots: Set<String> = []
            for number in 1...2 { slots.insert(try await redis.command("CLUSTER", "KEYSLOT", "tintype:results:" + key(number))) }
            #expect(slots.count == 2, "the servers of a cluster share the results")
        }
        store.close()
    }

    @Loop @Test(arguments: ["file", "redis"]) func `one place keeps sources apart from results`(_ kind: String) async throws {
        let redis = try await RedisServer()
        let url = kind == "file" ? "file://\(folder.path)/results" : redis.url
        let logger = Logger(label: "test", level: .error)
        let results = try ResultStores.open(url, name: "test", pool: pool, logger: logger)
        let sources = try ResultStores.open(url, .sources, name: "test", pool: pool, logger: logger)
        let (result, source) = (image(key(1), size: 10), image(key(1), size: 2000))
        try await results.put(result)
        try await sources.put(source)
        #expect(try await results.get(key(1)) == result)
        #expect(try await sources.get(key(1)) == source)
        #expect(try await results.statistics().count == 1)
        // No tier keeps it: it exists for its URL alone.
        var held = image(key(2))
        held.info = ["stored": []]
        try await results.put(held)
        #expect(try await results.get(key(2)) == held)
        #expect(try await results.statistics().count == 1)
        try await results.remove(key(2))
        let before = try await sources.statistics()
        #expect(before.count == 1 && before.bytes > 2000)
        #expect(try await results.clear().count == 1)
        #expect(try await sources.get(key(1)) == source)
        #expect(try await sources.clear() == before)
        results.close()
        sources.close()
    }

    @Loop @Test func `a full Redis is storeFailed, a Redis that is gone too`() async throws {
        let redis = try await RedisServer(options: ["--maxmemory", "5mb"])
        let store = try ResultStores.open(redis.url, name: "results", pool: pool, logger: Logger(label: "test", level: .error))
        try await store.put(image(key(0)))
        var refusal: TintypeError?
        for number in 1...60 where refusal == nil {
            do throws(TintypeError) { try await store.put(image(key(number), size: 200_000)) } catch { refusal = error }
        }
        #expect(refusal?.name == .storeFailed && refusal?.phase == .store && refusal?.isRetryable == true)
        #expect(try await store.get(key(0)) == image(key(0)))
        await redis.kill9()
        let gone = await #expect(throws: TintypeError.self) { try await store.get(key(0)) }
        #expect(gone?.name == .storeFailed && gone?.isRetryable == true)
        store.close()
    }

    @Loop @Test(arguments: [false, true])
    func `a full Redis still holds for a minute what its store refused, within bounds`(isCluster: Bool) async throws {
        let redis = try await RedisServer(options: ["--maxmemory", "5mb"], isCluster: isCluster)
        let store = try ResultStores.open(redis.url, name: "results", pool: pool, logger: Logger(label: "test", level: .error))
        var isFull = false
        for number in 1...60 where !isFull {
            do throws(TintypeError) { try await store.put(image(key(number), size: 200_000)) } catch { isFull = true }
        }
        let client = RedisClient(try RedisEndpoint(redis.url), name: "held", logger: Logger(label: "test", level: .error))
        TestScope.atEnd { await client.stop() }
        client.start()
        try await client.untilConnected(within: .seconds(10))
        let held = SpilledResults(RedisNodes(client))
        var one = image(key(0), size: 300_000)
        #expect(isFull)
        #expect(await held.hold(one))
        one.expiresAt = await held.get(one.key)?.expiresAt
        #expect(await held.get(one.key) == one)
        #expect(await held.has(one.key))
        #expect((1...60_000).contains(Int(try await redis.command("PTTL", "tintype:held:" + one.key)) ?? 0))
        #expect(await !held.hold(image(key(1), size: SpilledResults.maxBytes + 1)))
        #expect(await !held.has(key(1)))
        #expect(await held.get(key(1)) == nil)
        store.close()
    }

    @Loop @Test func `a file cut short at any byte, or changed at any byte, is a miss and is dropped`() async throws {
        let store = try fileStore()
        let one = image(key(1), size: 40)
        try await store.put(one)
        let file = try #require(files().first)
        let whole = try Data(contentsOf: URL(fileURLWithPath: file))
        for length in 0..<whole.count {
            try whole.prefix(length).write(to: URL(fileURLWithPath: file))
            #expect(try await store.get(one.key) == nil, "cut to \(length)")
            #expect(!FileManager.default.fileExists(atPath: file))
        }
        for index in 0..<whole.count {
            var damaged = whole
            damaged[index] ^= 0x10
            try damaged.write(to: URL(fileURLWithPath: file))
            #expect(try await store.get(one.key) == nil, "changed at \(index)")
        }
        try (whole + [0]).write(to: URL(fileURLWithPath: file))
        #expect(try await store.get(one.key) == nil)
        try whole.write(to: URL(fileURLWithPath: file))
        #expect(try await store.get(one.key) == one)
    }

    @Loop @Test func `a file under another's name is a miss`() async throws {
        let store = try fileStore()
        try await store.put(image(key(1)))
        try await store.put(image(key(2)))
        let paths = files().filter { $0.hasSuffix(key(1)) || $0.hasSuffix(key(2)) }.sorted { a, _ in a.hasSuffix(key(1)) }
        try FileManager.default.removeItem(atPath: paths[1])
        try FileManager.default.copyItem(atPath: paths[0], toPath: paths[1])
        #expect(try await store.get(key(2)) == nil)
        #expect(try await store.get(key(1)) != nil)
    }

    @Loop @Test func `temporary files of writers long gone are removed at start, fresh ones stay`() async throws {
        _ = try fileStore()
        let old = folder.path + "/results/tmp/old"
        let fresh = folder.path + "/results/tmp/fresh"
        for path in [old, fresh] { #expect(FileManager.default.createFile(atPath: path, contents: Data([1]))) }
        var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, old, &times, 0) == 0)
        _ = try fileStore()
        #expect(!FileManager.default.fileExists(atPath: old))
        #expect(FileManager.default.fileExists(atPath: fresh))
    }

    @Test func `a folder that cannot be made is reported at start`() throws {
        try Data().write(to: URL(fileURLWithPath: folder.path + "/file"))
        let error = #expect(throws: TintypeError.self) { _ = try FileStore(directory: folder.path + "/file/below", pool: pool) }
        #expect(error?.name == .storeFailed)
        #expect(error?.message.contains("/file/below") == true)
    }

    @Loop @Test func `a full disk is a retryable storeFailed that leaves nothing behind`() async throws {
        let mount = folder.path + "/disk"
        try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
        let mounted = try ChildProcess("mount", ["-t", "tmpfs", "-o", "size=256k", "tintype-test", mount])
        guard await mounted.finished() == 0 else {
            print("no small disk to fill here: \(mounted.errors); the limit on file sizes stands in for it (next test)")
            return
        }
        let store = try FileStore(directory: mount, pool: pool)
        try await store.put(image(key(1), size: 10_000))
        let error = await #expect(throws: TintypeError.self) { try await store.put(image(key(2), size: 400_000)) }
        #expect(error?.name == .storeFailed && error?.isRetryable == true)
        #expect(error?.message == "The disk of the result store is full.")
        #expect(try FileManager.default.contentsOfDirectory(atPath: mount + "/tmp").isEmpty)
        #expect(try await store.get(key(2)) == nil)
        #expect(try await store.get(key(1)) == image(key(1), size: 10_000))
        try await store.put(image(key(3), size: 10_000))
        #expect(await (try ChildProcess("umount", [mount])).finished() == 0)
    }

    @Test func `a short write is storeFailed and leaves no image`() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 65536, rlim_max: 65536)
            try #require(setrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &limit) == 0)
            let folder = try TemporaryFolder("short")
            let pool = BlockingPool(threads: 1, name: "short")
            let store = try FileStore(directory: folder.path, pool: pool)
            func image(_ size: Int) -> StoredImage {
                StoredImage(key: "k\(size)", contentType: "image/png", info: [:], source: [:], bytes: Array(repeating: 7, count: size), storedAt: 0)
            }
            let error = await #expect(throws: TintypeError.self) { try await store.put(image(200_000)) }
            try #require(error?.name == .storeFailed && error?.isRetryable == true)
            try #require(try await store.get("k200000") == nil)
            try await store.put(image(100))
            try #require(try await store.get("k100") == image(100))
            try #require(try await store.statistics().count == 1)
        }
    }
}
