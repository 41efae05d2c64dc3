import Glibc
import Synchronization
import TintypeCore
import TintypeImages

/// The files of a `FileStore`: every call blocks and runs on a thread of the pool.
///
///     directory/ab/abcdef…   one image (`StoredImageCodec`); its access time is when it was last read, its modification time, mostly in
///                            the future, when it ends; its mode says whether it is held for the moment, or pinned
///     directory/tmp/…        writes that are going on
///     directory/trash/…      what was cleared and is not deleted yet
///     directory/lock         held while one process trims; its modification time is when that was done last
final class FileStoreFolder: Sendable {
    let path: String
    let limits: StoreLimits
    private let volume: StoreVolume
    /// Epoch seconds.
    private let clock: WallClock
    /// What is thought to lie in the folder.
    private let tally = Mutex(Tally())

    /// What the last walk has found, and what this process has written since.
    private struct Tally {
        var isKnown = false
        var found = StoreStatistics()
        var written = StoreStatistics()
        var isTrimming = false
        /// Somebody was told that it is time, and has not begun yet.
        var isTrimDue = false
    }

    init(path: String, limits: StoreLimits, clock: WallClock = .machine) throws(TintypeError) {
        (self.path, self.limits, self.clock) = (path, limits, clock)
        let failure = Self.makeFolders(path)
        let real = realpath(path, nil)
        volume = StoreVolume(of: real.map { String(cString: $0) } ?? "/", StoreVolume.device)
        free(real)
        if let failure {
            throw .storeFailed("Cannot make the folder \(path) of the result store.", cause: failure.words, retryable: false)
        }
        guard access(path + "/tmp", W_OK) == 0 else {
            throw .storeFailed("Cannot write in the folder \(path) of the result store.", cause: SystemError.last().words, retryable: false)
        }
        removeAbandoned()
    }

    private static func makeFolders(_ path: String) -> SystemError? {
        FileCalls.makeFolders(path + "/tmp") ?? FileCalls.makeFolders(path + "/trash")
    }

    /// Makes what is missing: not at the beginning alone, for whoever empties the folder by hand takes these with the rest.
    private func makeFolders() -> SystemError? {
        if access(path + "/tmp", F_OK) == 0, access(path + "/trash", F_OK) == 0 { return nil }
        return volume.isGone(StoreVolume.device) ? SystemError(code: ENODEV) : Self.makeFolders(path)
    }

    /// Where the image of `key` is. Keys that are no plain digest get one, so a key can never name another file.
    func file(_ key: String) -> String { StoredImageCodec.path(of: key, in: path) }

    /// - Returns: whether it is time to trim; told once, until that has begun.
    func write(_ image: StoredImage) throws(TintypeError) -> Bool {
        let target = file(image.key)
        let front = StoredImageCodec.front(image)
        let count = front.count + image.bytes.count
        try makeRoom(count)
        let end = limits.end(expiresAt: image.expiresAt, at: clock.now)
        do throws(SystemError) {
            do throws(SystemError) {
                try place([front, image.bytes], at: target, end: end, isHeld: image.isHeld)
            } catch  where error.code == ENOENT {
                if let failure = makeFolders() { throw failure }
                try place([front, image.bytes], at: target, end: end, isHeld: image.isHeld)
            }
        } catch {
            let full = [ENOSPC, EDQUOT, EFBIG].contains(error.code)
            throw .storeFailed(
                full
                    ? "The disk of the result store is full."
                    : error.code == ENODEV ? "The volume of the result store is not mounted any more." : "The result could not be written.",
                cause: error.words,
                retryable: full || error.code == EMFILE || error.code == ENFILE || error.code == EIO)
        }
        return isTrimDue(written: count)
    }

    private func place(_ parts: [[UInt8]], at target: String, end: Double?, isHeld: Bool) throws(SystemError) {
        let temporary = "\(path)/tmp/\(Digest.randomHex(bytes: 12))"
        // What takes the place of a pinned one is so, too.
        let isPinned = !isHeld && FileCalls.facts(target)?.isPinned == true
        do throws(SystemError) {
            try FileCalls.write(parts, to: temporary, end: end, isHeld: isHeld, isPinned: isPinned)
            try FileCalls.rename(temporary, to: target)
        } catch {
            unlink(temporary)
            throw error
        }
    }

    func read(_ key: String) throws(TintypeError) -> StoreLookup {
        let file = file(key)
        let bytes: [UInt8]
        let facts: FileFacts
        do throws(SystemError) {
            (bytes, facts) = try FileCalls.read(file)
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return .absent }
            throw .storeFailed("The result could not be read.", cause: error.words, retryable: true)
        }
        let now = clock.now
        guard let image = StoredImageCodec.decode(bytes, key: key) else {
            discard(facts)
            return .unreadable
        }
        guard image.isFresh(at: now), !limits.isTooOld(storedAt: image.storedAt, lastRead: facts.lastRead, at: now) else {
            discard(facts)
            return image.isHeld ? .absent : .expired
        }
        FileCalls.markRead(file)
        return .found(image)
    }

    /// Whether a file is there that is as long as it says and whose time is not over.
    func contains(_ key: String) -> Bool {
        let file = file(key)
        let now = clock.now
        guard let (head, facts) = try? FileCalls.read(file, upTo: StoredImageCodec.prefixLength), facts.end > now,
            StoredImageCodec.length(head) == facts.size,
            limits.ageBy == .creation || !limits.isTooOld(storedAt: now, lastRead: facts.lastRead, at: now)
        else { return false }
        FileCalls.markRead(file)
        return true
    }

    /// - Returns: whether it is there, and kept.
    func pin(_ key: String, _ isPinned: Bool) throws(TintypeError) -> Bool {
        let file = file(key)
        guard let facts = FileCalls.facts(file), facts.end > clock.now, !facts.isHeld else { return false }
        guard facts.isPinned != isPinned else { return true }
        do throws(SystemError) {
            try FileCalls.pin(file, isPinned)
        } catch {
            if error.code == ENOENT { return false }
            throw .storeFailed("The result could not be pinned.", cause: error.words, retryable: false)
        }
        return true
    }

    func remove(_ key: String) -> StoreStatistics {
        let file = file(key)
        let size = FileCalls.facts(file)?.size ?? 0
        return unlink(file) == 0 ? StoreStatistics(count: 1, bytes: size) : StoreStatistics()
    }

    func statistics() -> StoreStatistics {
        Self.sum(entries(path).filter { !$0.isHeld }, capacity: limits.bytes)
    }

    // MARK: Clearing

    /// Takes everything away at once; what is in the trash is counted then, and deleted by `emptyTrash`.
    func clear() -> StoreStatistics {
        let heap = "\(path)/trash/\(Digest.randomHex(bytes: 8))"
        // A full disk may have no room for a folder: one by one then. Nothing above it is made: the volume may be gone.
        guard makeFolders() == nil, mkdir(heap, 0o750) == 0 else { return delete(entries(path)) }
        for shard in Self.shards(path) { Glibc.rename("\(path)/\(shard)", "\(heap)/\(shard)") }
        tally.withLock { $0 = Tally() }
        return Self.sum(entries(heap))
    }

    /// Deletes some of what was cleared, so that other calls have their turn.
    /// - Returns: whether there is more.
    func emptyTrash(atMost most: Int = 256) -> Bool {
        var left = most
        for heap in FileCalls.names(in: path + "/trash") {
            let heap = "\(path)/trash/\(heap)"
            for shard in FileCalls.names(in: heap) {
                for name in FileCalls.names(in: "\(heap)/\(shard)") {
                    if left == 0 { return true }
                    left -= 1
                    unlink("\(heap)/\(shard)/\(name)")
                }
                rmdir("\(heap)/\(shard)")
            }
            rmdir(heap)
        }
        return false
    }

    // MARK: Trimming

    /// Removes what the limits do not allow. One process of all that share the folder at a time: the others leave it to that one.
    /// - Parameter interval: nothing is done when somebody has done it within so many seconds.
    /// - Returns: what was removed.
    func trim(unlessWithin interval: Double = 0) -> StoreStatistics {
        guard
            tally.withLock({ tally in
                tally.isTrimDue = false
                defer { tally.isTrimming = true }
                return !tally.isTrimming
            })
        else { return StoreStatistics() }
        defer { tally.withLock { $0.isTrimming = false } }
        // What is deleted is put aside in one of them first.
        guard makeFolders() == nil else { return StoreStatistics() }
        // A volume that is unmounted from here on is still the one that is meant: no lock is made on the disk below.
        let directory = open(path, O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return StoreStatistics() }
        defer { close(directory) }
        guard faccessat(directory, "trash", F_OK, 0) == 0 else { return StoreStatistics() }
        let lock = openat(directory, "lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o640)
        guard lock >= 0 else { return StoreStatistics() }
        // Whoever dies gives the lock back.
        defer { close(lock) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { return StoreStatistics() }
        let now = clock.now
        if interval > 0, let last = FileCalls.facts(path + "/lock")?.end, (now - interval...now).contains(last) { return StoreStatistics() }
        removeAbandoned()
        let all = entries(path)
        let removed = delete(limits.doomed(all, at: now, free: FileCalls.freeBytes(path)))
        var left = Self.sum(all)
        left.count -= removed.count
        left.bytes -= removed.bytes
        tally.withLock { tally in
            (tally.isKnown, tally.found, tally.written) = (true, left, StoreStatistics())
        }
        futimens(lock, nil)
        return removed
    }

    /// Leaves so much free on the disk as the limits say, whoever has used it up.
    private func makeRoom(_ bytes: Int) throws(TintypeError) {
        func lacks() -> Bool { limits.freeBytes.map { least in FileCalls.freeBytes(path).map { $0 < least + bytes } ?? false } ?? false }
        guard lacks() else { return }
        _ = trim()
        guard lacks() else { return }
        throw .storeFailed(
            "The disk of the result store has less free than it is to keep.", cause: "minFree=\(limits.freeBytes.map(ByteSize.text) ?? "")",
            retryable: true)
    }

    /// Whether there may be too much by now. What others write is seen at the next walk: each twentieth of a limit, and by the clock.
    private func isTrimDue(written bytes: Int) -> Bool {
        guard limits.bytes != nil || limits.count != nil else { return false }
        return tally.withLock { tally in
            tally.written += StoreStatistics(count: 1, bytes: bytes)
            guard !tally.isTrimDue else { return false }
            func isOver(_ limit: Int?, _ found: Int, _ written: Int) -> Bool {
                limit.map { found + written > $0 || written >= max(1, $0 / 20) } ?? false
            }
            tally.isTrimDue =
                !tally.isKnown || isOver(limits.bytes, tally.found.bytes, tally.written.bytes)
                || isOver(limits.count, tally.found.count, tally.written.count)
            return tally.isTrimDue
        }
    }

    /// Temporary files an hour old belong to nobody any more: their writer was killed.
    private func removeAbandoned() {
        let limit = clock.now - 3600
        for name in FileCalls.names(in: path + "/tmp") {
            if let facts = FileCalls.facts("\(path)/tmp/\(name)"), facts.lastRead < limit { unlink(facts.path) }
        }
    }

    // MARK: Walking

    private static func shards(_ folder: String) -> [String] { FileCalls.names(in: folder).filter { $0.utf8.count == 2 } }

    private func entries(_ folder: String) -> [FileFacts] {
        Self.shards(folder).flatMap { shard in
            FileCalls.names(in: "\(folder)/\(shard)").compactMap { FileCalls.facts("\(folder)/\(shard)/\($0)") }
        }
    }

    private static func sum(_ files: [FileFacts], capacity: Int? = nil) -> StoreStatistics {
        StoreStatistics(count: files.count, bytes: files.reduce(0) { $0 + $1.size }, capacity: capacity)
    }

    private func delete(_ files: [FileFacts]) -> StoreStatistics {
        files.reduce(into: StoreStatistics()) { gone, file in
            if discard(file) { gone += StoreStatistics(count: 1, bytes: file.size) }
        }
    }

    /// Deletes a file that was looked at before, but not the one that somebody has written in its place since: what is taken away is looked at
    /// once more, and goes back if it is another.
    /// - Returns: whether it is gone.
    @discardableResult
    func discard(_ seen: FileFacts) -> Bool {
        guard FileCalls.facts(seen.path)?.isSame(as: seen) ?? false else { return false }
        let aside = "\(path)/tmp/\(Digest.randomHex(bytes: 12))"
        guard Glibc.rename(seen.path, aside) == 0 else { return false }
        let isIt = FileCalls.facts(aside)?.isSame(as: seen) ?? false
        // Where a third one lies by now, that one is the newest.
        if !isIt { link(aside, seen.path) }
        unlink(aside)
        return isIt
    }
}
