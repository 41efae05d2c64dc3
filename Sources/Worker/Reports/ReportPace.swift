/// The pace of a fetch's reports: at most one message in each interval, with the latest report of each phase. No report is lost at
/// the end. A pure value; `Report` is any kind of report.
struct ReportPace<Report> {
    /// The shortest time between two messages.
    var interval: Duration

    init(interval: Duration) { self.interval = interval }

    private var waiting: [(phase: String, report: Report)] = []
    private var lastSent: ContinuousClock.Instant?

    /// Adds a report behind all others. It replaces a waiting report of the same phase.
    mutating func add(_ report: Report, phase: String) {
        waiting.removeAll { $0.phase == phase }
        waiting.append((phase, report))
    }

    /// When the next message may go out; nil if there is no report.
    func due(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        waiting.isEmpty ? nil : max(now, lastSent.map { $0 + interval } ?? now)
    }

    /// Removes and returns the reports for the next message.
    mutating func take(at now: ContinuousClock.Instant) -> [Report] {
        lastSent = now
        defer { waiting = [] }
        return waiting.map(\.report)
    }
}
