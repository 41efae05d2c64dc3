/// The answer in pieces that an exchange has begun: the piece on its way, and how far all have come.
@Loop
final class AnswerPieces {
    /// False where the method or the status has none: pieces are dropped then.
    let hasBody: Bool
    /// Looks whether the client takes the pieces fast enough.
    var watch: LoopTimer?
    private var progress = AnswerProgress()
    private var taken: (@Loop (Bool) -> Void)?

    init(hasBody: Bool) { self.hasBody = hasBody }

    /// Whether the client has not taken the last piece yet.
    var isSending: Bool { taken != nil }

    /// - Parameter taken: called once with whether the client has taken it.
    func begin(_ count: Int, _ taken: @escaping @Loop (Bool) -> Void) {
        self.taken = taken
        progress.hand(count, at: .now)
    }

    /// The kernel has all that was handed over.
    func complete() {
        guard isSending else { return }
        progress.taken(at: .now)
        tell(true)
    }

    func clientHasGone() {
        watch = nil
        tell(false)
    }

    private func tell(_ isTaken: Bool) {
        let taken = taken
        self.taken = nil
        taken?(isTaken)
    }

    /// How much longer the client may let wait what waits.
    func patience(_ pace: BodyPace, pending: Int) -> Duration { progress.patience(pace, pending: pending, at: .now) }
}

/// The client of an answer in pieces has closed its connection, has taken them too slowly, or the server was closed.
package struct HTTPClientGone: Error {}
