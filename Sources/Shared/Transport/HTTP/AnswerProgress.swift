/// The progress of an answer in pieces, and whether its client takes it fast enough. Pure.
///
/// Only the time counts in which the client leaves bytes pending. The producer of the answer may take as long as it likes.
struct AnswerProgress: Sendable {
    /// Bytes handed over for sending.
    private(set) var handed = 0
    /// The most bytes that were handed over at one time: most answers as a whole, or the longest piece.
    private var longest = 0
    private var waited = Duration.zero
    /// The time at which the piece that is being sent was handed over; nil if there is none.
    private var since: ContinuousClock.Instant?

    /// Notes a piece of `count` bytes.
    mutating func hand(_ count: Int, at now: ContinuousClock.Instant) {
        handed += count
        longest = max(longest, count)
        since = since ?? now
    }

    /// Notes `count` bytes that the client has taken at once.
    mutating func passed(_ count: Int) { handed += count }

    /// Notes that the client has taken everything.
    mutating func taken(at now: ContinuousClock.Instant) {
        if let since { waited += now - since }
        since = nil
    }

    /// Returns how much longer the client may leave the pending bytes; negative if it has taken too long.
    /// - Parameter pending: bytes handed over that the client has not taken.
    func patience(_ pace: MinimumBodyRate, pending: Int, at now: ContinuousClock.Instant) -> Duration {
        pace.limit(after: max(0, handed - pending), of: longest) - waiting(at: now)
    }

    /// Returns the time that the client has taken, as a multiple of the time that `pace` allows it.
    /// - Parameter bytes: the bytes that are in memory until the client has the answer.
    func lateness(_ pace: MinimumBodyRate, keeping bytes: Int, pending: Int, at now: ContinuousClock.Instant) -> Double {
        waiting(at: now) / pace.limit(after: max(0, handed - pending), of: bytes)
    }

    private func waiting(at now: ContinuousClock.Instant) -> Duration { waited + (since.map { now - $0 } ?? .zero) }
}
