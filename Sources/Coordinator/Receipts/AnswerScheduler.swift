import TintypeCore
import TintypeTransport

/// The order of large answers on one connection.
///
/// Answers are sent in the order of their requests. As many are in progress as fit below the high-water mark together with the pending output, but
/// at least one. Without this limit, the answers that a client requests at once could take gigabytes as base64. Even a client that reads as fast as
/// possible would then be closed as one that does not read.
///
/// A large answer is read and built in its turn, not before. Small answers and events do not wait and overtake it.
@Loop
final class AnswerScheduler {
    /// The bytes from which on an answer waits for its turn.
    nonisolated static let large = 64 << 10

    @Loop private final class Waiter {
        let bytes: Int
        /// The bytes that are certain to be sent.
        let known: Int
        let turn = OneShot<Void>()
        var hasLeft = false
        init(_ bytes: Int, known: Int) { (self.bytes, self.known) = (bytes, known) }
    }

    /// The bytes that the connection takes before the high-water mark; below 0 when it is above the mark.
    private let room: @Loop () -> Int
    private var waiting = FIFO<Waiter>()
    /// The answers that are being built, and their bytes.
    private var (taken, takenBytes) = (0, 0)
    private var isOver = false
    /// The bytes of the waiting answers, as far as they are known.
    private(set) var waitingBytes = 0

    init(room: @escaping @Loop () -> Int) { self.room = room }

    /// Builds and sends an answer when its turn has come.
    /// - Parameters:
    ///   - bytes: The approximate length of the answer.
    ///   - isKnown: false if the length is a guess, which does not count towards the client's limit.
    ///   - body: Writes the answer, at the latest in the continuation that it resumes.
    /// - Throws: The errors of `body`, or `cancelled` when the client has disconnected or the task was canceled; `body` has not run then.
    func run<T>(_ bytes: Int, isKnown: Bool = true, _ body: @Loop () async throws(TintypeError) -> T) async throws(TintypeError) -> T {
        if bytes < Self.large { return try await body() }
        try await take(bytes, known: isKnown ? bytes : 0)
        // The turn ends in a later turn of the loop, because a continuation that was just resumed may still write.
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
                // The turn may have come at the same moment as the cancellation.
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

    /// Starts waiting answers if the connection has room again.
    func look() {
        while !isOver, let next = waiting.first, next.hasLeft || fits(next.bytes) {
            _ = waiting.popFirst()
            guard !next.hasLeft else { continue }
            waitingBytes -= next.known
            begin(next.bytes)
            next.turn.complete(.success(()))
        }
    }

    /// Ends all waiting answers: the client has disconnected.
    func end() {
        isOver = true
        waitingBytes = 0
        while let next = waiting.popFirst() { next.turn.complete(.failure(CancellationError())) }
    }
}
