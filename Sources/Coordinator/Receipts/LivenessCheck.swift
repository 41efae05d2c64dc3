import TintypeQueue

/// Decides whether Redis may know more about a receipt than this coordinator has received, and when to ask. Pure: the caller passes the time.
///
/// Every message to a coordinator is numbered, and a ping follows every two seconds. So a lost message, even the last one, shows as a gap or as
/// silence, and all receipts of the queue are read then (`Recovery.refresh`). Otherwise a waiting receipt is not asked about: a million of them
/// cost nothing. Redis is asked where a message could be missed without a gap, or where a message is overdue.
struct LivenessCheck: Sendable, Hashable {
    enum Cause: UInt8, Sendable, CaseIterable {
        /// The receipt waits, and its events come by the numbered channel.
        case none
        /// A message may have been missed: the receipt was found in Redis, or its submit overlapped a gap. One answer is enough.
        case unproven
        /// A worker runs the fetch and sends events. After a silence Redis is asked.
        case running
        /// Its events go to another coordinator. The public channel, which is watched instead, has no numbers.
        case elsewhere
    }

    /// The seconds of silence before the first question. They double with each question that brings nothing new.
    static let shortest: UInt8 = 2
    /// The most seconds between two questions.
    static let longest: UInt8 = 8

    private(set) var cause = Cause.none
    private var patience = LivenessCheck.shortest
    /// The time of the next question, in monotonic seconds; infinity: never.
    private(set) var due = Double.infinity

    /// Starts asking for this cause.
    mutating func begin(_ cause: Cause, at now: Double) {
        // A receipt at another coordinator stays there until Redis says otherwise, whatever other cause there is.
        self.cause = cause
        restart(at: now)
    }

    /// Records that an event of the receipt arrived.
    mutating func heard(_ type: EventType, at now: Double) {
        if cause == .none || cause == .running {
            switch type {
            case .started, .response, .progress, .preview, .rendition: cause = .running
            case .queued, .retrying, .paused: cause = .none
            case .cached, .resumed, .succeeded, .failed, .cancelled, .ping, .moved, .given, .over, .other: break
            }
        }
        restart(at: now)
    }

    /// Records that Redis is being asked. Without an answer it is asked again.
    mutating func asked(at now: Double) {
        patience = min(patience * 2, Self.longest)
        due = cause == .none ? .infinity : now + Double(patience)
    }

    /// Records Redis' answer that the receipt lives.
    /// - Parameter isOurs: Whether its events come to this coordinator.
    mutating func answered(isOurs: Bool, at now: Double) {
        switch cause {
        case .none, .unproven, .running:
            if !isOurs { begin(.elsewhere, at: now) } else if cause == .unproven { end() }
        // The messages until now went to another coordinator. From now on they come here, so one more question is enough.
        case .elsewhere: if isOurs { begin(.unproven, at: now) }
        }
    }

    mutating func end() { self = LivenessCheck() }

    private mutating func restart(at now: Double) {
        patience = Self.shortest
        due = cause == .none ? .infinity : now + Double(patience)
    }
}
