package import Shared

/// The bytes of sources and results that a worker holds at once. Above the budget downloads pause until pixels catch up.
///
/// Where downloads alone fill it the oldest is not held back, so that there is always one that will end and give its bytes back; what one
/// source may have on top is bounded by its own limit. While sources that have come whole are held, they give theirs back first.
/// Lives on the loop.
@Loop package final class ByteBudget {
    /// What one fetch holds. Given back when it is released or dropped.
    @Loop package final class Share {
        package let gate = TransferGate()
        private(set) var bytes = 0
        fileprivate var isPaused = false
        fileprivate var isDownloading = false
        /// Nobody waits for it: it comes after all others.
        fileprivate let yields: Bool
        /// How many other downloads its fetch waits for before it can give these back.
        fileprivate var needs = 0
        private weak var budget: ByteBudget?

        fileprivate init(_ budget: ByteBudget, yields: Bool) { (self.budget, self.yields) = (budget, yields) }

        /// Asks for room for the next bytes of a download.
        /// - Returns: false when the download has to pause; its gate opens when it may ask again.
        package func take(_ count: Int) -> Bool {
            guard let budget, budget.admits(self, count) else { return false }
            add(count)
            return true
        }

        /// Counts bytes that are there already, such as results.
        package func add(_ count: Int) {
            bytes += count
            budget?.used += count
        }

        /// Gives back what was counted so far; the download may begin anew.
        package func giveBack() {
            budget?.used -= bytes
            bytes = 0
            budget?.wake()
        }

        /// A share of the same budget, for a download that nobody waits for: it is always held back where there is no room.
        package func another() -> Share { budget?.begin(yields: true) ?? self }

        /// Says that a download begins again with this share.
        package func beginDownload() { budget?.join(self) }

        /// Says that the download is over: the next one takes its place as the one that is never held back.
        package func endDownload() { budget?.leave(self) }

        /// Says that what is held here is needed until another download has ended, so that it must not wait for these bytes.
        package func awaitMore() {
            needs += 1
            budget?.wake()
        }

        /// Says that this download has ended.
        package func haveMore() { needs -= 1 }

        /// Gives everything back.
        package func release() {
            budget?.leave(self)
            giveBack()
        }

        isolated deinit {
            release()
            budget?.shares[ObjectIdentifier(self)] = nil
        }
    }

    package let capacity: Int
    package fileprivate(set) var used = 0
    /// Downloads under way, the oldest first.
    private var downloads: [Weak] = []
    /// All there are.
    private var shares: [ObjectIdentifier: Weak] = [:]

    private struct Weak { weak var share: Share? }

    package init(capacity: Int) { self.capacity = capacity }

    /// How many downloads are held back now.
    package var pausedDownloads: Int { downloads.count { $0.share?.isPaused == true } }

    /// A share for a download that begins now.
    package func begin() -> Share { begin(yields: false) }

    fileprivate func begin(yields: Bool) -> Share {
        let share = Share(self, yields: yields)
        shares[ObjectIdentifier(share)] = Weak(share: share)
        join(share)
        return share
    }

    private func join(_ share: Share) {
        guard !share.isDownloading else { return }
        share.isDownloading = true
        downloads.append(Weak(share: share))
    }

    private func admits(_ share: Share, _ count: Int) -> Bool {
        let fits = used + count <= capacity || share === oldest && !isDraining
        share.isPaused = !fits
        return fits
    }

    /// The download that goes on without room, unless there will be some anyway.
    private var oldest: Share? { downloads.lazy.compactMap(\.share).first { !$0.yields } }

    /// Whether somebody holds bytes who waits for no download, and so will give them back.
    private var isDraining: Bool {
        shares.values.contains { one in one.share.map { $0.bytes > 0 && $0.needs == 0 && !$0.isDownloading } ?? false }
    }

    fileprivate func leave(_ share: Share) {
        guard share.isDownloading else { return }
        share.isDownloading = false
        let before = downloads.count
        downloads.removeAll { $0.share == nil || $0.share === share }
        if downloads.count != before { wake() }
    }

    /// Lets paused downloads ask again, the oldest first, while there is room.
    fileprivate func wake() {
        let privileged = used < capacity || isDraining ? nil : oldest
        for case let share? in downloads.map(\.share) where share.isPaused && (used < capacity || share === privileged) {
            share.isPaused = false
            share.gate.open()
        }
    }
}
