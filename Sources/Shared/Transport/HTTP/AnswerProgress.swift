/// How far an answer in pieces has come, and whether its client takes it fast enough. Pure.
///
/// Only the time counts in which the client lets something wait: whoever makes the answer may take as long as it likes.
struct AnswerProgress: Sendable {
    /// Bytes handed over for sending.
    private(set) var handed = 0
    private var waited = Duration.zero
    /// When the piece that is being sent was handed over; nil while none is.
    private var since: ContinuousClock.Instant?

    /// A piece of so many bytes is handed over.
    mutating func hand(_ count: Int, at now: ContinuousClock.Instant) {
        handed += count
        since = since ?? now
    }

    /// The client has taken all.
    mutating func taken(at now: ContinuousClock.Instant) {
        if let since { waited += now - since }
        since = nil
    }

    /// How much longer the client may let wait what waits; negative when it has taken too long.
    /// - Parameter pending: bytes handed over that it has not taken.
    func patience(_ pace: BodyPace, pending: Int, at now: ContinuousClock.Instant) -> Duration {
        pace.limit(after: max(0, handed - pending)) - waited - (since.map { now - $0 } ?? .zero)
    }
}
