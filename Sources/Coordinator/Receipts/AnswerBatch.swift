import TintypeCore
import TintypeTransport

/// Collects the answers of a batch into one array, within a limit.
///
/// Members whose bytes must be read wait until no other member is left. They get one place for all of them and are made one after the other. So a slow
/// member keeps no room, and two batches never wait for each other's room.
@Loop
final class AnswerBatch: AnswerSink, LongAnswerReader {
    /// The most bytes of all answers, and so of one message: the share of an address. One result of the longest inline bytes fits.
    nonisolated static let most = 12 << 20

    @Loop private final class Member {
        let call: Call
        let bytes: Int
        let isKnown: Bool
        let turn = OneShot<Void>()
        init(_ call: Call, _ bytes: Int, isKnown: Bool) { (self.call, self.bytes, self.isKnown) = (call, bytes, isKnown) }
    }

    private let session: Session
    private let sink: any AnswerSink
    /// The members without an answer.
    private var left: Int
    private var text: [UInt8] = []
    private var waiting: [Member] = []
    /// The members that are made one after the other; nil: other members are left.
    private var line: FIFO<Member>?
    /// The member whose answer is being made.
    private var current: Member?
    /// The bytes that the answers of `line` add.
    private var coming = 0
    private var reservation: AnswerReservation?
    private var failure: TintypeError?

    init(expecting count: Int, from session: Session, to sink: any AnswerSink) {
        (left, self.session, self.sink) = (count, session, sink)
    }

    func answered(_ response: [UInt8]) {
        if !response.isEmpty {
            text.append(UInt8(ascii: text.isEmpty ? "[" : ","))
            text += response
        }
        left -= 1
        settle()
        guard left == 0 else { return }
        if let reservation { session.turns?.keep(reservation) }
        if !text.isEmpty { text.append(UInt8(ascii: "]")) }
        let whole = text
        (text, reservation) = ([], nil)
        sink.answered(whole)
    }

    func refusal(of bytes: Int) -> TintypeError? {
        guard text.count + bytes <= Self.most else { return Self.tooLong(text.count + bytes) }
        return covers(text.count + bytes) ? nil : LongAnswerBudget.full
    }

    private static func tooLong(_ bytes: Int) -> TintypeError {
        TintypeError(
            .limitExceeded, .deliver, "the answers of one batch have too many bytes: send this request alone, or use deliver: reference",
            details: ["limit": "batch", "value": JSON(bytes), "allowed": JSON(most)])
    }

    /// Returns whether there is room for so many bytes, without waiting.
    private func covers(_ bytes: Int) -> Bool {
        let held = reservation?.bytes ?? 0
        guard bytes - held > AnswerScheduler.large, let turns = session.turns else { return true }
        // A place for all bytes in place of the one so far, because a batch alone may be larger than a share.
        reservation = nil
        reservation = turns.reserve(bytes, for: self) ?? (held > 0 ? turns.reserve(held, for: self) : nil)
        return reservation?.bytes == bytes
    }

    // MARK: Members that wait

    /// Builds the answer of a member once all others are there.
    /// - Throws: The errors of `body`, `limitExceeded`, `overloaded`, or `cancelled` when the request has been answered meanwhile.
    func inTurn<T>(_ bytes: Int, isKnown: Bool, of call: Call, _ body: @Loop () async throws(TintypeError) -> T) async throws(TintypeError) -> T {
        let member = Member(call, bytes, isKnown: isKnown)
        waiting.append(member)
        settle()
        do {
            try await member.turn.wait()
        } catch {
            // The task was canceled, perhaps when its turn had just come.
            waiting.removeAll { $0 === member }
            next(after: member)
            throw (error as? TintypeError) ?? Outcome.cancellation(reason: "disconnected", phase: Phase.deliver.rawValue)
        }
        // In a later turn of the loop, because a continuation that was just resumed may still answer.
        defer { Loop.execute { self.next(after: member) } }
        try await enter()
        return try await body()
    }

    /// Drops members that have been answered. Begins with those that wait when no others are left.
    private func settle() {
        for member in waiting where member.call.isAnswered { member.turn.complete(.failure(CancellationError())) }
        waiting.removeAll { $0.call.isAnswered }
        guard line == nil, left > 0, waiting.count == left else { return }
        var line = FIFO<Member>()
        var guess = 0
        coming = 0
        for member in waiting {
            let known = member.isKnown ? member.bytes : 0
            guard text.count + coming + known <= Self.most else {
                member.turn.complete(.failure(Self.tooLong(text.count + coming + known)))
                continue
            }
            coming += known
            guess = max(guess, member.bytes - known)
            line.append(member)
        }
        coming += guess
        (self.line, waiting) = (line, [])
        next(after: nil)
    }

    /// Waits for the place of all members, if this is the first one.
    private func enter() async throws(TintypeError) {
        if let failure { throw failure }
        guard coming > 0 else { return }
        let bytes = coming
        do throws(TintypeError) {
            if reservation == nil {
                reservation = try await session.turns?.enter(bytes)
            } else if !covers(text.count + bytes) {
                // A batch that has room must not wait for more.
                throw LongAnswerBudget.full
            }
        } catch {
            if error.name == .overloaded { failure = error }
            throw error
        }
        text.reserveCapacity(text.count + bytes + (4 << 10))
        coming = 0
    }

    /// - Parameter member: The one whose turn ends.
    private func next(after member: Member?) {
        guard current === member else { return }
        current = nil
        while let next = line?.popFirst() {
            guard !next.call.isAnswered else {
                next.turn.complete(.failure(CancellationError()))
                continue
            }
            current = next
            next.turn.complete(.success(()))
            return
        }
        line = nil
        settle()
    }

    // MARK: A batch that keeps others waiting

    /// A batch that has room while it waits for its slow members counts as a client that reads nothing.
    var takenBytes: Int? { line == nil ? 0 : nil }
    func cutSlow() { session.turns?.cutSlow() }
}
