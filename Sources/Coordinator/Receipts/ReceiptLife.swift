/// The life of a receipt at one coordinator, from its submit to its end: what each event makes of it, and what is to be done then. Pure.
///
/// Submit, cancellation, deadline, end and loss come in any order, and several submits of one receipt may be under way. Tests go through all pairs of a
/// phase and an event.
struct ReceiptLife: Sendable, Hashable {
    /// Where it stands between its submit and its end.
    enum Phase: UInt8, Sendable, CaseIterable {
        /// It is being submitted. Nobody knows yet whether Redis has it.
        case submitting
        /// It has left the table before Redis was known to have it.
        case forgotten
        /// Redis has it.
        case live
        /// Redis has it, its deadline has passed, and Redis is being told.
        case late
        /// Its end is being told, or was. Redis had it.
        case ended
        /// The same of one that Redis was not known to have.
        case endedEarly
    }

    /// Its place in the table of receipts.
    enum Listing: UInt8, Sendable, CaseIterable {
        case unlisted
        case listed
        /// It is listed, and counted among those that Redis works on.
        case inFlight
    }

    /// Why it is to be withdrawn, and for whom.
    enum Wish: UInt8, Sendable, CaseIterable {
        /// The client that wanted it has gone.
        case disconnected
        /// The request that waited for it was withdrawn.
        case requested
        /// The receipt itself was cancelled, for all who wait for it.
        case cancelled

        /// For the event that ends it.
        var reason: String { self == .disconnected ? "disconnected" : "requested" }
        /// Whether it goes on if it is another coordinator's by now, or somebody waits for it there.
        var sparesOthers: Bool { self != .cancelled }
    }

    /// Submits of it under way. Events are held back until the answer of the submit is known.
    // The widest first: there may be a million lives.
    private(set) var submits: Int32 = 0
    private(set) var phase = Phase.submitting
    private(set) var listing = Listing.unlisted
    /// What came before Redis was known to have it; heeded as soon as Redis has it.
    private(set) var wish: Wish?
    /// Its events come to this coordinator. Another's receipt is only watched, for somebody who waits for it here.
    private(set) var isOurs = true
    /// A submit of it was sent whose answer never came: Redis may have it, or take it in a moment.
    private(set) var mayBeQueued = false

    /// Whether Redis has it, or had it when it ended.
    var isAdmitted: Bool {
        switch phase {
        case .live, .late, .ended: true
        case .submitting, .forgotten, .endedEarly: false
        }
    }

    /// Whether its end is being told, or was; nothing more is taken.
    var isEnding: Bool {
        switch phase {
        case .ended, .endedEarly: true
        case .submitting, .forgotten, .live, .late: false
        }
    }

    /// Whether it is known if Redis has it.
    var isDecided: Bool { phase != .submitting }

    // MARK: Its submit

    mutating func submitBegins() { submits += 1 }

    mutating func submitReturns() { submits -= 1 }

    /// The answer of a submit never came.
    mutating func submitIsUnanswered() { mayBeQueued = true }

    /// Redis has another request's receipt under this id.
    mutating func submitIsRefused() { mayBeQueued = false }

    /// What a submit that has failed leaves to be done.
    struct Remains: OptionSet, Sendable, Hashable {
        let rawValue: UInt8
        /// It leaves the table, and what may be queued of it is withdrawn.
        static let forget = Remains(rawValue: 1)
        /// Its id is given back, for other queues.
        static let giveBack = Remains(rawValue: 2)
    }

    /// A submit has failed that is under way yet.
    /// - Parameter keepsID: whether Redis knows the id with other parameters.
    func remains(keepsID: Bool) -> Remains {
        // Another submit has brought it to Redis.
        if isAdmitted { return [] }
        var remains: Remains = submits == 1 ? .forget : []
        if !mayBeQueued, !keepsID { remains.insert(.giveBack) }
        return remains
    }

    /// Redis has it.
    mutating func admit() {
        switch phase {
        case .submitting, .forgotten: phase = .live
        case .endedEarly: phase = .ended
        case .live, .late, .ended: break
        }
    }

    /// Redis has lost it: it is being submitted anew.
    mutating func lose() {
        switch phase {
        case .live, .late: phase = .submitting
        case .submitting, .forgotten, .ended, .endedEarly: break
        }
    }

    // MARK: Its place in the table

    mutating func list() { if listing == .unlisted { listing = .listed } }

    /// Counts it among those in flight.
    /// - Returns: whether it has become one of them.
    mutating func fly() -> Bool {
        guard isAdmitted, !isEnding, listing == .listed else { return false }
        listing = .inFlight
        return true
    }

    /// Another receipt has its place.
    /// - Returns: the place it had.
    mutating func unlist() -> Listing {
        defer { listing = .unlisted }
        return listing
    }

    /// It leaves the table.
    /// - Returns: the place it had.
    mutating func forget() -> Listing {
        if phase == .submitting { phase = .forgotten }
        return unlist()
    }

    // MARK: Its end

    /// Its end is known.
    /// - Returns: whether this is the first time.
    mutating func end() -> Bool {
        switch phase {
        case .live, .late: phase = .ended
        case .submitting, .forgotten: phase = .endedEarly
        case .ended, .endedEarly: return false
        }
        return true
    }

    /// What is done about a deadline.
    enum Deadline: Sendable, Hashable {
        /// It has ended, or whoever submits it watches the time.
        case nothing
        /// Redis is told.
        case tell
        /// Redis was told, and the event did not come: it ends here.
        case end
    }

    /// Its deadline has passed, or what its client waits for after that.
    mutating func expire() -> Deadline {
        switch phase {
        case .live:
            phase = .late
            return .tell
        case .late: return .end
        case .submitting, .forgotten, .ended, .endedEarly: return .nothing
        }
    }

    /// Its deadline is watched from the beginning.
    mutating func watchAnew() { if phase == .late { phase = .live } }

    // MARK: Its withdrawal

    /// What is done about a wish to withdraw it.
    enum Withdrawal: Sendable, Hashable {
        /// It has ended.
        case nothing
        /// The wish is kept: until the answer of its submit Redis may or may not have it.
        case later
        /// Redis is told.
        case now
    }

    mutating func withdraw(for new: Wish) -> Withdrawal {
        switch phase {
        case .ended, .endedEarly: return .nothing
        case .live, .late: return .now
        case .submitting, .forgotten:
            // Who cancels a receipt does so for all.
            if wish?.sparesOthers != false { wish = new }
            return .later
        }
    }

    /// Somebody waits for it from now on. Whoever left it while its submit was under way is not the only one any more.
    mutating func join() { if wish?.sparesOthers == true { wish = nil } }

    /// What is to be heeded now that Redis has it.
    mutating func takeWish() -> Wish? {
        guard isAdmitted, !isEnding else { return nil }
        defer { wish = nil }
        return wish
    }

    /// What may have come to be in Redis, or comes to be in a moment, of a submit that was given up; nil if nothing, or nobody wished it gone.
    var revocation: Wish? { mayBeQueued ? wish : nil }

    // MARK: Whose it is

    /// Redis says whose it is.
    mutating func belongs(toUs isOurs: Bool) { self.isOurs = isOurs }
}
