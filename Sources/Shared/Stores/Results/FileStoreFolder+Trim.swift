import Glibc
import Synchronization
import TintypeCore

/// The files that go: cleared ones, those above the limits, and writes that were abandoned. Also the walk over all files.
extension FileStoreFolder {
    /// Removes everything at once: moves it to the trash and counts it there. `emptyTrash` deletes it.
    func clear() -> StoreStatistics {
        let heap = "\(path)/trash/\(Digest.randomHex(bytes: 8))"
        // A full disk may have no room for a folder; then delete the files one by one. No parent folder is made: the volume may be unmounted.
        guard makeFolders() == nil, mkdir(heap, 0o750) == 0 else { return delete(entries(path)) }
        for shard in Self.shards(path) { Glibc.rename("\(path)/\(shard)", "\(heap)/\(shard)") }
        tally.withLock { $0 = Tally() }
        var cleared = StoreStatistics()
        visit(heap) { cleared.add($0) }
        return cleared
    }

    /// Deletes some of the cleared files, so that other calls get their turn.
    /// - Returns: whether there are more.
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

    /// Removes images above the limits. Only one of the processes that share the folder trims at a time; the others skip it.
    /// - Parameters:
    ///   - interval: if any process has trimmed within so many seconds, nothing is done.
    ///   - bytes: the bytes of a write that `minFree` has to be kept after.
    /// - Returns: the removed images.
    func trim(unlessWithin interval: Double = 0, before bytes: Int = 0) -> StoreStatistics {
        guard
            tally.withLock({ tally in
                tally.isTrimDue = false
                defer { tally.isTrimming = true }
                return !tally.isTrimming
            })
        else { return StoreStatistics() }
        defer { tally.withLock { $0.isTrimming = false } }
        // Files to delete are first moved to one of these folders.
        guard makeFolders() == nil else { return StoreStatistics() }
        // The descriptor still refers to a volume that is unmounted from here on, so no lock file is made on the disk below.
        let directory = open(path, O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return StoreStatistics() }
        defer { close(directory) }
        guard faccessat(directory, "trash", F_OK, 0) == 0 else { return StoreStatistics() }
        let lock = openat(directory, "lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o640)
        guard lock >= 0 else { return StoreStatistics() }
        // The death of a process releases the lock.
        defer { close(lock) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { return StoreStatistics() }
        let now = clock.now
        if interval > 0, let last = FileCalls.facts(path + "/lock")?.end, (now - interval...now).contains(last) { return StoreStatistics() }
        removeAbandoned()
        let free = FileCalls.freeBytes(path).map { $0 - bytes }
        var (left, removed) = (StoreStatistics(), StoreStatistics())
        visit(path) { file in
            if limits.isOver(file, at: now), discard(file) { removed.add(file) } else { left.add(file) }
        }
        // Only a folder that is too full is read again, to put its files in order.
        if limits.areExceeded(by: left, free: free, freed: removed.bytes) {
            let all = entries(path)
            let more = delete(limits.doomed(all, at: now, free: free, freed: removed.bytes))
            left = StoreStatistics()
            for file in all { left.add(file) }
            left.count -= more.count
            left.bytes -= more.bytes
            removed += more
        }
        tally.withLock { tally in
            (tally.isKnown, tally.found, tally.written) = (true, left, StoreStatistics())
        }
        futimens(lock, nil)
        return removed
    }

    /// Ensures the free disk space of the limits, whoever has used it.
    func makeRoom(_ bytes: Int) throws(TintypeError) {
        func lacks() -> Bool { limits.freeBytes.map { least in FileCalls.freeBytes(path).map { $0 < least + bytes } ?? false } ?? false }
        guard lacks() else { return }
        _ = trim(before: bytes)
        guard lacks() else { return }
        throw .storeFailed(
            "The disk of the result store has less free space than minFree.", cause: "minFree=\(limits.freeBytes.map(ByteSize.text) ?? "")",
            retryable: true)
    }

    /// Returns whether the limits may be exceeded by now. The next walk counts the writes of others: after each twentieth of a limit, and each interval.
    func isTrimDue(written bytes: Int) -> Bool {
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

    /// Removes temporary files that are an hour old. Their writer was killed.
    func removeAbandoned() {
        let limit = clock.now - 3600
        for name in FileCalls.names(in: path + "/tmp") {
            if let facts = FileCalls.facts("\(path)/tmp/\(name)"), facts.lastRead < limit { unlink(facts.path) }
        }
    }

    private static func shards(_ folder: String) -> [String] { FileCalls.names(in: folder).filter { $0.utf8.count == 2 } }

    /// Calls `body` for each file, and keeps none of them: a folder may have millions.
    func visit(_ folder: String, _ body: (FileStatus) -> Void) {
        for shard in Self.shards(folder) {
            for name in FileCalls.names(in: "\(folder)/\(shard)") {
                if let file = FileCalls.facts("\(folder)/\(shard)/\(name)") { body(file) }
            }
        }
    }

    private func entries(_ folder: String) -> [FileStatus] {
        var files: [FileStatus] = []
        visit(folder) { files.append($0) }
        return files
    }

    private func delete(_ files: [FileStatus]) -> StoreStatistics {
        var gone = StoreStatistics()
        for file in files where discard(file) { gone.add(file) }
        return gone
    }
}
