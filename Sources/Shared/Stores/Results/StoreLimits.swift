import TintypeCore

/// The limits of a store of files; nil for no limit. Pure.
package struct StoreLimits: Sendable, Hashable {
    /// The time from which an age is counted.
    package enum Age: String, Sendable, CaseIterable { case access, creation }

    /// `maxBytes`
    package var bytes: Int?
    /// `maxCount`
    package var count: Int?
    /// `maxAge`, in seconds.
    package var age: Double?
    /// `ageBy`
    package var ageBy = Age.access
    /// `maxPinned`: the maximum bytes of pinned images that stay when another limit is exceeded; nil: a quarter of `maxBytes`, or 1 GiB without
    /// `maxBytes`.
    package var pinnedBytes: Int?
    /// `minFree`: the minimum of free bytes on the disk.
    package var freeBytes: Int?

    package init(bytes: Int? = nil, count: Int? = nil, age: Double? = nil, ageBy: Age = .access, freeBytes: Int? = nil, pinnedBytes: Int? = nil) {
        (self.bytes, self.count, self.age, self.ageBy, self.freeBytes) = (bytes, count, age, ageBy, freeBytes)
        self.pinnedBytes = pinnedBytes
    }

    /// The amount left after trimming. It is below the limit, so that the next writes do not exceed it again.
    static func lowWater(_ limit: Int) -> Int { limit / 5 * 4 + limit % 5 * 4 / 5 }

    /// Returns whether an image is too old to be used.
    func isTooOld(storedAt: Double, lastRead: Double, at now: Double) -> Bool {
        guard let age else { return false }
        return (ageBy == .access ? lastRead : storedAt) + age <= now
    }

    /// Returns the end of an image written now: its own expiry, or the age that counts from its creation.
    func end(expiresAt: Double?, at now: Double) -> Double? {
        let byAge = ageBy == .creation ? age.map { now + $0 } : nil
        return [expiresAt, byAge].compactMap { $0 }.min()
    }

    /// Returns whether a file has expired, or was not read for too long.
    func isOver(_ file: FileStatus, at now: Double) -> Bool {
        file.end <= now || ageBy == .access && isTooOld(storedAt: now, lastRead: file.lastRead, at: now)
    }

    /// Returns how many bytes are to be freed for `minFree`; 0 or less if there is enough. A quarter more is freed, so that the next writes have room.
    /// - Parameters:
    ///   - free: bytes free on the disk; nil if unknown.
    ///   - freed: bytes that were freed since `free` was read. A disk may show them later.
    func missing(free: Int?, freed: Int) -> Int {
        guard let freeBytes, let free, free < freeBytes else { return 0 }
        return freeBytes + freeBytes / 4 - free - freed
    }

    /// Returns whether files of this number and size exceed a limit. `free` and `freed` are as above.
    func areExceeded(by files: StoreStatistics, free: Int?, freed: Int) -> Bool {
        missing(free: free, freed: freed) > 0 || bytes.map { files.bytes > $0 } ?? false || count.map { files.count > $0 } ?? false
    }

    /// Returns the files to delete. These are all expired ones. If a limit is exceeded, the files not read for longest follow, down to the low water mark.
    /// - Parameters:
    ///   - free: bytes free on the disk; nil if unknown.
    ///   - freed: bytes that were freed since `free` was read.
    func doomed(_ files: [FileStatus], at now: Double, free: Int?, freed: Int = 0) -> [FileStatus] {
        var doomed: [FileStatus] = []
        var kept: [FileStatus] = []
        for file in files {
            if isOver(file, at: now) { doomed.append(file) } else { kept.append(file) }
        }
        var bytes = kept.reduce(0) { $0 + $1.size }
        var count = kept.count
        var missing = missing(free: free, freed: freed + doomed.reduce(0) { $0 + $1.size })
        let mostBytes = self.bytes.map { bytes > $0 ? Self.lowWater($0) : $0 } ?? .max
        let mostCount = self.count.map { count > $0 ? Self.lowWater($0) : $0 } ?? .max
        kept.sort { $0.lastRead < $1.lastRead }
        for file in unspared(of: kept) {
            guard bytes > mostBytes || count > mostCount || missing > 0 else { break }
            doomed.append(file)
            bytes -= file.size
            count -= 1
            missing -= file.size
        }
        return doomed
    }

    /// Returns all files except the pinned ones that there is room for. The most recently read pinned files get the room first. Half of each limit
    /// remains for files that are not pinned. Otherwise there would be too much for ever, and every write would search for files to delete.
    /// - Parameter files: those read longest ago first.
    private func unspared(of files: [FileStatus]) -> [FileStatus] {
        var room = min(pinnedBytes ?? bytes.map { $0 / 4 } ?? 1 << 30, bytes.map { $0 / 2 } ?? .max)
        var places = count.map { $0 / 2 } ?? .max
        var others: [FileStatus] = []
        for file in files.reversed() {
            if file.isPinned, file.size <= room, places > 0 {
                room -= file.size
                places -= 1
            } else {
                others.append(file)
            }
        }
        return others.reversed()
    }
}
