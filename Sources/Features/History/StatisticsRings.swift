import Coordinator
import TintypeCore
import TintypeTransport

/// The latest points: by the second for a quarter of an hour, and by fifteen seconds and by the minute for a day. A value.
///
/// The rings have the texts of points, of about a kilobyte each in a busy fleet. Numbers are needed only until they are added up, and many points are
/// shown at once. The number of queues does not matter.
struct StatisticsRings: Sendable {
    enum Step: Int, Sendable, CaseIterable {
        case second = 1
        case quarterMinute = 15
        case minute = 60

        /// The most points that are kept.
        var most: Int { self == .second ? 900 : 86_400 / rawValue }

        /// The step whose points are made of those of this one.
        fileprivate var next: Step? {
            switch self {
            case .second: .quarterMinute
            case .quarterMinute: .minute
            case .minute: nil
            }
        }

        /// The end of the step that has a second.
        fileprivate func end(of time: Int) -> Int { (time + rawValue - 1) / rawValue * rawValue }
    }

    /// A point as it is shown.
    struct Shown: Sendable {
        /// The end of the time, in whole seconds since 1970.
        let time: Int
        /// A JSON object.
        let text: [UInt8]

        init(_ point: StatisticsPoint) { (time, text) = (point.time, JSON.object(point.json).bytes()) }

        var json: JSON { .raw(JSONText(checked: text)) }
    }

    private var rings: [Step: FIFO<Shown>] = [:]
    /// The points that are not added up yet, by the step that they go into.
    private var pending: [Step: [StatisticsPoint]] = [:]
    /// The latest point of a second.
    private(set) var last: Shown?

    /// Adds the point of one second.
    mutating func append(_ point: StatisticsPoint) { last = add(point, .second) }

    @discardableResult
    private mutating func add(_ point: StatisticsPoint, _ step: Step) -> Shown {
        let shown = Shown(point)
        rings[step, default: FIFO()].append(shown)
        if rings[step]?.count ?? 0 > step.most { _ = rings[step]?.popFirst() }
        guard let next = step.next else { return shown }
        // A second may be missing, the last one of its step too.
        if let before = pending[next]?.last, next.end(of: before.time) != next.end(of: point.time) { join(next) }
        pending[next, default: []].append(point)
        if next.end(of: point.time) == point.time { join(next) }
        return shown
    }

    /// Makes a point of the pending ones.
    private mutating func join(_ step: Step) {
        guard let points = pending.removeValue(forKey: step), let last = points.last else { return }
        add(StatisticsPoint.joined(points, endingAt: step.end(of: last.time)), step)
    }

    /// Returns the points that end after a time, the oldest first.
    func points(_ step: Step, after time: Int) -> [Shown] { rings[step].map { $0.elements.filter { $0.time > time } } ?? [] }
}
