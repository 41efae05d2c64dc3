package import ImageHeads

/// The time left for one picture, and who is told how far it is. Belongs to the thread that works on the picture.
package final class PictureClock {
    private let deadline: ContinuousClock.Instant
    private let isCancelled: () -> Bool
    private let onProgress: (PictureFailure.Phase, Double) -> Void
    private var nextLook: ContinuousClock.Instant
    /// Why the last computation was stopped, if this clock stopped it.
    package private(set) var stopped: PictureFailure.Reason?

    /// Told when work of another phase begins, before any of it is done: whoever outlives a crash knows where it was.
    package var onPhase: ((PictureFailure.Phase) -> Void)?
    private var begun: PictureFailure.Phase?
    /// The most that was reported: what is done again, or beside the picture, takes nothing back.
    private var reached = 0.0
    private var isHeld = false

    /// - Parameters:
    ///   - deadline: when the picture must be done.
    ///   - isCancelled: asked at most fifty times a second.
    ///   - interval: between two reports of one phase.
    ///   - onProgress: told now and then, and when a phase begins, how much of all the work is done, 0…1: never less than before. Of pictures that are
    ///     done in no time, nothing.
    package init(
        deadline: ContinuousClock.Instant, isCancelled: @escaping () -> Bool = { false }, interval: Duration = .milliseconds(100),
        onProgress: @escaping (PictureFailure.Phase, Double) -> Void = { _, _ in }
    ) {
        self.deadline = deadline
        self.isCancelled = isCancelled
        self.onProgress = onProgress
        self.interval = interval
        let now = ContinuousClock.now
        nextLook = min(now + min(Self.firstLook, interval), deadline)
        nextReport = now
    }

    /// A look costs a call of the kernel, a report wakes the worker: most pictures are done before either is worth it.
    private static let firstLook = Duration.milliseconds(10)
    private let interval: Duration
    private var nextReport: ContinuousClock.Instant
    private var reported: PictureFailure.Phase?

    /// What comes next is of this phase. Costs nothing where it was before.
    func begin(_ phase: PictureFailure.Phase) {
        guard phase != begun, !isHeld else { return }
        begun = phase
        onPhase?(phase)
    }

    /// Has all that `body` does count as of one phase: another picture is decoded while this one is changed.
    func holding<Made>(_ phase: PictureFailure.Phase, _ body: () throws(PictureFailure) -> Made) throws(PictureFailure) -> Made {
        begin(phase)
        let outer = isHeld
        isHeld = true
        defer { isHeld = outer }
        return try body()
    }

    /// What comes next takes long: the next check looks and reports in any case.
    package func expectWork() { nextLook = .now }

    /// Between steps: goes on, or throws `timeout` or `cancelled`.
    package func check(_ phase: PictureFailure.Phase, _ fraction: Double = 0) throws(PictureFailure) {
        guard !goOn(phase, fraction) else { return }
        throw failure(phase)
    }

    /// What stopped the work, as an error.
    package func failure(_ phase: PictureFailure.Phase) -> PictureFailure {
        stopped == .cancelled
            ? PictureFailure(.cancelled, phase, "nobody waits for it any more")
            : PictureFailure(.timeout, phase, "the time for this picture is used up")
    }

    /// Watches a computation of libvips: it is stopped when the time is up.
    package func watcher(_ phase: PictureFailure.Phase, _ share: ClosedRange<Double> = 0...1) -> VipsWatcher {
        VipsWatcher { self.goesOn(phase, share, $0) }
    }

    /// Asked during a computation of our own.
    /// - Parameters:
    ///   - share: which part of all the work it is.
    ///   - fraction: how far it is, 0…1; codecs count the lines that fill up the last block, too.
    func goesOn(_ phase: PictureFailure.Phase, _ share: ClosedRange<Double>, _ fraction: Double) -> Bool {
        goOn(phase, share.lowerBound + min(max(fraction, 0), 1) * (share.upperBound - share.lowerBound))
    }

    private func goOn(_ phase: PictureFailure.Phase, _ fraction: Double) -> Bool {
        guard stopped == nil else { return false }
        let now = ContinuousClock.now
        guard now >= nextLook else { return true }
        nextLook = now + min(.milliseconds(20), interval)
        if now >= deadline { stopped = .timeout } else if isCancelled() { stopped = .cancelled }
        if now >= nextReport || phase != reported {
            nextReport = now + interval
            reported = phase
            reached = max(reached, fraction)
            onProgress(phase, reached)
        }
        return stopped == nil
    }
}

/// A part of the work, as it is shared out. Reading and changing a picture is the first half of it, encoding the second.
extension ClosedRange<Double> {
    func part(_ index: Int, of count: Int) -> ClosedRange<Double> {
        let width = (upperBound - lowerBound) / Double(Swift.max(1, count))
        let start = lowerBound + width * Double(Swift.min(index, count))
        return start...Swift.max(start, Swift.min(start + width, upperBound))
    }
    var firstHalf: ClosedRange<Double> { part(0, of: 2) }
    var secondHalf: ClosedRange<Double> { part(1, of: 2) }
}
