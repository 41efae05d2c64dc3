import Foundation
import TestSupport
import Testing

@testable import TintypeCore
@testable import TintypeTransport
@testable import TintypeImages
@testable import TintypeStores

/// Files that a store keeps open: they are handed out only while they are the checked ones.
@Suite(.timeLimit(.minutes(1)), .serialized, .scoped) struct OpenFilesTests {
    /// A store with one thread, so that a mark of a read is done before the next read.
    @Loop private final class Shelf {
        let folder: TemporaryFolder
        let store: FileStore
        private let pool = BlockingPool(threads: 1, name: "open-files")

        init(keepsOpen most: Int = 100, limits: StoreLimits = StoreLimits()) throws {
            folder = try TemporaryFolder("open-files")
            store = try FileStore(directory: folder.path, limits: limits, pool: pool, walks: pool, keepsOpen: most)
            TestScope.atEnd { [self] in
                await store.close()
                pool.stop()
            }
        }

        nonisolated func path(_ key: String) -> String { StoredImageCodec.path(of: key, in: folder.path) }

        /// Holds no file, as an expectation would until the end of the test.
        func isOpen(_ key: String) -> Bool { opened(key) != nil }

        func opened(_ key: String) -> StoredFile? { store.opened(key) { _ in true } }

        /// Returns when the clock of the file system has gone on since the last change of any file here.
        func tick() async throws {
            let before = try stamp()
            try await Gate.until("a tick") { try stamp() > before }
        }

        private func stamp() throws -> Int {
            try Data().write(to: URL(fileURLWithPath: folder.path + "/tmp/stamp"))
            return try #require(FileCalls.status(folder.path + "/tmp/stamp")).identity.changed
        }

        /// The files of this folder that the process has open.
        var openCount: Int {
            let folder = URL(fileURLWithPath: folder.path).lastPathComponent
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            return names.count { name in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name))?.contains(folder) ?? false
            }
        }
    }

    private static let key = Digest.sha256Hex(Array("one".utf8))

    private static func image(_ key: String = key, _ bytes: [UInt8] = Array(0..<200), expiresAt: Double? = nil) -> StoredImage {
        StoredImage(
            key: key, contentType: "image/png", info: ["sha256": .string(Digest.sha256Hex(bytes))], source: [:], bytes: bytes, storedAt: WallClock.now,
            expiresAt: expiresAt)
    }

    /// Puts an image and reads it, after which its file is open.
    @Loop private func filled(_ shelf: Shelf, _ image: StoredImage = image()) async throws -> StoredFile {
        try await shelf.store.put(image)
        #expect(shelf.opened(image.key) == nil, "nobody has checked it")
        #expect(try await shelf.store.look(up: image.key) == .found(image))
        return try #require(shelf.opened(image.key))
    }

    @Test @Loop func `a checked file gives its bytes and the rest of the image`() async throws {
        let shelf = try Shelf()
        let file = try await filled(shelf)
        #expect(
            file.count == 200 && file.cachedBytes(0..<200) == Array(0..<200) && file.cachedBytes(3..<7) == [3, 4, 5, 6] && file.cachedBytes(200..<200) == [])
        #expect(file.image.contentType == "image/png" && file.image.bytes.isEmpty && file.isCached(0..<200) && file.isCached(0..<0))
        let part = file.part(10..<20)
        #expect(part.count == 10 && file.checkedBytes(part.offset..<part.offset + 10) == Array(10..<20))
        #expect(shelf.opened(Self.key) === file)
    }

    /// An act on a checked file, and whether its image is found afterwards.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isFound: Bool
        let make: @Sendable @Loop (FileStore, String) async throws -> Void

        init(_ description: String, isFound: Bool, _ make: @escaping @Sendable @Loop (FileStore, String) async throws -> Void) {
            (testDescription, self.isFound, self.make) = (description, isFound, make)
        }
    }

    private static func overwrite(_ path: String) throws {
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.seekToEnd()
        try handle.seek(toOffset: handle.offsetInFile - 1)
        try handle.write(contentsOf: [77])
        try handle.close()
    }

    static let changes: [Change] = [
        Change("replaced", isFound: true) { store, _ in try await store.put(image(key, [1])) },
        Change("removed", isFound: false) { store, _ in try await store.remove(key) },
        Change("deleted by another process", isFound: false) { _, path in unlink(path) },
        Change("cleared", isFound: false) { store, _ in try await store.clear() },
        Change("cut short", isFound: false) { _, path in truncate(path, 150) },
        Change("made longer", isFound: false) { _, path in truncate(path, 5000) },
        Change("corrupted", isFound: false) { _, path in try overwrite(path) },
        Change("corrupted, with the old time", isFound: false) { _, path in
            let time = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as Any
            try overwrite(path)
            try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
        },
        Change("copied over by other bytes", isFound: false) { _, path in
            try Data("nonsense".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        },
        Change("pinned", isFound: true) { store, _ in _ = try await store.pin(key, true) },
    ]

    @Test(arguments: changes) @Loop func `a changed file is read and checked again`(change: Change) async throws {
        let shelf = try Shelf()
        let file = try await filled(shelf)
        try await shelf.tick()
        try await change.make(shelf.store, shelf.path(Self.key))
        #expect(shelf.opened(Self.key) == nil)
        let lookup = try await shelf.store.look(up: Self.key)
        if case .found = lookup { #expect(change.isFound) } else { #expect(!change.isFound, "\(lookup)") }
        #expect((shelf.opened(Self.key) != nil) == change.isFound)
        #expect(shelf.opened(Self.key) !== file)
    }

    @Test @Loop func `bytes that change around their copy are not handed out`() async throws {
        let shelf = try Shelf()
        let file = try await filled(shelf)
        try await shelf.tick()
        var copied: [UInt8]?
        let opened = shelf.store.opened(Self.key) { open in
            copied = open.cachedBytes(0..<10)
            try? Self.overwrite(shelf.path(Self.key))
            return true
        }
        #expect(copied == Array(0..<10) && opened == nil && file.checkedBytes(0..<10) == nil)
    }

    @Test @Loop func `a file whose bytes cannot be copied stays open`() async throws {
        let shelf = try Shelf()
        let file = try await filled(shelf)
        #expect(shelf.store.opened(Self.key) { _ in false } == nil)
        #expect(shelf.opened(Self.key) === file)
    }

    @Test @Loop func `a moved folder is noticed a moment later`() async throws {
        let shelf = try Shelf()
        let file = try await filled(shelf)
        // Far from the looks that the store made.
        let now = ContinuousClock.now + .seconds(3600)
        #expect(file.current(at: now) != nil)
        let folder = (shelf.path(Self.key) as NSString).deletingLastPathComponent
        try FileManager.default.moveItem(atPath: folder, toPath: folder + "-away")
        #expect(file.current(at: now + StoredFile.pathTrust / 2) != nil, "the file itself is as it was")
        #expect(file.current(at: now + StoredFile.pathTrust) == nil)
    }

    @Test @Loop func `a file that is replaced while a read is being noted is not handed out`() async throws {
        let shelf = try Shelf()
        let file = try await filled(shelf)
        let now = ContinuousClock.now + .seconds(3600)
        #expect(file.current(at: now) != nil)
        let pool = BlockingPool(threads: 1, name: "marks")
        file.mark(on: pool)
        #expect(file.isBeingMarked && file.current(at: now) != nil)
        // The loop learns of the end of the mark in a later turn.
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: shelf.path(Self.key)), options: .atomic)
        #expect(file.isBeingMarked && file.current(at: now) == nil)
        try await Gate.until("marked") { !file.isBeingMarked }
        #expect(!shelf.isOpen(Self.key))
        pool.stop()
    }

    @Test @Loop func `the page cache is asked for each later end, and for the same one after a second`() async throws {
        let shelf = try Shelf()
        let file = try await filled(shelf)
        let now = ContinuousClock.now
        #expect(file.isCached(0..<180, at: now))
        // Beyond its end, no byte of a file is in the page cache.
        truncate(shelf.path(Self.key), off_t(file.part(0..<1).offset + 20))
        #expect(file.isCached(0..<180, at: now + StoredFile.cacheTrust / 2) && file.isCached(100..<150, at: now + StoredFile.cacheTrust / 2))
        #expect(!file.isCached(0..<181, at: now + StoredFile.cacheTrust / 2))
        #expect(!file.isCached(0..<180, at: now + StoredFile.cacheTrust))
        #expect(!shelf.isOpen(Self.key), "a cut is noticed at once")
    }

    @Test @Loop func `a file that was written a moment ago is not trusted`() async throws {
        let shelf = try Shelf()
        try await shelf.store.put(Self.image())
        // The store itself sets the time of expiry there.
        try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: shelf.path(Self.key))
        _ = try await shelf.store.look(up: Self.key)
        #expect(shelf.opened(Self.key) == nil)
    }

    @Test @Loop func `an expired image is not handed out`() async throws {
        let shelf = try Shelf()
        _ = try await filled(shelf, Self.image(expiresAt: WallClock.now + 3))
        try await Gate.until("expired") { shelf.opened(Self.key) == nil }
        #expect(try await shelf.store.look(up: Self.key) == .expired)
    }

    @Test @Loop func `a read is noted each minute, and the file stays open`() async throws {
        let shelf = try Shelf()
        let file = try await filled(shelf)
        let path = shelf.path(Self.key)
        // The owner of an open file may set any time. That changes the file for everybody who has checked it.
        let end = try #require(FileCalls.facts(path)?.end)
        utimensat(AT_FDCWD, path, [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: Int(end), tv_nsec: 0)], 0)
        #expect(shelf.opened(Self.key) == nil)
        _ = file
        // Read and marked anew: the look itself notes the read.
        _ = try await shelf.store.look(up: Self.key)
        #expect(try #require(FileCalls.facts(path)).lastRead > WallClock.now - 60)
        let again = try #require(shelf.opened(Self.key))
        again.mark(on: BlockingPool(threads: 1, name: "mark"))
        #expect(again.isBeingMarked && shelf.opened(Self.key) === again)
        try await Gate.until("marked") { !again.isBeingMarked }
        #expect(shelf.opened(Self.key) === again, "its own mark is no change")
    }

    @Test @Loop func `few files are open at a time, and none that nobody asks for`() async throws {
        let shelf = try Shelf(keepsOpen: 10)
        let keys = (0..<50).map { Digest.sha256Hex(Array("\($0)".utf8)) }
        for key in keys {
            try await shelf.store.put(Self.image(key))
            _ = try await shelf.store.look(up: key)
        }
        let count = shelf.openCount
        // The thread of the pool may still hold the last file.
        #expect(count > 0 && count <= 11, "\(count)")
        #expect(shelf.isOpen(keys[49]) && !shelf.isOpen(keys[0]))
        shelf.store.sweep()
        #expect(shelf.isOpen(keys[49]), "used since")
        shelf.store.sweep()
        try await Gate.until("only the one that was used between the sweeps") { shelf.openCount == 1 }
        shelf.store.sweep()
        try await Gate.until("all are closed") { shelf.openCount == 0 }
    }

    @Test @Loop func `a store keeps no file open unless it is told to`() async throws {
        let shelf = try Shelf(keepsOpen: 0)
        try await shelf.store.put(Self.image())
        _ = try await shelf.store.look(up: Self.key)
        #expect(!shelf.isOpen(Self.key))
        try await Gate.until("it is closed") { shelf.openCount == 0 }
    }

    @Test @Loop func `files that slow clients hold count, and end the keeping of more`() async throws {
        let shelf = try Shelf(keepsOpen: 10)
        var held: [StoredFile] = []
        for number in 0..<20 { held.append(try await filled(shelf, Self.image(Digest.sha256Hex(Array("held-\(number)".utf8))))) }
        let other = Self.image(Digest.sha256Hex(Array("other".utf8)))
        try await shelf.store.put(other)
        #expect(try await shelf.store.look(up: other.key) == .found(other))
        #expect(!shelf.isOpen(other.key), "twenty files are open")
        held.removeAll()
        #expect(try await shelf.store.look(up: other.key) == .found(other))
        #expect(shelf.isOpen(other.key))
    }

    @Test @Loop func `a mark of a read hides no earlier change`() async throws {
        let shelf = try Shelf()
        let file = try await filled(shelf)
        let known = try #require(FileCalls.status(shelf.path(Self.key))).identity
        // As `cp -p` does: other bytes, and the time of modification as before.
        let status = try #require(FileCalls.status(shelf.path(Self.key)))
        try await shelf.tick()
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: shelf.path(Self.key)))
        try handle.seek(toOffset: UInt64(status.size - 1))
        try handle.write(contentsOf: Data([255]))
        try handle.close()
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: Double(known.modified) / 1e9)], ofItemAtPath: shelf.path(Self.key))
        let marked = OneShot<Void>()
        let pool = BlockingPool(threads: 1, name: "marks")
        file.mark(on: pool)
        pool.start { Loop.execute { marked.complete(.success(())) } }
        try await marked.wait()
        pool.stop()
        #expect(!shelf.isOpen(Self.key))
    }
}
