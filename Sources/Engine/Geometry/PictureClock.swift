package import ImageHeads

/// The clock of one picture: its remaining time, and the reports of its progress. Belongs to the thread that works on the picture.
package final class PictureClock {
    private let deadline: ContinuousClock.Instant
    private let isCancelled: () -> Bool
    private let onProgress: (PictureFailure.Phase, Double) -> Void
    private var nextLook: ContinuousClock.Instant
    /// The reason why the last computation was stopped, if this clock stopped it.
    package private(set) var stopped: PictureFailure.Reason?

    /// Called before the work of another phase begins, so that the worker knows the phase of a crash.
    package var onPhase: ((PictureFailure.Phase) -> Void)?
    private var begun: PictureFailure.Phase?
    /// The highest reported fraction. Repeated work, and work on other pictures, does not lower it.
    private var reached = 0.0
    private var isHeld = false

    /// - Parameters:
    ///   - deadline: when the picture must be done.
    ///   - isCancelled: called at most fifty times a second.
    ///   - interval: the shortest time between two reports of one phase.
    ///   - onProgress: called now and then, and when a phase begins, with the done part of all the work, 0…1. It never falls. Very quick pictures report
    ///     nothing.
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

    /// The time before the first look. A look costs a system call, and a report wakes the worker; most pictures are done before either is worth it.
    private static let firstLook = Duration.milliseconds(10)
    private let interval: Duration
    private var nextReport: ContinuousClock.Instant
    private var reported: PictureFailure.Phase?

    /// Marks that work of this phase begins. Costs nothing if the phase is the same as before.
    package func begin(_ phase: PictureFailure.Phase) {
        guard phase != begun, !isHeld else { return }
        begun = phase
        onPhase?(phase)
    }

    /// Counts all the work of `body` as one phase: another picture is decoded while this one is changed.
    func holding<Made>(_ phase: PictureFailure.Phase, _ body: () throws(PictureFailure) -> Made) throws(PictureFailure) -> Made {
        begin(phase)
        let outer = isHeld
        isHeld = true
        defer { isHeld = outer }
        return try body()
    }

    /// Marks that the next work is long. The next check then looks and reports in any case.
    package func expectWork() { nextLook = .now }

    /// Checks between steps whether the work goes on. Throws `timeout` or `cancelled` otherwise.
    package func check(_ phase: PictureFailure.Phase, _ fraction: Double = 0) throws(PictureFailure) {
        guard !goOn(phase, fraction) else { return }
        throw failure(phase)
    }

    /// Returns the reason of the stop as an error.
    package func failure(_ phase: PictureFailure.Phase) -> PictureFailure {
        stopped == .cancelled
            ? PictureFailure(.cancelled, phase, "no client waits for this picture any more")
            : PictureFailure(.timeout, phase, "the time for this picture is used up")
    }

    /// Returns a watcher that stops a computation of libvips when the time is up.
    package func watcher(_ phase: PictureFailure.Phase, _ share: ClosedRange<Double> = 0...1) -> VipsWatcher {
        VipsWatcher { self.goesOn(phase, share, $0) }
    }

    /// Checks during a computation of our own whether the work goes on.
    /// - Parameters:
    ///   - share: the part of all the work.
    ///   - fraction: the progress, 0…1. Codecs also count the lines that fill up the last block.
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

/// A part of the work. Reading and changing a picture is the first half of the work, encoding the second.
extension ClosedRange<Double> {
    func part(_ index: Int, of count: Int) -> ClosedRange<Double> {
        let width = (upperBound - lowerBound) / Double(Swift.max(1, count))
        let start = lowerBound + width * Double(Swift.min(index, count))
        return start...Swift.max(start, Swift.min(start + width, upperBound))
    }
    var firstHalf: ClosedRange<Double> { part(0, of: 2) }
    var secondHalf: ClosedRange<Double> { part(1, of: 2) }
}

/// The time of each phase of a picture.
package struct PictureTimings: Sendable, Hashable {
    /// Reading the source, with the steps that run line by line meanwhile.
    package var decode = Duration.zero
    package var transform = Duration.zero
    package var encode = Duration.zero
    package init() {}

    package static func += (left: inout PictureTimings, right: PictureTimings) {
        left.decode += right.decode
        left.transform += right.transform
        left.encode += right.encode
    }
}
