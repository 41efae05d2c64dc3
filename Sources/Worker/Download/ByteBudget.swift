package import Shared

/// The bytes of sources and results that a worker holds at once. Above the budget downloads pause until pixels catch up.
///
/// The oldest download is never held back, so that there is always one that will end and give its bytes back; what one
/// source may have on top is bounded by its own limit. Lives on the loop.
@Loop package final class ByteBudget {
    /// What one fetch holds. Given back when it is released or dropped.
    @Loop package final class Share {
        package let gate = TransferGate()
        private(set) var bytes = 0
        fileprivate var isPaused = false
        private weak var budget: ByteBudget?

        fileprivate init(_ budget: ByteBudget) { self.budget = budget }

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

        /// A share of the same budget, for a download that nobody waits for: held back like any other.
        package func another() -> Share { budget?.begin() ?? self }

        /// Says that a download begins again with this share.
        package func beginDownload() { budget?.join(self) }

        /// Says that the download is over: the next one takes its place as the one that is never held back.
        package func endDownload() { budget?.leave(self) }

        /// Gives everything back.
        package func release() {
            budget?.leave(self)
            giveBack()
        }

        isolated deinit { release() }
    }

    package let capacity: Int
    package fileprivate(set) var used = 0
    /// Downloads under way, the oldest first.
    private var downloads: [Weak] = []

    private struct Weak { weak var share: Share? }

    package init(capacity: Int) { self.capacity = capacity }

    /// How many downloads are held back now.
    package var pausedDownloads: Int { downloads.count { $0.share?.isPaused == true } }

    /// A share for a download that begins now.
    package func begin() -> Share {
        let share = Share(self)
        join(share)
        return share
    }

    private func join(_ share: Share) {
        if !downloads.contains(where: { $0.share === share }) { downloads.append(Weak(share: share)) }
    }

    private func admits(_ share: Share, _ count: Int) -> Bool {
        let fits = used + count <= capacity || downloads.first?.share === share
        share.isPaused = !fits
        return fits
    }

    fileprivate func leave(_ share: Share) {
        let before = downloads.count
        downloads.removeAll { $0.share == nil || $0.share === share }
        if downloads.count != before { wake() }
    }

    /// Lets paused downloads ask again, the oldest first, while there is room.
    fileprivate func wake() {
        for (index, one) in downloads.enumerated() where one.share?.isPaused == true && (used < capacity || index == 0) {
            one.share?.isPaused = false
            one.share?.gate.open()
        }
    }
}
