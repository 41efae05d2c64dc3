import Foundation
import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeStores

/// The limits of a file store, several processes on one folder, and the files after a crash. Real folders, real processes.
@Suite(.timeLimit(.minutes(2)), .scoped) struct FileStoreTests {
    private let folder: TemporaryFolder
    /// One thread, so that the work after a write ends before the next call.
    private let pool = BlockingPool(threads: 1, name: "file-store-test")

    init() throws { folder = try TemporaryFolder("file-store") }

    private func store(_ limits: StoreLimits = StoreLimits()) throws -> FileStore {
        try FileStore(directory: folder.path, limits: limits, pool: pool, walks: pool)
    }

    private func image(_ number: Int, size: Int = 1000, expiresAt: Double? = nil) -> StoredImage { Self.image(number, size: size, expiresAt: expiresAt) }

    private static func image(_ number: Int, size: Int = 1000, expiresAt: Double? = nil) -> StoredImage {
        StoredImage(
            key: Digest.sha256Hex(Array("\(number)".utf8)), contentType: "image/png", info: ["number": JSON(number)], source: [:],
            bytes: (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }, storedAt: WallClock.now, expiresAt: expiresAt)
    }

    private func file(_ number: Int) -> String {
        let key = image(number).key
        return "\(folder.path)/\(key.prefix(2))/\(key)"
    }

    /// Sets the last read of an image to some seconds ago.
    private func lastRead(_ number: Int, ago seconds: Int) {
        let then = timespec(tv_sec: Int(WallClock.now) - seconds, tv_nsec: 0)
        var times = [then, timespec(tv_sec: 0, tv_nsec: 0x3fff_fffe)]  // UTIME_OMIT
        #expect(utimensat(AT_FDCWD, file(number), &times, 0) == 0)
    }

    @Loop private func has(_ store: FileStore, _ numbers: some Sequence<Int>) async throws -> [Int] {
        var found: [Int] = []
        for number in numbers where try await store.contains(image(number).key) { found.append(number) }
        return found
    }

    // MARK: Looks

    @Test @Loop func `another image is looked up in the same call, if the first is not found`() async throws {
        let store = try store()
        func look(_ first: Int, _ other: Int) async throws -> (StoreLookup, StoreLookup?) {
            try await store.look(up: image(first).key, orElse: image(other).key)
        }
        #expect(try await look(1, 2) == (.absent, .absent))
        try await store.put(image(2))
        guard case (.absent, .found(let other)?) = try await look(1, 2) else { throw TestFailure("the other image is not found") }
        #expect(other.bytes == image(2).bytes)
        guard case (.found, nil) = try await look(2, 1) else { throw TestFailure("one image is enough") }
        try await store.put(image(3, expiresAt: WallClock.now + 60))
        let cut = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file(3))).dropLast())
        try Data(cut).write(to: URL(fileURLWithPath: file(3)))
        guard case (.unreadable, .found?) = try await look(3, 2) else { throw TestFailure("a damaged image is not found") }
    }

    // MARK: Removal

    private func facts(_ number: Int, size: Int = 100, read: Double, end: Double = 1e10) -> FileStatus {
        FileStatus(path: "\(number)", size: size, lastRead: read, end: end)
    }

    @Test func `expired files go, and above a limit the least recently read ones, down to the low water mark`() {
        let files = (0..<10).map { facts($0, read: Double(100 + ($0 * 7) % 10)) } + [facts(10, read: 500, end: 900)]
        func gone(_ limits: StoreLimits, free: Int? = nil) -> [String] { limits.doomed(files, at: 1000, free: free).map(\.path) }
        #expect(gone(StoreLimits()) == ["10"])
        #expect(gone(StoreLimits(bytes: 1000)) == ["10"])
        // 1000 bytes are there; to 80 % of 900: three of a hundred. In the order of 0, 7·3=1, 7·6=2.
        #expect(gone(StoreLimits(bytes: 900)) == ["10", "0", "3", "6"])
        #expect(gone(StoreLimits(count: 5)) == ["10", "0", "3", "6", "9", "2", "5"])
        #expect(gone(StoreLimits(freeBytes: 1000), free: 1000) == ["10"])
        // 1250 bytes must then be free; 900 are, and the expired image adds 100.
        #expect(gone(StoreLimits(freeBytes: 1000), free: 900) == ["10", "0", "3", "6"])
        #expect(StoreLimits(freeBytes: 1000).missing(free: 900, freed: 100) == 250, "a disk may show later what was freed")
        #expect(StoreLimits(freeBytes: 1000).missing(free: 1000, freed: 0) == 0 && StoreLimits(freeBytes: 1000).missing(free: nil, freed: 0) == 0)
        #expect(!StoreLimits(freeBytes: 1000).areExceeded(by: StoreStatistics(), free: 900, freed: 350))
        #expect(StoreLimits(freeBytes: 1000).areExceeded(by: StoreStatistics(), free: 900, freed: 349))
        #expect(StoreLimits(bytes: 900).areExceeded(by: StoreStatistics(count: 1, bytes: 901), free: nil, freed: 0))
        #expect(!StoreLimits(bytes: 900, count: 1).areExceeded(by: StoreStatistics(count: 1, bytes: 900), free: nil, freed: 0))
        #expect(Set(gone(StoreLimits(age: 895))) == ["10", "0", "3", "6", "9", "2", "5"])
        #expect(gone(StoreLimits(age: 895, ageBy: .creation)) == ["10"])
    }

    @Test func `what is pinned is spared, as far as there is room for it`() {
        // The first half was read longest ago, and is pinned except for one image.
        let files: [FileStatus] = (0..<10).map { number in
            let isPinned = number < 5 && number != 1
            return FileStatus(path: "\(number)", size: 100, lastRead: Double(number), end: number == 2 ? 900 : 1e10, isPinned: isPinned)
        }
        func gone(_ limits: StoreLimits, free: Int? = nil) -> Set<String> { Set(limits.doomed(files, at: 1000, free: free).map(\.path)) }
        #expect(gone(StoreLimits()) == ["2"], "it has expired all the same")
        #expect(gone(StoreLimits(bytes: 800, pinnedBytes: 300)) == ["2", "1", "5", "6"])
        #expect(gone(StoreLimits(bytes: 800, pinnedBytes: 200)) == ["2", "0", "1", "5"], "the least recently read pinned image goes first")
        #expect(gone(StoreLimits(bytes: 800)) == ["2", "0", "1", "5"], "a quarter")
        #expect(gone(StoreLimits(bytes: 800, pinnedBytes: 0)) == ["2", "0", "1", "3"])
        #expect(gone(StoreLimits(bytes: 400, pinnedBytes: .max)) == ["2", "0", "1", "5", "6", "7", "8"], "at most half, or the store stays too full for ever")
        #expect(gone(StoreLimits(count: 4, pinnedBytes: .max)) == ["2", "0", "1", "5", "6", "7", "8"])
        #expect(gone(StoreLimits(freeBytes: 1000, pinnedBytes: .max), free: 800) == ["2", "1", "5", "6", "7"])
    }

    @Loop @Test func `a pinned image outlives others, and so does its replacement`() async throws {
        let store = try store(StoreLimits(bytes: 1_000_000, pinnedBytes: 500_000))
        for number in 0..<3 { try await store.put(image(number, size: 100_000)) }
        for (number, isThere) in [(0, true), (1, true), (99, false)] { #expect(try await store.pin(image(number).key, true) == isThere) }
        try await store.put(image(1, size: 100_001))
        for number in 0..<3 { lastRead(number, ago: 1000) }
        for number in 3..<20 { try await store.put(image(number, size: 100_000)) }
        #expect(try await has(store, 0..<3) == [0, 1])
        #expect(try await store.pin(image(0).key, false))
        for number in 0..<2 { lastRead(number, ago: 1000) }
        for number in 20..<40 { try await store.put(image(number, size: 100_000)) }
        #expect(try await has(store, 0..<2) == [1])
        try await store.remove(image(1).key)
        try await store.put(image(1))
        #expect(try FileManager.default.attributesOfItem(atPath: file(1))[.posixPermissions] as? Int == 0o640, "a removed image is no longer pinned")
    }

    @Loop @Test func `over maxBytes and over maxCount the least recently read go, as writing goes on`() async throws {
        for limits in [StoreLimits(bytes: 1_000_000), StoreLimits(count: 9)] {
            let store = try store(limits)
            for number in 0..<8 {
                try await store.put(image(number, size: 100_000))
                lastRead(number, ago: 1000 - number)
            }
            #expect(try await store.get(image(0).key) != nil)  // read now, so the youngest
            for number in 8..<12 { try await store.put(image(number, size: 100_000)) }
            let left = try await store.statistics()
            #expect(left.bytes <= limits.bytes ?? .max && left.count <= limits.count ?? .max && left.count >= 6)
            #expect(left.capacity == limits.bytes)
            let kept = try await has(store, 0..<12)
            #expect(kept.first == 0 && !kept.contains(1) && kept.suffix(4) == [8, 9, 10, 11], "\(kept)")
            try await store.clear()
        }
    }

    @Loop @Test func `age counts from the last read or from the writing, and is looked at when it is read`() async throws {
        let byAccess = try store(StoreLimits(age: 100))
        for number in 0..<3 { try await byAccess.put(image(number)) }
        lastRead(0, ago: 101)
        lastRead(1, ago: 101)
        lastRead(2, ago: 90)
        #expect(try await !byAccess.contains(image(0).key))
        #expect(try await byAccess.look(up: image(1).key) == .expired)
        #expect(try await byAccess.look(up: image(1).key) == .absent)
        #expect(try await byAccess.get(image(2).key) != nil)
        #expect(try await byAccess.trim().count == 1)

        let byCreation = try store(StoreLimits(age: 100, ageBy: .creation))
        lastRead(2, ago: 5000)
        #expect(try await byCreation.contains(image(2).key))
        var old = image(3)
        old.storedAt -= 101
        try await byCreation.put(old)
        #expect(try await byCreation.look(up: old.key) == .expired)
    }

    @Loop @Test func `what has expired is no longer contained, and trimming by the clock deletes it`() async throws {
        let store = try store()
        try await store.put(image(1, expiresAt: WallClock.now - 1))
        try await store.put(image(2))
        #expect(try await !store.contains(image(1).key))
        #expect(FileManager.default.fileExists(atPath: file(1)))
        store.keepTrimmed(every: .milliseconds(20))
        while FileManager.default.fileExists(atPath: file(1)) { try await Loop.sleep(.milliseconds(5)) }
        #expect(try await store.contains(image(2).key))
        store.close()
    }

    @Loop @Test func `a file cut short is no longer contained`() async throws {
        let store = try store()
        try await store.put(image(1))
        let whole = try Data(contentsOf: URL(fileURLWithPath: file(1)))
        for length in [0, 19, 52, whole.count - 1] {
            try whole.prefix(length).write(to: URL(fileURLWithPath: file(1)))
            var times = [timespec(tv_sec: 4_000_000_000, tv_nsec: 0), timespec(tv_sec: 4_000_000_000, tv_nsec: 0)]
            #expect(utimensat(AT_FDCWD, file(1), &times, 0) == 0)
            #expect(try await !store.contains(image(1).key), "\(length)")
        }
        #expect(try await store.look(up: image(1).key) == .unreadable)
        #expect(!FileManager.default.fileExists(atPath: file(1)))
        try await store.put(image(1))
        #expect(try await store.contains(image(1).key))
    }

    @Loop @Test func `a disk with less free than is to be kept takes nothing more, and says so`() async throws {
        let store = try store(StoreLimits(freeBytes: 1 << 60))
        let error = await #expect(throws: TintypeError.self) { try await store.put(image(1)) }
        #expect(error?.name == .storeFailed && error?.isRetryable == true)
        #expect(try await store.statistics().count == 0)
        try await self.store(StoreLimits(freeBytes: 1)).put(image(1))
    }

    // MARK: Several processes

    /// Waits until the image is gone: a walk of the store may be reading it.
    private func remove(_ path: String) {
        while FileManager.default.fileExists(atPath: path) { try? FileManager.default.removeItem(atPath: path) }
    }

    @Loop @Test(arguments: [false, true]) func `a store works on after its folder was emptied`(all: Bool) async throws {
        let store = try store(StoreLimits(count: 2))
        try await store.put(image(1))
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) { remove(folder.path + "/" + name) }
        if all { remove(folder.path) }
        #expect(try await store.get(image(1).key) == nil)
        try await store.put(image(1))
        #expect(try await store.get(image(1).key)?.bytes == image(1).bytes)
        // The store removes images above its limits.
        remove(folder.path + "/tmp")
        lastRead(1, ago: 1000)
        for number in 2..<5 { try await store.put(image(number)) }
        #expect(try await has(store, 1..<5).count == 2)
        try await store.clear()
        #expect(try await store.statistics().count == 0)
        remove(folder.path + "/trash")
        try await store.put(image(5))
        #expect(try await has(store, 1..<6) == [5])
        store.close()
    }

    /// A folder that is made again would be on the disk below the mount.
    @Loop @Test func `a folder of an unmounted volume is not made again, and works on when it is mounted again`() async throws {
        let volume = folder.path + "/volume"
        #expect(mkdir(volume, 0o700) == 0)
        func mount() async throws -> Bool {
            let child = try ChildProcess("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", volume])
            return await child.finished() == 0
        }
        guard try await mount() else { return print("skipped: nothing can be mounted here") }
        defer { umount2(volume, Int32(MNT_DETACH)) }
        for name in ["", "/store"] {
            let store = try FileStore(directory: volume + name, limits: StoreLimits(count: 2), pool: pool, walks: pool)
            try await store.put(image(1))
            try #require(umount2(volume, Int32(MNT_DETACH)) == 0)
            let error = await #expect(throws: TintypeError.self) { try await store.put(image(2)) }
            #expect(error?.name == .storeFailed && error?.message.contains("no longer mounted") == true, "\(error?.description ?? "none")")
            #expect(try FileManager.default.contentsOfDirectory(atPath: volume).isEmpty)
            try #require(try await mount())
            for number in 2..<5 { try await store.put(image(number)) }
            #expect(try await store.get(image(4).key)?.bytes == image(4).bytes)
            _ = try await store.trim()
            #expect(try await store.statistics().count <= 2)
            store.close()
        }
    }

    @Test(
        arguments: [
            // The path, its contents at the start and now, and whether the volume is gone.
            ("/mnt/s", ["/": 1, "/mnt": 2, "/mnt/s": 2], ["/": 1, "/mnt": 1], true),
            ("/mnt/s", ["/": 1, "/mnt": 2, "/mnt/s": 2], ["/": 1, "/mnt": 2], false),
            ("/mnt/s", ["/": 1, "/mnt": 2, "/mnt/s": 2], ["/": 1, "/mnt": 3], false),
            ("/mnt/s", ["/": 1, "/mnt": 1, "/mnt/s": 2], ["/": 1, "/mnt": 1, "/mnt/s": 1], true),
            ("/mnt/s", ["/": 1, "/mnt": 1, "/mnt/s": 2], ["/": 1, "/mnt": 1, "/mnt/s": 3], false),
            ("/mnt/s", ["/": 1, "/mnt": 1, "/mnt/s": 1], ["/": 1, "/mnt": 2], false),
            ("/mnt/a/s", ["/": 1, "/mnt": 2, "/mnt/a": 2, "/mnt/a/s": 2], ["/": 1], true),
            ("/s", ["/": 1, "/s": 1], ["/": 1], false), ("/s", [:], [:], false),
        ] as [(String, [String: dev_t], [String: dev_t], Bool)])
    func `a volume is gone if there was one and there is none now`(path: String, before: [String: dev_t], now: [String: dev_t], isGone: Bool) {
        #expect(StoreVolume(of: path) { before[$0] }.isGone { now[$0] } == isGone)
    }

    @Loop @Test func `two processes do not trim one folder at the same time`() async throws {
        let store = try store()
        try await store.put(image(1, expiresAt: WallClock.now - 1))
        let lock = open(folder.path + "/lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o640)
        #expect(flock(lock, LOCK_EX) == 0)
        #expect(try await store.trim() == StoreStatistics())
        close(lock)
        #expect(try await store.trim().count == 1)
    }

    @Loop @Test func `clearing is done at once for everybody, and the files go afterwards`() async throws {
        let store = try store()
        let other = try self.store()
        for number in 0..<600 { try await store.put(image(number, size: 10)) }
        let before = try await store.statistics()
        #expect(try await other.clear() == before)
        #expect(try await store.statistics().count == 0)
        #expect(try await store.get(image(1).key) == nil)
        try await store.put(image(1))
        while try !FileManager.default.contentsOfDirectory(atPath: folder.path + "/trash").isEmpty { try await Loop.sleep(.milliseconds(2)) }
        #expect(try await store.get(image(1).key) != nil)
    }

    /// Each would walk over all files, one after the other.
    @Test func `the time to trim is reported once, not with each write`() throws {
        let folder = try FileStoreFolder(path: folder.path, limits: StoreLimits(count: 40))
        func writes(_ numbers: Range<Int>) throws -> Int { try numbers.count { try folder.write(image($0, size: 10)) } }
        #expect(try writes(0..<10) == 1, "no process has looked yet")
        #expect(folder.trim().count == 0)
        #expect(try writes(10..<11) == 0)
        #expect(try writes(11..<30) == 1, "a twentieth of the limit")
        #expect(folder.trim().count == 0)
        #expect(try writes(30..<60) == 1)
        #expect(folder.trim().count == 28)
    }

    @Loop @Test func `a walk over all files does not delay a read`() async throws {
        let store = try FileStore(directory: folder.path, pool: pool)
        try await store.put(image(1))
        let goOn = DispatchSemaphore(value: 0)
        pool.start { goOn.wait() }
        #expect(try await store.statistics().count == 1, "counted while the only thread for reading and writing is taken")
        #expect(try await store.trim().count == 0)
        goOn.signal()
        #expect(try await store.get(image(1).key) != nil)
        store.close()
    }

    // MARK: Crashes

    @Test(.tags(.timed)) func `writers killed at any moment leave a store in which everything that is there is whole`() async throws {
        let path = folder.path
        for round in 0..<12 {
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, round = round as Int] in
                let pool = BlockingPool(threads: 2, name: "killed")
                let store = try FileStore(directory: path, limits: StoreLimits(bytes: 3_000_000), pool: pool)
                let began = ContinuousClock.now
                Thread.detachNewThread {
                    while ContinuousClock.now - began < .milliseconds(40 + round * 13) {}
                    kill(getpid(), SIGKILL)
                }
                for number in 0... { try await store.put(FileStoreTests.image(number % 50, size: 1000 + number % 7 * 40_000)) }
            }
        }
        let store = try store()
        var found = 0
        for number in 0..<50 {
            guard case .found(let image) = try await store.look(up: image(number).key) else { continue }
            found += 1
            #expect(image.bytes == self.image(number, size: image.bytes.count).bytes)
        }
        #expect(found > 0)
        // All other files are remainders of writes at the last kills, at most one for each thread.
        #expect(try await store.statistics().count == found)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/tmp").count <= 12 * 2)
    }
}
