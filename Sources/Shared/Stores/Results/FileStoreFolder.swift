import Glibc
import Synchronization
import TintypeCore
import TintypeImages

/// The files of a `FileStore`. Every call blocks and runs on a thread of the pool.
///
/// - `directory/ab/abcdef…`: one image (`StoredImageCodec`).
///   - Its access time is its last read.
///   - Its modification time, mostly in the future, is its expiry.
///   - Its mode says whether it is spilled, or pinned.
/// - `directory/tmp/…`: writes under way.
/// - `directory/trash/…`: cleared files that are not deleted yet.
/// - `directory/lock`: locked while one process trims. Its modification time is the last trim.
final class FileStoreFolder: Sendable {
    let path: String
    let limits: StoreLimits
    private let volume: StoreVolume
    /// Epoch seconds.
    let clock: WallClock
    /// The estimated content of the folder.
    let tally = Mutex(Tally())

    /// The result of the last walk, and the writes of this process since.
    struct Tally {
        var isKnown = false
        var found = StoreStatistics()
        var written = StoreStatistics()
        var isTrimming = false
        /// A caller has to trim, and has not begun yet.
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

    /// Makes missing folders. Not only at the start: if an operator empties the folder by hand, these are deleted too.
    func makeFolders() -> SystemError? {
        if access(path + "/tmp", F_OK) == 0, access(path + "/trash", F_OK) == 0 { return nil }
        return volume.isGone(StoreVolume.device) ? SystemError(code: ENODEV) : Self.makeFolders(path)
    }

    /// Returns the path of the image of `key`. A key that is no plain digest is replaced by its digest, so no key can name another file.
    func file(_ key: String) -> String { StoredImageCodec.path(of: key, in: path) }

    /// Writes an image.
    /// - Returns: whether to trim now. The answer is true only once until that trim has begun.
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
                    : error.code == ENODEV ? "The volume of the result store is no longer mounted." : "The result could not be written.",
                cause: error.words,
                retryable: full || error.code == EMFILE || error.code == ENFILE || error.code == EIO)
        }
        return isTrimDue(written: count)
    }

    private func place(_ parts: [[UInt8]], at target: String, end: Double?, isHeld: Bool) throws(SystemError) {
        let temporary = "\(path)/tmp/\(Digest.randomHex(bytes: 12))"
        // An image that replaces a pinned one is pinned too.
        let isPinned = !isHeld && FileCalls.facts(target)?.isPinned == true
        do throws(SystemError) {
            try FileCalls.write(parts, to: temporary, end: end, isHeld: isHeld, isPinned: isPinned)
            try FileCalls.rename(temporary, to: target)
        } catch {
            unlink(temporary)
            throw error
        }
    }

    func read(_ key: String) throws(TintypeError) -> StoreLookup { try opened(key).lookup }

    /// Reads an image, and keeps its file open.
    /// - Returns: the image, or the reason for which there is none. The file is nil if its bytes have to be checked at each read (`VerifiedFile`).
    func opened(_ key: String) throws(TintypeError) -> (lookup: StoreLookup, file: VerifiedFile?) {
        let path = file(key)
        let bytes: [UInt8]
        let facts: FileStatus
        let file: OpenFile
        let start = WallClock.now
        do throws(SystemError) {
            file = try OpenFile(path)
            facts = try file.status()
            bytes = try file.read(0..<facts.size)
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return (.absent, nil) }
            throw .storeFailed("The result could not be read.", cause: error.words, retryable: true)
        }
        let now = clock.now
        guard let image = StoredImageCodec.decode(bytes, key: key) else {
            discard(facts)
            return (.unreadable, nil)
        }
        guard image.isFresh(at: now), !isTooOld(image, facts, at: now) else {
            discard(facts)
            return (image.isHeld ? .absent : .expired, nil)
        }
        FileCalls.markRead(path)
        return (.found(image), VerifiedFile(path, file, image, before: facts, at: start))
    }

    private func isTooOld(_ image: StoredImage, _ facts: FileStatus, at now: Double) -> Bool {
        limits.isTooOld(storedAt: image.storedAt, lastRead: facts.lastRead, at: now)
    }

    /// Returns whether an image whose file is open may still be used, and whether the read has to be noted.
    func judge(_ image: StoredImage, _ facts: FileStatus) -> (isUsable: Bool, isMarkDue: Bool) {
        let now = clock.now
        return (image.isFresh(at: now) && !isTooOld(image, facts, at: now), FileCalls.isMarkDue(facts, at: now))
    }

    /// Returns whether there is a file that has its stated length and has not expired.
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

    /// Pins or unpins an image.
    /// - Returns: whether the image exists and is kept.
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

    /// Removes the image that has this mark, but not an image that was put in its place since.
    /// - Returns: whether it is gone.
    func remove(_ mark: StoredMark) -> Bool {
        guard let (head, facts) = try? FileCalls.read(file(mark.key), upTo: StoredImageCodec.prefixLength), head == mark.bytes else { return false }
        return discard(facts)
    }

    func statistics() -> StoreStatistics {
        var all = StoreStatistics(capacity: limits.bytes)
        visit(path) { if !$0.isHeld { all.add($0) } }
        return all
    }

    /// Deletes a file that was read before, but not a file that another process has written in its place since. The removed file is checked once more,
    /// and restored if it is another one.
    /// - Returns: whether the file is gone.
    @discardableResult
    func discard(_ seen: FileStatus) -> Bool {
        guard FileCalls.facts(seen.path)?.isSame(as: seen) ?? false else { return false }
        let aside = "\(path)/tmp/\(Digest.randomHex(bytes: 12))"
        guard Glibc.rename(seen.path, aside) == 0 else { return false }
        let isIt = FileCalls.facts(aside)?.isSame(as: seen) ?? false
        // If a third file is there by now, that one is the newest.
        if !isIt { link(aside, seen.path) }
        unlink(aside)
        return isIt
    }
}

extension StoreStatistics {
    /// Counts a file.
    mutating func add(_ file: FileStatus) { self += StoreStatistics(count: 1, bytes: file.size) }
}
