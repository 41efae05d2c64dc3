/// Selects the progress events for one client: those that are an interval or a fraction after the last one. The last event of each phase always
/// passes. Pure: the caller passes the time.
package struct ProgressThrottle: Sendable {
    /// The part of a progress event that decides.
    package struct Step: Sendable, Hashable {
        package let phase: String
        /// 0…1; nil when the total is unknown.
        let fraction: Double?

        /// Whether it is complete, and so the last of its phase.
        package var isLast: Bool { fraction.map { $0 >= 1 } ?? false }
    }

    /// Seconds between two events.
    let interval: Double
    /// The progress that makes an event due before its time.
    let fraction: Double
    /// The time at which the next event is due by the interval. A worker's reports come a little early or late. A late report makes the next one
    /// due at most a quarter of the interval sooner, so that two equal paces lose no event.
    private var dueAt = -Double.infinity
    private var sent: Step?
    /// The last event that was held back. It is sent late if its phase ends without a later one.
    private(set) var withheld: ReceiptEvent?

    init(interval: Double, fraction: Double) {
        self.interval = interval
        self.fraction = fraction
    }

    /// Decides about a progress event.
    /// - Parameter now: Seconds of a clock that never goes back.
    /// - Returns: The events to send, in this order.
    package mutating func progress(_ event: ReceiptEvent, _ step: Step, now: Double) -> [ReceiptEvent] {
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

    /// Returns the event that was held back, because another kind of event follows: it was the last of its phase.
    package mutating func flush() -> [ReceiptEvent] {
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
