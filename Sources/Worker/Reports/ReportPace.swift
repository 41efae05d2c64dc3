/// Which reports of a fetch go out when: at most one message in each interval, the latest of each phase, none lost at
/// the end. A pure value; `Report` is whatever is reported.
struct ReportPace<Report> {
    /// The least time between two messages.
    var interval: Duration

    init(interval: Duration) { self.interval = interval }

    private var waiting: [(phase: String, report: Report)] = []
    private var lastSent: ContinuousClock.Instant?

    /// Adds a report behind all others; one of the same phase that has not gone out yet it makes needless.
    mutating func add(_ report: Report, phase: String) {
        waiting.removeAll { $0.phase == phase }
        waiting.append((phase, report))
    }

    /// When the next message may go out; nil when there is nothing to say.
    func due(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        waiting.isEmpty ? nil : max(now, lastSent.map { $0 + interval } ?? now)
    }

    /// What the next message holds.
    mutating func take(at now: ContinuousClock.Instant) -> [Report] {
        lastSent = now
        defer { waiting = [] }
        return waiting.map(\.report)
    }
}
