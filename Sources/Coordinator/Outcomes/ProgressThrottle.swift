/// Which progress events one client gets: those a time or a step apart from the last it got, and the last of each phase always.
/// Pure: the clock is the caller's.
struct ProgressThrottle: Sendable {
    /// What a progress event says, as far as the choice depends on it.
    struct Step: Sendable, Hashable {
        let phase: String
        /// 0…1; nil when the whole is unknown.
        let fraction: Double?

        /// Complete: the last of its phase.
        var isLast: Bool { fraction.map { $0 >= 1 } ?? false }
    }

    /// Seconds between two events.
    let interval: Double
    /// The part of the whole that makes an event due before its time.
    let fraction: Double
    /// When the next is due by the interval. A worker's reports come a little early or late: one that comes late makes the next due a
    /// quarter of the interval sooner at most, so that a pace that both keep loses none.
    private var dueAt = -Double.infinity
    private var sent: Step?
    /// The event that was held back last; sent late when its phase ends without a later one.
    private(set) var withheld: ReceiptEvent?

    init(interval: Double, fraction: Double) {
        self.interval = interval
        self.fraction = fraction
    }

    /// Decides about a progress event.
    /// - Parameter now: seconds of a clock that never goes back.
    /// - Returns: what to send, in this order.
    mutating func progress(_ event: ReceiptEvent, _ step: Step, now: Double) -> [ReceiptEvent] {
        var due: [ReceiptEvent] = []
        if let sent, sent.phase != step.phase { due += flush() }
        guard isDue(step, now: now) else {
            withheld = event
            return due
        }
        withheld = nil
        dueAt = max(dueAt, now - interval / 4) + interval
        sent = step
        return due + [event]
    }

    /// Something else than progress follows: what was held back is the last of its phase after all.
    mutating func flush() -> [ReceiptEvent] {
        defer { withheld = nil }
        return withheld.map { [$0] } ?? []
    }

    private func isDue(_ step: Step, now: Double) -> Bool {
        guard let sent, sent.phase == step.phase, !step.isLast else { return true }
        if now >= dueAt { return true }
        guard let before = sent.fraction, let after = step.fraction else { return false }
        return after - before >= fraction || after < before
    }
}
