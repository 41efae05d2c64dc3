/// An answer that is sent in pieces: the piece on its way, and the progress of all of them.
@Loop
final class AnswerPieces {
    /// False if the method or the status has no body. Pieces are dropped then.
    let hasBody: Bool
    /// Checks whether the client takes the pieces fast enough.
    var watch: LoopTimer?
    private var progress = AnswerProgress()
    private var taken: (@Loop (Bool) -> Void)?

    init(hasBody: Bool) { self.hasBody = hasBody }

    /// Whether the client has not taken the last piece yet.
    var isSending: Bool { taken != nil }

    /// - Parameter taken: called once with whether the client has taken the piece.
    func begin(_ count: Int, _ taken: @escaping @Loop (Bool) -> Void) {
        self.taken = taken
        progress.hand(count, at: .now)
    }

    /// Notes that the kernel has taken all bytes.
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

    /// Returns how much longer the client may leave the pending bytes.
    func patience(_ pace: MinimumBodyRate, pending: Int) -> Duration { progress.patience(pace, pending: pending, at: .now) }
}

/// The client of an answer in pieces has closed its connection or taken the pieces too slowly, or the server was closed.
package struct HTTPClientGone: Error {}
