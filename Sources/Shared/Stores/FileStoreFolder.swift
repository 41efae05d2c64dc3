import Glibc
import Synchronization

/// The files of a `FileStore`: every call blocks and runs on a thread of the pool.
///
///     directory/ab/abcdef…   one image (`StoredImageCodec`); its access time is when it was last read
///     directory/tmp/…        writes that are going on
///     directory/lock         held while one process purges
final class FileStoreFolder: Sendable {
    let path: String
    private let maxBytes: Int?
    /// Bytes written since the folder was last measured; nil before the first time.
    private let unmeasured = Mutex<Int?>(nil)

    init(path: String, maxBytes: Int?) throws(TintypeError) {
        self.path = path
        self.maxBytes = maxBytes
        for folder in [path, path + "/tmp"] {
            if let failure = FileCalls.makeFolders(folder) {
                throw .storeFailed("Cannot make the folder \(folder) of the result store.", cause: failure.words, retryable: false)
            }
        }
        guard access(path + "/tmp", W_OK) == 0 else {
            throw .storeFailed("Cannot write in the folder \(path) of the result store.", cause: SystemError.last().words, retryable: false)
        }
        removeAbandoned()
    }

    /// Where the image of `key` is. Keys that are no plain digest get one, so a key can never name another file.
    func file(_ key: String) -> String {
        let isDigest = (16...128).contains(key.utf8.count) && key.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        let name = isDigest ? key : Digest.sha256Hex(Array(key.utf8))
        return "\(path)/\(name.prefix(2))/\(name)"
    }

    func write(_ image: StoredImage) throws(TintypeError) {
        let target = file(image.key)
        let bytes = StoredImageCodec.encode(image)
        let temporary = "\(path)/tmp/\(Digest.randomHex(bytes: 12))"
        do throws(SystemError) {
            try FileCalls.write(bytes, to: temporary)
            try FileCalls.rename(temporary, to: target)
        } catch {
            unlink(temporary)
            let full = [ENOSPC, EDQUOT, EFBIG].contains(error.code)
            throw .storeFailed(
                full ? "The disk of the result store is full." : "The result could not be written.", cause: error.words,
                retryable: full || error.code == EMFILE || error.code == ENFILE || error.code == EIO)
        }
        purgeIfDue(written: bytes.count)
    }

    func read(_ key: String) throws(TintypeError) -> StoredImage? {
        let file = file(key)
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileCalls.read(file)
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return nil }
            throw .storeFailed("The result could not be read.", cause: error.words, retryable: true)
        }
        guard let image = StoredImageCodec.decode(bytes, key: key), image.isFresh(at: Timestamp.now().seconds) else {
            unlink(file)
            return nil
        }
        FileCalls.markRead(file)
        return image
    }

    func contains(_ key: String) -> Bool {
        access(file(key), R_OK) == 0
    }

    func remove(_ key: String) -> Int {
        let file = file(key)
        let size = FileCalls.facts(file)?.size ?? 0
        return unlink(file) == 0 ? size : 0
    }

    func clear() -> StoreStatistics {
        var freed = StoreStatistics(capacity: maxBytes)
        for entry in entries() where unlink(entry.path) == 0 {
            freed.count += 1
            freed.bytes += entry.size
        }
        unmeasured.withLock { $0 = nil }
        return freed
    }

    func statistics() -> StoreStatistics {
        let all = entries()
        return StoreStatistics(count: all.count, bytes: all.reduce(0) { $0 + $1.size }, capacity: maxBytes)
    }

    private func entries() -> [FileFacts] {
        FileCalls.names(in: path).filter { $0.count == 2 }.flatMap { shard in
            FileCalls.names(in: "\(path)/\(shard)").compactMap { FileCalls.facts("\(path)/\(shard)/\($0)") }
        }
    }

    private func purgeIfDue(written: Int) {
        guard let maxBytes else { return }
        let isDue = unmeasured.withLock { since in
            let total = since.map { $0 + written } ?? Int.max
            since = total >= maxBytes / 20 ? 0 : total
            return total >= maxBytes / 20
        }
        if isDue { purge(to: maxBytes) }
    }

    /// Removes the least recently read until 80 % of `limit` is left, if more than `limit` is there. One process at a time.
    private func purge(to limit: Int) {
        let lock = open(path + "/lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o640)
        guard lock >= 0 else { return }
        defer { close(lock) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { return }
        var all = entries()
        var total = all.reduce(0) { $0 + $1.size }
        guard total > limit else { return }
        all.sort { $0.lastRead < $1.lastRead }
        for entry in all where total > limit / 5 * 4 {
            if unlink(entry.path) == 0 { total -= entry.size }
        }
    }

    /// Temporary files an hour old belong to nobody any more: their writer was killed.
    private func removeAbandoned() {
        let limit = Timestamp.now().seconds - 3600
        for name in FileCalls.names(in: path + "/tmp") {
            if let facts = FileCalls.facts("\(path)/tmp/\(name)"), facts.modified < limit { unlink(facts.path) }
        }
    }
}
