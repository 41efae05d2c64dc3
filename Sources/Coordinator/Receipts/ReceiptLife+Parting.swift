/// The decisions about a receipt that clients have left, or that nobody came back to. Pure.
extension ReceiptLife {
    /// Those at this coordinator who are left to be told of it.
    enum Audience: Sendable, Hashable, CaseIterable {
        case nobody
        /// Clients that have only looked at it.
        case onlookers
        /// At least one that has a say in whether the work goes on.
        case holders
    }

    /// The decision about a receipt that clients have left.
    struct Parting: OptionSet, Sendable, Hashable {
        let rawValue: UInt8
        /// Redis is told that nobody waits here.
        static let tell = Parting(rawValue: 1)
        /// It leaves the table.
        static let forget = Parting(rawValue: 2)
        /// It waits for a while for somebody to come back.
        static let wait = Parting(rawValue: 4)
        /// It is withdrawn.
        static let withdraw = Parting(rawValue: 8)
    }

    /// A client has left it.
    /// - Parameters:
    ///   - audience: who is left.
    ///   - isFleeting: whether that client's leaving withdraws what nobody else waits for.
    ///   - mayComeBack: whether that client may come back for it.
    ///   - isDetached: whether it lives on without clients.
    ///   - waits: whether it waits already for somebody to come back.
    func left(to audience: Audience, isFleeting: Bool, mayComeBack: Bool, isDetached: Bool, waits: Bool) -> Parting {
        if isEnding { return [] }
        if isAdmitted, !isOurs, audience != .holders {
            // Redis is not told yet: whoever gives it up elsewhere hands it to us meanwhile.
            if mayComeBack { return .wait }
            return waits ? [] : handedOver(to: audience)
        }
        guard audience == .nobody else { return [] }
        return isFleeting && !isDetached ? .withdraw : deserted(isDetached: isDetached, waits: waits)
    }

    /// Nobody waits for it here. It goes on, for a while if it is not detached, and whoever asks for it has it.
    func deserted(isDetached: Bool, waits: Bool) -> Parting {
        let told: Parting = isAdmitted ? .tell : []
        if isDetached { return isAdmitted ? [.tell, .forget] : [] }
        return waits ? told : told.union(.wait)
    }

    /// Nobody waits here any more for what is another coordinator's. Those who have only looked are told of the end.
    func handedOver(to audience: Audience) -> Parting { audience == .nobody ? [.tell, .forget] : .tell }

    /// Nobody has come back. One that is another coordinator's by now is left to it.
    func waitIsOver(_ audience: Audience) -> Parting {
        switch audience {
        case .holders: []
        case .nobody: .withdraw
        case .onlookers: handedOver(to: audience)
        }
    }

    /// How a request comes to its answer that its client withdraws.
    enum Cancellation: Sendable, Hashable {
        /// It leaves: another coordinator's client waits for the receipt too.
        case leaves
        /// It goes at once: others wait too, or nobody knows yet whether Redis has the receipt.
        case goes(withdraws: Bool)
        /// The event `cancelled` comes first, then the answer.
        case awaitsEnd
    }

    /// - Parameters:
    ///   - isLast: whether nobody else here has a say in whether the work goes on.
    ///   - isAwaited: whether the request is answered by the end.
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
