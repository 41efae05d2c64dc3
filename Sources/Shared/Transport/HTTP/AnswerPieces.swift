/// An answer that is sent in pieces: the piece on its way.
@Loop
final class AnswerPieces {
    /// False if the method or the status has no body. Pieces are dropped then.
    let hasBody: Bool
    /// Whether each piece is a chunk, because the length is unknown.
    let isChunked: Bool
    private var taken: (@Loop (Bool) -> Void)?

    init(hasBody: Bool, isChunked: Bool) { (self.hasBody, self.isChunked) = (hasBody, isChunked) }

    /// Whether the client has not taken the last piece yet.
    var isSending: Bool { taken != nil }

    /// - Parameter taken: called once with whether the client has taken the piece.
    func begin(_ taken: @escaping @Loop (Bool) -> Void) { self.taken = taken }

    /// Notes that the kernel has taken all bytes.
    func complete() { tell(true) }

    func clientHasGone() { tell(false) }

    private func tell(_ isTaken: Bool) {
        let taken = taken
        self.taken = nil
        taken?(isTaken)
    }
}

/// The client of an answer in pieces has closed its connection or taken the pieces too slowly, or the server was closed.
package struct HTTPClientGone: Error {}
