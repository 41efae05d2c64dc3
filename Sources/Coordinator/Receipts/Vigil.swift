import TintypeQueue

/// Whether Redis may know more of a receipt than was heard of it here, and when to ask. Pure: the clock is the caller's.
///
/// Every message to a coordinator is numbered, and a ping follows each two seconds. A lost message, the last one too, therefore shows as a
/// gap or as silence, and all receipts of the queue are read then (`Recovery.refresh`). A receipt that only waits is not asked for besides
/// that: a million of them cost nothing. It is asked for where a message could be missed without a gap, or where a word is overdue.
struct Vigil: Sendable, Hashable {
    enum Cause: UInt8, Sendable, CaseIterable {
        /// It waits, and its events come by the numbered channel.
        case none
        /// A message may have passed before it could be heard: the receipt was found in Redis, or a gap fell into its submit. One answer is enough.
        case unproven
        /// A worker has it and tells of it: after a silence it is asked for.
        case running
        /// Its events go to another coordinator. The public channel, which is watched instead, has no numbers.
        case elsewhere
    }

    /// Seconds of silence after which Redis is asked first; twice as many each time nothing is new.
    static let shortest: UInt8 = 2
    /// The most seconds between two questions.
    static let longest: UInt8 = 8

    private(set) var cause = Cause.none
    private var patience = Vigil.shortest
    /// When Redis is to be asked, in monotonic seconds; infinity: never.
    private(set) var due = Double.infinity

    /// There is a cause to ask from now on.
    mutating func begin(_ cause: Cause, at now: Double) {
        // What is elsewhere stays so until Redis says otherwise, whatever else is known of it.
        self.cause = cause
        restart(at: now)
    }

    /// An event of the receipt was heard.
    mutating func heard(_ type: EventType, at now: Double) {
        if cause == .none || cause == .running {
            switch type {
            case .started, .response, .progress, .preview, .rendition: cause = .running
            case .queued, .retrying: cause = .none
            case .cached, .succeeded, .failed, .cancelled, .ping, .moved, .given, .over, .other: break
            }
        }
        restart(at: now)
    }

    /// Redis is being asked. Should no answer come, it is asked again.
    mutating func asked(at now: Double) {
        patience = min(patience * 2, Self.longest)
        due = cause == .none ? .infinity : now + Double(patience)
    }

    /// Redis has answered that the receipt lives.
    /// - Parameter isOurs: whether its events come to this coordinator.
    mutating func answered(isOurs: Bool, at now: Double) {
        switch cause {
        case .none, .unproven, .running:
            if !isOurs { begin(.elsewhere, at: now) } else if cause == .unproven { end() }
        // The messages until now went elsewhere: one more look, from here on they come here.
        case .elsewhere: if isOurs { begin(.unproven, at: now) }
        }
    }

    /// Nothing more is asked.
    mutating func end() { self = Vigil() }

    private mutating func restart(at now: Double) {
        patience = Self.shortest
        due = cause == .none ? .infinity : now + Double(patience)
    }
}
