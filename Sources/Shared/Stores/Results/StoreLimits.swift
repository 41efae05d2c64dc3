import TintypeCore

/// How much a store of files may hold; what is nil is not limited. Pure.
package struct StoreLimits: Sendable, Hashable {
    /// What an age is counted from.
    package enum Age: String, Sendable, CaseIterable { case access, creation }

    /// `maxBytes`
    package var bytes: Int?
    /// `maxCount`
    package var count: Int?
    /// `maxAge`, in seconds.
    package var age: Double?
    /// `ageBy`
    package var ageBy = Age.access
    /// `maxPinned`: bytes of what is spared where bytes, number or free disk exceed a limit; nil: a quarter of `maxBytes`, or 1 GiB without it.
    package var pinnedBytes: Int?
    /// `minFree`: what is left free on the disk at least.
    package var freeBytes: Int?

    package init(bytes: Int? = nil, count: Int? = nil, age: Double? = nil, ageBy: Age = .access, freeBytes: Int? = nil, pinnedBytes: Int? = nil) {
        (self.bytes, self.count, self.age, self.ageBy, self.freeBytes) = (bytes, count, age, ageBy, freeBytes)
        self.pinnedBytes = pinnedBytes
    }

    /// What is left of a limit that was exceeded: so much that not every write after it is one too many again.
    static func lowWater(_ limit: Int) -> Int { limit / 5 * 4 + limit % 5 * 4 / 5 }

    /// Whether an image may not be used any more for its age.
    func isTooOld(storedAt: Double, lastRead: Double, at now: Double) -> Bool {
        guard let age else { return false }
        return (ageBy == .access ? lastRead : storedAt) + age <= now
    }

    /// When an image written now ends: by its own time or by the age that counts from its creation.
    func end(expiresAt: Double?, at now: Double) -> Double? {
        let byAge = ageBy == .creation ? age.map { now + $0 } : nil
        return [expiresAt, byAge].compactMap { $0 }.min()
    }

    /// What has to go of what lies there: all whose time is over, then, where a limit is exceeded, those that were not read for longest,
    /// until its low water is reached.
    /// - Parameter free: bytes free on the disk; nil if unknown.
    func doomed(_ files: [FileFacts], at now: Double, free: Int?) -> [FileFacts] {
        var doomed: [FileFacts] = []
        var kept: [FileFacts] = []
        for file in files {
            let isOver = file.end <= now || ageBy == .access && isTooOld(storedAt: now, lastRead: file.lastRead, at: now)
            if isOver { doomed.append(file) } else { kept.append(file) }
        }
        var bytes = kept.reduce(0) { $0 + $1.size }
        var count = kept.count
        var missing = 0
        if let freeBytes, let free, free < freeBytes { missing = freeBytes + freeBytes / 4 - free - doomed.reduce(0) { $0 + $1.size } }
        let mostBytes = self.bytes.map { bytes > $0 ? Self.lowWater($0) : $0 } ?? .max
        let mostCount = self.count.map { count > $0 ? Self.lowWater($0) : $0 } ?? .max
        guard bytes > mostBytes || count > mostCount || missing > 0 else { return doomed }
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

    /// All but the pinned ones that there is room for, those read last before others. Half of each limit stays for what is not pinned: else there
    /// would be too much for ever, and every write would look for what may go.
    /// - Parameter files: those read longest ago first.
    private func unspared(of files: [FileFacts]) -> [FileFacts] {
        var room = min(pinnedBytes ?? bytes.map { $0 / 4 } ?? 1 << 30, bytes.map { $0 / 2 } ?? .max)
        var places = count.map { $0 / 2 } ?? .max
        var others: [FileFacts] = []
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
