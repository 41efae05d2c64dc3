/// The clocks of a connection. One timer checks them, and is armed again when it fires: a request on a kept connection costs no timer.
extension HTTPConnection {
    /// Begins the time in which the next request has to arrive.
    func rest() {
        clock.rested(at: .now)
        // A timer that is armed fires before this limit, and is armed anew then.
        if timer == nil { look() }
    }

    /// Arms the timer for the current limit, unless it fires earlier anyway.
    func look() {
        let now = ContinuousClock.now
        guard let limit = limit(at: now) else { return }
        if timer != nil, due <= limit { return }
        timer = LoopTimer(after: limit - now) { [unowned self] in fire() }
        due = limit
    }

    private func fire() {
        timer = nil
        let now = ContinuousClock.now
        guard let limit = limit(at: now) else { return }
        if limit > now { return look() }
        switch phase {
        case .head where clock.isInHead: refuseSlow()
        case .body: refuseSlow()
        case .answering: cut(.slow)
        case .head, .refused: close()
        case .closed: break
        }
    }

    private func limit(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        switch phase {
        case .head: clock.headLimit(service.pace)
        case .body: clock.bodyLimit(service.pace, after: body?.count ?? 0, of: body?.announced ?? 0)
        // A handler may take as long as it likes.
        case .answering: isBlocked ? clock.answerLimit(service.pace, pending: unsent, at: now) : now + HTTPServer.patience
        case .refused: clock.farewellLimit
        case .closed: nil
        }
    }
}
