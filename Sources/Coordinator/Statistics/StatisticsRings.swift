import TintypeTransport

/// The latest points: by the second for a quarter of an hour, and by fifteen seconds for a day. A value.
///
/// A point of a busy fleet takes a few kilobytes, an idle one almost nothing. The number of queues does not matter.
struct StatisticsRings: Sendable {
    enum Step: Int, Sendable, CaseIterable {
        case second = 1
        case quarterMinute = 15

        /// The most points that are kept.
        var most: Int { self == .second ? 900 : 5760 }
    }

    private var rings: [Step: FIFO<StatisticsPoint>] = [:]
    private var pending: [StatisticsPoint] = []
    private(set) var last: StatisticsPoint?

    /// Adds the point of one second.
    mutating func append(_ point: StatisticsPoint) {
        last = point
        add(point, .second)
        pending.append(point)
        guard point.time % Step.quarterMinute.rawValue == 0, let joined = StatisticsPoint.joined(pending) else { return }
        add(joined, .quarterMinute)
        pending = []
    }

    private mutating func add(_ point: StatisticsPoint, _ step: Step) {
        rings[step, default: FIFO()].append(point)
        if rings[step]?.count ?? 0 > step.most { _ = rings[step]?.popFirst() }
    }

    /// Returns the points that end after a time, the oldest first.
    func points(_ step: Step, after time: Int) -> [StatisticsPoint] { rings[step].map { $0.elements.filter { $0.time > time } } ?? [] }
}
