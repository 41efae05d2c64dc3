/// The life of a receipt at one coordinator, from its submit to its end: the effect of each event, and the resulting action. Pure.
///
/// Submit, cancellation, deadline, end and loss come in any order, and several submits of one receipt may be in flight. Tests cover all pairs of a
/// phase and an event.
package struct ReceiptLife: Sendable, Hashable {
    /// The state between submit and end.
    package enum Phase: UInt8, Sendable, CaseIterable {
        /// The receipt is being submitted. It is not known yet whether Redis has it.
        case submitting
        /// The receipt left the table before Redis was known to have it.
        case forgotten
        /// Redis has the receipt.
        case live
        /// Redis has the receipt, its deadline has passed, and Redis is being told.
        case late
        /// The end is being sent, or was sent. Redis had the receipt.
        case ended
        /// The same, for a receipt that Redis was not known to have.
        case endedEarly
    }

    /// The place in the table of receipts.
    package enum Listing: UInt8, Sendable, CaseIterable {
        case unlisted
        case listed
        /// The receipt is in the table and counted among those that Redis works on.
        case inFlight
    }

    /// The reason of a cancellation, which also says whom it concerns.
    package enum CancelCause: UInt8, Sendable, CaseIterable {
        /// The client that wanted the receipt has disconnected.
        case disconnected
        /// The request that waited for the receipt was canceled.
        case requested
        /// The receipt itself was canceled, for all clients that wait for it.
        case cancelled

        /// The reason in the terminal event.
        package var reason: String { self == .disconnected ? "disconnected" : "requested" }
        /// Whether the receipt goes on if another coordinator has it by now, or a client waits for it there.
        var sparesOthers: Bool { self != .cancelled }
    }

    /// The submits in flight. Events are held back until the answer of the submit is known.
    // The widest member comes first to save memory: there may be a million values.
    package private(set) var submits: Int32 = 0
    package private(set) var phase = Phase.submitting
    private(set) var listing = Listing.unlisted
    /// The cancellation that was requested before Redis was known to have the receipt. It is carried out once Redis has it.
    private(set) var cancelCause: CancelCause?
    /// Whether its events come to this coordinator. A receipt of another coordinator is only watched, for a client that waits for it here.
    package private(set) var isOurs = true
    /// Whether a submit was sent and never answered: Redis may have the receipt, or may get it soon.
    private(set) var mayBeQueued = false

    /// Whether Redis has the receipt, or had it when it ended.
    var isAdmitted: Bool {
        switch phase {
        case .live, .late, .ended: true
        case .submitting, .forgotten, .endedEarly: false
        }
    }

    /// Whether the end is being sent or was sent; later events are ignored.
    package var isEnding: Bool {
        switch phase {
        case .ended, .endedEarly: true
        case .submitting, .forgotten, .live, .late: false
        }
    }

    /// Whether it is known if Redis has the receipt.
    var isDecided: Bool { phase != .submitting }

    // MARK: Submit

    mutating func submitBegins() { submits += 1 }

    mutating func submitReturns() { submits -= 1 }

    /// Records that a submit got no answer.
    mutating func submitIsUnanswered() { mayBeQueued = true }

    /// Records that Redis has another request's receipt under this id.
    mutating func submitIsRefused() { mayBeQueued = false }

    /// The actions after a failed submit.
    struct FailedSubmitActions: OptionSet, Sendable, Hashable {
        let rawValue: UInt8
        /// The receipt leaves the table, and a receipt that Redis may have queued is canceled.
        static let forget = FailedSubmitActions(rawValue: 1)
        /// The id is released for other queues.
        static let giveBack = FailedSubmitActions(rawValue: 2)
    }

    /// Returns the actions after a failed submit. The submit still counts as in flight.
    /// - Parameter keepsID: Whether Redis knows the id with other parameters.
    func actionsAfterFailedSubmit(keepsID: Bool) -> FailedSubmitActions {
        // Another submit has brought the receipt to Redis.
        if isAdmitted { return [] }
        var actions: FailedSubmitActions = submits == 1 ? .forget : []
        if !mayBeQueued, !keepsID { actions.insert(.giveBack) }
        return actions
    }

    /// Records that Redis has the receipt.
    mutating func admit() {
        switch phase {
        case .submitting, .forgotten: phase = .live
        case .endedEarly: phase = .ended
        case .live, .late, .ended: break
        }
    }

    /// Records that Redis has lost the receipt, which is being submitted again.
    package mutating func lose() {
        switch phase {
        case .live, .late: phase = .submitting
        case .submitting, .forgotten, .ended, .endedEarly: break
        }
    }

    // MARK: Place in the table

    package mutating func list() { if listing == .unlisted { listing = .listed } }

    /// Counts the receipt among those in flight.
    /// - Returns: Whether it is newly among them.
    mutating func fly() -> Bool {
        guard isAdmitted, !isEnding, listing == .listed else { return false }
        listing = .inFlight
        return true
    }

    /// Records that another receipt takes its place in the table.
    /// - Returns: The place that it had.
    package mutating func unlist() -> Listing {
        defer { listing = .unlisted }
        return listing
    }

    /// Records that the receipt leaves the table.
    /// - Returns: The place that it had.
    package mutating func forget() -> Listing {
        if phase == .submitting { phase = .forgotten }
        return unlist()
    }

    // MARK: End

    /// Records that the end is known.
    /// - Returns: Whether this is the first time.
    package mutating func end() -> Bool {
        switch phase {
        case .live, .late: phase = .ended
        case .submitting, .forgotten: phase = .endedEarly
        case .ended, .endedEarly: return false
        }
        return true
    }

    /// The action for a passed deadline.
    enum Deadline: Sendable, Hashable {
        /// The receipt has ended, or the task that submits it watches the time.
        case nothing
        /// Redis is told.
        case tell
        /// Redis was told and the event did not arrive: the receipt ends here.
        case end
    }

    /// Records that the deadline has passed, or the time that the client waits for the event after it.
    mutating func expire() -> Deadline {
        switch phase {
        case .live:
            phase = .late
            return .tell
        case .late: return .end
        case .submitting, .forgotten, .ended, .endedEarly: return .nothing
        }
    }

    /// Watches the deadline from the beginning again.
    mutating func watchAnew() { if phase == .late { phase = .live } }

    // MARK: Cancellation

    /// The action for a requested cancellation.
    package enum CancelAction: Sendable, Hashable {
        /// The receipt has ended.
        case nothing
        /// The request is kept: until the submit is answered, it is unknown whether Redis has the receipt.
        case later
        /// Redis is told.
        case now
    }

    package mutating func withdraw(for new: CancelCause) -> CancelAction {
        switch phase {
        case .ended, .endedEarly: return .nothing
        case .live, .late: return .now
        case .submitting, .forgotten:
            // The cancellation of a receipt concerns all its clients, so it stays.
            if cancelCause?.sparesOthers != false { cancelCause = new }
            return .later
        }
    }

    /// Records a new waiting client. A cancellation by a client that left during the submit no longer applies.
    package mutating func join() { if cancelCause?.sparesOthers == true { cancelCause = nil } }

    /// Returns the cancellation to carry out now that Redis has the receipt.
    mutating func takeCancellation() -> CancelCause? {
        guard isAdmitted, !isEnding else { return nil }
        defer { cancelCause = nil }
        return cancelCause
    }

    /// The cancellation for a receipt that an abandoned submit may have created in Redis; nil if there is none.
    var revocation: CancelCause? { mayBeQueued ? cancelCause : nil }

    // MARK: Owner

    /// Records the owner that Redis names.
    package mutating func belongs(toUs isOurs: Bool) { self.isOurs = isOurs }
}
