/// The decisions about a receipt that its clients have left. Pure.
extension ReceiptLife {
    /// The clients of this coordinator that are left.
    enum Audience: Sendable, Hashable, CaseIterable {
        case noClient
        /// Clients that only observe the receipt.
        case observers
        /// At least one client that keeps the work going.
        case holders
    }

    /// The decision about a receipt that a client has left.
    struct LeaveActions: OptionSet, Sendable, Hashable {
        let rawValue: UInt8
        /// Redis learns that no client waits here.
        static let tell = LeaveActions(rawValue: 1)
        /// The receipt leaves the table.
        static let forget = LeaveActions(rawValue: 2)
        /// The receipt waits for a client to come back.
        static let wait = LeaveActions(rawValue: 4)
        /// The receipt is canceled.
        static let withdraw = LeaveActions(rawValue: 8)
    }

    /// Decides about a receipt that a client has left.
    /// - Parameters:
    ///   - audience: The clients that are left.
    ///   - cancelsOnDisconnect: Whether the receipt is canceled at once if no other client waits for it.
    ///   - mayComeBack: Whether that client may come back for it.
    ///   - isDetached: Whether the receipt goes on without clients.
    ///   - waits: Whether the receipt already waits for a client to come back.
    func left(to audience: Audience, cancelsOnDisconnect: Bool, mayComeBack: Bool, isDetached: Bool, waits: Bool) -> LeaveActions {
        if isEnding { return [] }
        if isAdmitted, !isOurs, audience != .holders {
            // Redis does not know yet. If the other coordinator's clients leave meanwhile, that coordinator hands the receipt over to this one.
            if mayComeBack { return .wait }
            return waits ? [] : handedOver(to: audience)
        }
        guard audience == .noClient else { return [] }
        return cancelsOnDisconnect && !isDetached ? .withdraw : deserted(isDetached: isDetached, waits: waits)
    }

    /// Decides about a receipt without clients here. It goes on, for a limited time unless it is detached, and any client may continue it.
    func deserted(isDetached: Bool, waits: Bool) -> LeaveActions {
        let report: LeaveActions = isAdmitted ? .tell : []
        if isDetached { return isAdmitted ? [.tell, .forget] : [] }
        return waits ? report : report.union(.wait)
    }

    /// Decides about another coordinator's receipt that no client here keeps going. Observers still get its end.
    func handedOver(to audience: Audience) -> LeaveActions { audience == .noClient ? [.tell, .forget] : .tell }

    /// Decides when the grace period ends. A receipt that another coordinator has by now is left to it.
    func waitIsOver(_ audience: Audience) -> LeaveActions {
        switch audience {
        case .holders: []
        case .noClient: .withdraw
        case .observers: handedOver(to: audience)
        }
    }

    /// The way in which a canceled request gets its answer.
    enum Cancellation: Sendable, Hashable {
        /// The request leaves: a client of another coordinator waits for the receipt too.
        case leaves
        /// The request is answered at once: other clients wait too, or it is unknown whether Redis has the receipt.
        case goes(withdraws: Bool)
        /// The event `cancelled` comes first, then the answer.
        case awaitsEnd
    }

    /// - Parameters:
    ///   - isLast: Whether no other client here keeps the work going.
    ///   - isAwaited: Whether the end of the receipt answers the request.
    func cancellation(isLast: Bool, isAwaited: Bool) -> Cancellation {
        switch phase {
        case .live, .late:
            if !isOurs { return .leaves }
            return isLast && isAwaited ? .awaitsEnd : .goes(withdraws: isLast)
        case .submitting, .forgotten: return .goes(withdraws: isLast)
        case .ended, .endedEarly: return .goes(withdraws: false)
        }
    }
}
