import Shared

/// Lets the large answers of one connection through one after the other, each when no more than the high water waits for the client: what a
/// client may ask for at once would be gigabytes as base64, and one that reads as fast as it can would be cut as one that does not.
///
/// They are made in their turn and not before. Small answers and events do not wait, and overtake them.
@Loop
final class AnswerTurns {
    /// Bytes of an answer from which on it waits.
    nonisolated static let large = 64 << 10

    @Loop private final class Waiter {
        let bytes: Int
        let turn = OneShot<Void>()
        var hasLeft = false
        init(_ bytes: Int) { self.bytes = bytes }
    }

    private let hasRoom: @Loop () -> Bool
    private var waiting = FIFO<Waiter>()
    private var isTaken = false
    private var isOver = false
    /// Bytes of the answers that wait.
    private(set) var waitingBytes = 0

    /// - Parameter hasRoom: whether the connection takes more.
    init(hasRoom: @escaping @Loop () -> Bool) { self.hasRoom = hasRoom }

    /// Makes an answer and hands it over, when its turn has come.
    /// - Parameters:
    ///   - bytes: how long it is, about.
    ///   - body: its answer is written before the next job of the loop.
    /// - Throws: what `body` throws, or `cancelled` when the client has gone or the task was cancelled: it was not run then.
    func run<T>(_ bytes: Int, _ body: @Loop () async throws(TintypeError) -> T) async throws(TintypeError) -> T {
        if bytes < Self.large { return try await body() }
        try await take(bytes)
        defer { give() }
        return try await body()
    }

    private func take(_ bytes: Int) async throws(TintypeError) {
        if !isOver, !isTaken, waiting.isEmpty, hasRoom() { return isTaken = true }
        let waiter = Waiter(bytes)
        if !isOver {
            waiting.append(waiter)
            waitingBytes += bytes
            do {
                return try await waiter.turn.wait()
            } catch {
                // Its turn may have come in the same moment.
                if waiter.turn.isComplete, !isOver { return }
                waiter.hasLeft = true
                if !isOver { waitingBytes -= bytes }
            }
        }
        throw Outcome.cancellation(reason: "disconnected", phase: Phase.deliver.rawValue)
    }

    private func give() {
        isTaken = false
        look()
    }

    /// The connection may have room again.
    func look() {
        while !isOver, !isTaken, hasRoom(), let next = waiting.popFirst() {
            guard !next.hasLeft else { continue }
            waitingBytes -= next.bytes
            isTaken = true
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
