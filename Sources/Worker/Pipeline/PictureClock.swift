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
    private var isHeld = false

    /// - Parameters:
    ///   - deadline: when the picture must be done.
    ///   - isCancelled: asked at most fifty times a second.
    ///   - onProgress: told at most ten times a second and when a phase begins; of pictures that are done in no time, nothing.
    package init(
        deadline: ContinuousClock.Instant, isCancelled: @escaping () -> Bool = { false },
        onProgress: @escaping (PictureFailure.Phase, Double) -> Void = { _, _ in }
    ) {
        self.deadline = deadline
        self.isCancelled = isCancelled
        self.onProgress = onProgress
        let now = ContinuousClock.now
        nextLook = min(now + Self.firstLook, deadline)
        nextReport = now
    }

    /// A look costs a call of the kernel, a report wakes the worker: most pictures are done before either is worth it.
    private static let firstLook = Duration.milliseconds(10)
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
    ///   - fraction: how far it is, 0…1.
    func goesOn(_ phase: PictureFailure.Phase, _ share: ClosedRange<Double>, _ fraction: Double) -> Bool {
        goOn(phase, share.lowerBound + fraction * (share.upperBound - share.lowerBound))
    }

    private func goOn(_ phase: PictureFailure.Phase, _ fraction: Double) -> Bool {
        guard stopped == nil else { return false }
        let now = ContinuousClock.now
        guard now >= nextLook else { return true }
        nextLook = now + .milliseconds(20)
        if now >= deadline { stopped = .timeout } else if isCancelled() { stopped = .cancelled }
        if now >= nextReport || phase != reported {
            nextReport = now + .milliseconds(100)
            reported = phase
            onProgress(phase, fraction)
        }
        return stopped == nil
    }
}
