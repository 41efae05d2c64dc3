package import TintypeCore
package import TintypeTransport

/// The order of large answers on one connection, and their places in `LongAnswerBudget`.
///
/// Answers are sent in the order of their requests. As many are in progress as fit below the high-water mark together with the pending output, but
/// at least one. Without this limit, the answers that a client requests at once could take gigabytes as base64. Even a client that reads as fast as
/// possible would then be closed as one that does not read. An HTTP request has one answer, so that its only limit is the room of all.
///
/// A large answer is read and built in its turn and with its place, not before. Small answers and events do not wait and overtake it.
@Loop
package final class AnswerScheduler {
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

    private let answers: LongAnswerBudget?
    private let address: @Loop () -> String
    private weak var reader: (any LongAnswerReader)?
    private let isUnsent: @Loop () -> Bool
    /// The places of the answers that are being built, and of those that the client has not taken.
    private var (making, sending): ([AnswerReservation], [AnswerReservation]) = ([], [])

    /// - Parameters:
    ///   - answers: The room of all clients; nil: there is no limit.
    ///   - address: The network of the client.
    ///   - reader: The client.
    ///   - room: The bytes that the connection takes before the high-water mark.
    ///   - isUnsent: Whether written bytes wait for the client. `drained` is called later then.
    package init(
        in answers: LongAnswerBudget? = nil, of address: @autoclosure @escaping @Loop () -> String = "", for reader: (any LongAnswerReader)? = nil,
        room: @escaping @Loop () -> Int = { .max },
        isUnsent: @escaping @Loop () -> Bool = { false }
    ) {
        (self.answers, self.address, self.reader, self.isUnsent, self.room) = (answers, address, reader, isUnsent, room)
    }

    /// Builds and sends an answer when its turn has come.
    /// - Parameters:
    ///   - bytes: The approximate length of the answer.
    ///   - isKnown: false if the length is a guess, which does not count towards the client's limit.
    ///   - body: Writes the answer, at the latest in the continuation that it resumes.
    /// - Throws: The errors of `body`, `overloaded`, or `cancelled` when the client has disconnected or the task was canceled; `body` has not run then.
    package func run<T>(_ bytes: Int, isKnown: Bool = true, _ body: @Loop () async throws(TintypeError) -> T) async throws(TintypeError) -> T {
        if bytes < Self.large { return try await body() }
        try await take(bytes, known: isKnown ? bytes : 0)
        var reservation: AnswerReservation?
        // The turn ends in a later turn of the loop, because a continuation that was just resumed may still write.
        defer { Loop.execute { [reservation] in self.give(bytes, reservation) } }
        reservation = try await enter(bytes)
        if isOver { throw Outcome.cancellation(reason: "disconnected", phase: Phase.deliver.rawValue) }
        if let reservation { making.append(reservation) }
        return try await body()
    }

    // MARK: Places

    /// Returns a place for an answer as soon as there is room.
    package func enter(_ bytes: Int) async throws(TintypeError) -> AnswerReservation? { try await answers?.enter(bytes, of: address(), for: reader) }

    /// Returns a place for an answer; nil if there is no room now.
    package func reserve(_ bytes: Int, for reader: any LongAnswerReader) -> AnswerReservation? { answers?.reserve(bytes, of: address(), for: reader) }

    /// Returns the bytes without a place, of those that wait for the client.
    func uncovered(_ unsent: Int) -> Int { unsent - (making + sending).reduce(0) { $0 + $1.bytes } }

    /// Has the client judged by its pace, or no longer, though some of its bytes have no place.
    func setJudged(_ isJudged: Bool) {
        if let reader { answers?.setJudged(isJudged, reader, of: address()) }
    }

    /// Returns whether there is room for all bytes that wait for the client, without waiting.
    package func covers(_ unsent: Int) -> Bool {
        let more = uncovered(unsent)
        guard more > Self.large, !isOver, let answers else { return true }
        guard let reservation = answers.reserve(more, of: address(), for: reader) else { return false }
        sending.append(reservation)
        return true
    }

    /// Keeps the place of an answer that is written now.
    package func keep(_ reservation: AnswerReservation) {
        if isOver { return }
        reservation.reader = reader
        sending.append(reservation)
    }

    /// Gives all places to the caller, who keeps them until the client has its bytes.
    func takeReservations() -> [AnswerReservation] {
        defer { (making, sending) = ([], []) }
        return making + sending
    }

    package func cutSlow() { reader?.cutSlow() }

    // MARK: Turns

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

    private func give(_ bytes: Int, _ reservation: AnswerReservation?) {
        taken -= 1
        takenBytes -= bytes
        if let index = making.firstIndex(where: { $0 === reservation }) {
            let reservation = making.remove(at: index)
            if isUnsent() { sending.append(reservation) }
        }
        look()
    }

    /// Notes that an answer was written: its place is free if the kernel has taken the bytes.
    package func written() {
        if !isUnsent() { sending = [] }
    }

    /// Notes that the client has nearly all bytes that were written.
    package func drained() {
        sending = []
        look()
    }

    /// Starts waiting answers if the connection has room again.
    package func look() {
        while !isOver, let next = waiting.first, next.hasLeft || fits(next.bytes) {
            _ = waiting.popFirst()
            guard !next.hasLeft else { continue }
            waitingBytes -= next.known
            begin(next.bytes)
            next.turn.complete(.success(()))
        }
    }

    /// Ends all waiting answers: the client has disconnected.
    package func end() {
        isOver = true
        waitingBytes = 0
        sending = []
        setJudged(false)
        if let reader { answers?.leave(reader) }
        while let next = waiting.popFirst() { next.turn.complete(.failure(CancellationError())) }
    }
}
