package import TintypeTransport

/// The bytes of sources, other pictures and results that a worker holds at once. Above the budget downloads pause until pixels catch up.
///
/// While fetches that have all they need are made, the others wait for their bytes. Else the oldest fetch goes on, beyond the budget by its largest source
/// and no more, so that there is always one that will end. Where that is not enough because younger ones hold theirs and wait, too, the youngest
/// gives up its own and is begun anew later. A fetch whose pictures would not fit even if it were alone is refused.
/// Lives on the loop.
@Loop package final class ByteBudget {
    package let capacity: Int
    /// Bytes held now.
    package private(set) var used = 0
    /// Downloads under way, in the order in which they began.
    private var downloads: [Weak] = []
    /// All there are.
    private var shares: [ObjectIdentifier: Weak] = [:]
    private var lastAge = 0
    /// Shares that something comes for at once, of a size that nobody knows yet.
    private var arriving = 0

    /// Bytes that what comes at once is taken for until it is there: what a source may have, unless its request says otherwise.
    private static let arrival = 64 << 20

    private struct Weak { weak var share: ByteShare? }

    /// - Parameter capacity: in bytes.
    package init(capacity: Int) { self.capacity = capacity }

    /// How many downloads are held back now.
    package internal(set) var pausedDownloads = 0

    /// The share of a fetch whose download begins now.
    package func begin() -> ByteShare { begin(of: nil, yields: false) }

    /// - Parameters:
    ///   - owner: the fetch's own share; nil for a share that is one.
    ///   - yields: whether nobody waits for it.
    func begin(of owner: ByteShare?, yields: Bool) -> ByteShare {
        lastAge += 1
        let share = ByteShare(self, of: owner, age: lastAge, yields: yields)
        shares[ObjectIdentifier(share)] = Weak(share: share)
        join(share)
        return share
    }

    func forget(_ share: ByteShare) {
        shares[ObjectIdentifier(share)] = nil
        if share.isPaused { pausedDownloads -= 1 }
    }

    func join(_ share: ByteShare) {
        guard !share.isDownloading else { return }
        share.isDownloading = true
        downloads.append(Weak(share: share))
    }

    func leave(_ share: ByteShare) {
        guard share.isDownloading else { return }
        (share.isDownloading, share.isPaused) = (false, false)
        downloads.removeAll { $0.share == nil || $0.share === share }
        wake()
    }

    func count(_ bytes: Int) {
        used += bytes
        if bytes < 0 { wake() }
    }

    // MARK: Who goes on

    /// Whether so many more bytes of a download may be taken now. Where not, the download is paused.
    func admits(_ share: ByteShare, _ count: Int) -> Bool {
        guard share.end == nil else { return false }
        let fits = used + count <= capacity || share.owner === privileged && !isDraining && used + count - largest(of: share, with: count) <= capacity
        (share.isPaused, share.wanted) = (!fits, count)
        if !fits { makeProgress() }
        return fits
    }

    /// The same for what comes at once. As long as little is held several may come together.
    func admitsArrival(_ share: ByteShare) -> Bool {
        guard arriving == 0 || used + (arriving + 1) * Self.arrival <= capacity else {
            (share.isPaused, share.wanted) = (true, 1)
            return false
        }
        guard admits(share, 1) else { return false }
        arriving += 1
        return true
    }

    /// It is there and counted, or will not come.
    func arrived() {
        arriving -= 1
        wake()
    }

    /// The oldest fetch that downloads something which somebody waits for.
    private var privileged: ByteShare? {
        downloads.lazy.compactMap(\.share).filter { !$0.yields && $0.end == nil }.map(\.owner).min { $0.age < $1.age }
    }

    /// Whether somebody holds bytes that will be given back although nothing more is downloaded.
    private var isDraining: Bool { all.contains { $0.holds && ($0.owner.end != nil || $0.owner.needs == 0 && !$0.isDownloading) } }

    private var all: some Sequence<ByteShare> { shares.values.lazy.compactMap(\.share) }

    /// Bytes of the largest source of a fetch, if `share`, one of its own, gets so many more.
    private func largest(of share: ByteShare, with count: Int = 0) -> Int {
        all.lazy.filter { $0.owner === share.owner }.map { $0.sources + ($0 === share ? count : 0) }.max() ?? 0
    }

    /// Whether the pictures of a fetch alone, but for the largest, are more than the budget.
    func isExceeded(by share: ByteShare, with count: Int = 0) -> Bool {
        let own = all.lazy.filter { $0.owner === share.owner }.reduce(0) { $0 + $1.bytes }
        return own + count - largest(of: share, with: count) > capacity
    }

    /// Where nobody gives anything back and the oldest fetch has no room: the youngest of the others that hold something lets go of that, as soon as
    /// none of them goes on by itself.
    private func makeProgress() {
        guard arriving == 0, pausedDownloads > 0, let first = privileged, !isDraining, let stuck = all.first(where: { $0.owner === first && $0.isPaused })
        else { return }
        if isExceeded(by: stuck, with: stuck.wanted) { return end(stuck, .refused) }
        let others = all.filter { $0.owner !== first && $0.holds && $0.owner.end == nil }
        guard others.allSatisfy({ $0.isPaused || !$0.isDownloading }), let victim = others.map(\.owner).max(by: { $0.age < $1.age }) else { return }
        end(victim, .evicted)
    }

    /// Tells all downloads of a fetch to end.
    private func end(_ share: ByteShare, _ reason: ByteShare.End) {
        share.owner.end = reason
        for one in Array(all) where one.owner === share.owner { one.open() }
    }

    /// Lets paused downloads ask again, the oldest first, while there is room.
    func wake() {
        guard pausedDownloads > 0 else { return }
        let first = used < capacity || isDraining ? nil : privileged
        for case let share? in downloads.map(\.share) where share.isPaused && (used < capacity || share.owner === first) {
            share.open()
        }
        makeProgress()
    }
}
