import TintypeCore
import TintypeTransport

/// Lets the large answers of one connection through in the order in which they were asked for, as many at a time as stay below the high water
/// together with what waits for the client, or one: what a client may ask for at once would be gigabytes as base64, and one that reads as fast
/// as it can would be cut as one that does not.
///
/// They are read and made in their turn and not before. Small answers and events do not wait, and overtake them.
@Loop
final class AnswerTurns {
    /// Bytes of an answer from which on it waits.
    nonisolated static let large = 64 << 10

    @Loop private final class Waiter {
        let bytes: Int
        /// What is known to be coming of it.
        let known: Int
        let turn = OneShot<Void>()
        var hasLeft = false
        init(_ bytes: Int, known: Int) { (self.bytes, self.known) = (bytes, known) }
    }

    /// Bytes that the connection takes before the high water; below 0 when it is over that.
    private let room: @Loop () -> Int
    private var waiting = FIFO<Waiter>()
    /// The answers that are being made, and their bytes.
    private var (taken, takenBytes) = (0, 0)
    private var isOver = false
    /// Bytes of the answers that wait, as far as they are known.
    private(set) var waitingBytes = 0

    init(room: @escaping @Loop () -> Int) { self.room = room }

    /// Makes an answer and hands it over, when its turn has come.
    /// - Parameters:
    ///   - bytes: how long it is, about.
    ///   - isKnown: false: that is a guess, which is not held against the client.
    ///   - body: writes the answer; what it is resumed by does so at the latest.
    /// - Throws: what `body` throws, or `cancelled` when the client has gone or the task was cancelled: it was not run then.
    func run<T>(_ bytes: Int, isKnown: Bool = true, _ body: @Loop () async throws(TintypeError) -> T) async throws(TintypeError) -> T {
        if bytes < Self.large { return try await body() }
        try await take(bytes, known: isKnown ? bytes : 0)
        // In a later turn of the loop: a continuation that was resumed in this one may still write.
        defer { Loop.execute { self.give(bytes) } }
        return try await body()
    }

    private func take(_ bytes: Int, known: Int) async throws(TintypeError) {
        if !isOver, waiting.isEmpty, fits(bytes) { return begin(bytes) }
        let waiter = Waiter(bytes, known: known)
        if !isOver {
            waiting.append(waiter)
            waitingBytes += known
            do {
                return try await waiter.turn.wait()
            } catch {
                // Its turn may have come in the same moment.
                if waiter.turn.isComplete, !isOver { return }
                waiter.hasLeft = true
                if !isOver { waitingBytes -= known }
            }
        }
        throw Outcome.cancellation(reason: "disconnected", phase: Phase.deliver.rawValue)
    }

    private func fits(_ bytes: Int) -> Bool {
        let room = room()
        return taken == 0 ? room >= 0 : takenBytes + bytes <= room
    }

    private func begin(_ bytes: Int) {
        taken += 1
        takenBytes += bytes
    }

    private func give(_ bytes: Int) {
        taken -= 1
        takenBytes -= bytes
        look()
    }

    /// The connection may have room again.
    func look() {
        while !isOver, let next = waiting.first, next.hasLeft || fits(next.bytes) {
            _ = waiting.popFirst()
            guard !next.hasLeft else { continue }
            waitingBytes -= next.known
            begin(next.bytes)
            next.turn.complete(.success(()))
        }
    }

    /// The client has gone: nothing more is made for it.
    func end() {
        isOver = true
        waitingBytes = 0
        while let next = waiting.popFirst() { next.turn.complete(.failure(CancellationError())) }
    }
}
