/// The time limits of one connection. Pure.
struct HTTPClock {
    /// The last byte of a body, the end of the last answer, or the last bytes that the client has taken.
    private var activity = ContinuousClock.now
    private var headStart: ContinuousClock.Instant?
    private var bodyStart: ContinuousClock.Instant?
    private var farewellEnd: ContinuousClock.Instant?
    /// The longest time for which a client may take nothing.
    private var stillness = HTTPServer.patience
    private(set) var progress = AnswerProgress()

    // MARK: Events

    mutating func rested(at now: ContinuousClock.Instant) { activity = now }
    mutating func read(at now: ContinuousClock.Instant) { activity = now }

    /// Notes a part of a head.
    /// - Returns: whether it is the first one.
    mutating func headBegan() -> Bool {
        guard headStart == nil else { return false }
        headStart = .now
        return true
    }

    mutating func headEnded() { headStart = nil }

    mutating func bodyBegan(at now: ContinuousClock.Instant) { (bodyStart, activity) = (now, now) }

    mutating func answerBegan() { (bodyStart, progress) = (nil, AnswerProgress()) }

    /// Notes bytes that were taken at once.
    mutating func passed(_ count: Int) { progress.passed(count) }

    /// Notes bytes for which the client has to be awaited.
    mutating func blocked(_ count: Int, at now: ContinuousClock.Instant) {
        progress.hand(count, at: now)
        activity = now
    }

    mutating func taken(all: Bool, at now: ContinuousClock.Instant) {
        activity = now
        if all { progress.taken(at: now) }
    }

    /// Notes that the client sends no more. It may read its answer to the end, but most such clients are gone and read nothing.
    mutating func inputEnded(at now: ContinuousClock.Instant) { (stillness, activity) = (HTTPConnection.farewell, now) }

    mutating func farewellBegan() { farewellEnd = .now + HTTPConnection.farewell }

    // MARK: Limits

    /// Whether a part of a head has arrived.
    var isInHead: Bool { headStart != nil }

    /// The end of a connection that rests, or of a head.
    func headLimit(_ pace: MinimumBodyRate) -> ContinuousClock.Instant { headStart.map { $0 + pace.first } ?? activity + HTTPServer.patience }

    /// - Parameters:
    ///   - count: the bytes of the body that have arrived.
    ///   - total: the bytes that have arrived or are announced.
    func bodyLimit(_ pace: MinimumBodyRate, after count: Int, of total: Int) -> ContinuousClock.Instant {
        min((bodyStart ?? activity) + pace.limit(after: count, of: total), activity + HTTPServer.patience)
    }

    /// - Parameter pending: the bytes that the client has not taken.
    func answerLimit(_ pace: MinimumBodyRate, pending: Int, at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        min(now + progress.patience(pace, pending: pending, at: now), activity + stillness)
    }

    var farewellLimit: ContinuousClock.Instant { farewellEnd ?? activity }
}
